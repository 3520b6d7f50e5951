"""What the passes that outline regions share: captured names, results, the new function's parameters and body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Expr, Var
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param
from pto_lsp.analysis.ir.statements import Block, Opaque
from pto_lsp.analysis.ir.types import Type, UnknownType
from pto_lsp.analysis.ir.uses import bound_in, ordered_uses
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.passes.names import unique_name
from pto_lsp.analysis.passes.renaming import Renaming
from pto_lsp.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Scope:
    """A region seen from outside. ``captures`` are names bound before it, in the order of their first use inside
    (rules.md O15); ``results`` names bound inside and used elsewhere, in the order of their bindings (O16). ``bound``
    are all that are bound inside.
    """

    body: Block
    captures: tuple[Var, ...]
    results: tuple[Var, ...]
    bound: Mapping[str, Var]


def analyse_scope(body: Block, all_uses: dict[str, int]) -> Scope:
    """``all_uses`` counts every use in the function, those inside the region included."""
    bound = bound_in(body)
    inside: dict[str, int] = {}
    captures: dict[str, Var] = {}
    for var in ordered_uses(body):
        name = var.name
        if name in bound:
            inside[name] = inside.get(name, 0) + 1
        elif name not in captures or isinstance(captures[name].type, UnknownType):
            captures[name] = var
    results = [var for name, var in bound.items() if all_uses.get(name, 0) > inside.get(name, 0)]
    return Scope(body, tuple(captures.values()), tuple(results), bound)


@dataclass(frozen=True, slots=True)
class Signature:
    """``names`` are the parameter names of the captures; ``body`` is the region's body under them."""

    names: tuple[str, ...]
    body: Block
    renaming: Renaming


def parameters_for(scope: Scope) -> Signature:
    """Parameters get the author's names, numbered where two captures share one or the body binds it again."""
    taken = set(scope.bound)
    mapping: dict[str, Expr] = {}
    names: list[str] = []
    for var in scope.captures:
        name = unique_name(var.label or var.name, taken)
        taken.add(name)
        names.append(name)
        mapping[var.name] = Var(name, name, var.type)
    renaming = Renaming(mapping)
    body = renaming.block(scope.body) if any(v.name != n for v, n in zip(scope.captures, names)) else scope.body
    return Signature(tuple(names), body, renaming)


def make_function(
    key: str,
    name: str,
    kind: FunctionKind,
    params: tuple[Param, ...],
    returns: tuple[Type, ...],
    body: Block,
    parent: Function,
    at: Anchor,
    name_span: Span,
) -> Function:
    """A generated function; it is a method where its parent is one."""
    complete = not any(isinstance(stmt, Opaque) for stmt in walk_block(body))
    return Function(
        key,
        name,
        kind,
        params,
        returns,
        body,
        at,
        name_span,
        complete=complete,
        generated=True,
        auto_scope=parent.auto_scope,
        method=parent.method,
    )


def make_params(
    scope: Scope, signature: Signature, directions: list[Direction], at: Anchor, span: Span
) -> tuple[Param, ...]:
    renamed = signature.renaming
    return tuple(
        [
            Param(name, renamed.type(var.type), direction, at, span, span)
            for name, var, direction in zip(signature.names, scope.captures, directions)
        ]
    )
