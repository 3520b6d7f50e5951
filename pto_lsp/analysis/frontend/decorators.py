"""Which Python functions are DSL functions: the decorators of surface.md §2."""

from __future__ import annotations

from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.node import node
from pto_lsp.analysis.source import syntax

_FUNCTION_TYPES = {
    "Opaque": FunctionKind.OPAQUE,
    "Orchestration": FunctionKind.ORCHESTRATION,
    "InCore": FunctionKind.INCORE,
    "AIC": FunctionKind.AIC,
    "AIV": FunctionKind.AIV,
    "Group": FunctionKind.GROUP,
    "Spmd": FunctionKind.SPMD,
    "Inline": FunctionKind.INLINE,
    "Graph": FunctionKind.GRAPH,
}

_JIT_KINDS = {
    "": FunctionKind.ORCHESTRATION,
    "host": FunctionKind.HOST,
    "incore": FunctionKind.INCORE,
    "inline": FunctionKind.INLINE,
    "opaque": FunctionKind.OPAQUE,
    "graph": FunctionKind.GRAPH,
    "extern": FunctionKind.AIV,
}


@node
class Declaration:
    """What a decorator says. ``jit`` tells the two authoring styles apart; ``external`` means the body is not the
    kernel.
    """

    kind: FunctionKind
    jit: bool
    auto_scope: bool = True
    external: bool = False


def dotted(expr: syntax.Expr) -> tuple[str, ...] | None:
    """``a.b.c`` as ("a", "b", "c"); None for anything that is not a chain of names."""
    parts: list[str] = []
    while isinstance(expr, syntax.Attribute):
        parts.append(expr.attr)
        expr = expr.base
    if not isinstance(expr, syntax.Name):
        return None
    parts.append(expr.id)
    return tuple(reversed(parts))


def is_program(decorator: syntax.Expr, roots: frozenset[str]) -> bool:
    """``@pl.program`` or ``@pl.program(...)``; ``roots`` are the names bound to pypto modules or imported from them."""
    path = dotted(decorator.func if isinstance(decorator, syntax.Call) else decorator)
    return path is not None and path[0] in roots and path[-1] == "program"


def declaration(decorator: syntax.Expr, roots: frozenset[str]) -> Declaration | None:
    """The meaning of one decorator, or None when it is not one of the DSL's."""
    call = decorator if isinstance(decorator, syntax.Call) else None
    path = dotted(call.func if call else decorator)
    if path is None or path[0] not in roots:
        return None
    keywords = {a.keyword: a.value for a in call.args if a.keyword} if call else {}
    auto_scope = not _is_false(keywords.get("auto_scope"))
    if path[-1] == "function":
        return _function(keywords, auto_scope)
    if "jit" in path:
        rest = path[path.index("jit") + 1 :]
        kind = _JIT_KINDS.get(rest[0] if rest else "")
        if kind is None or len(rest) > 1:
            return None
        if rest == ("extern",):
            return Declaration(_extern_kind(keywords), True, external=True)
        return Declaration(kind, True, auto_scope)
    if path[-1] == "inline":
        return Declaration(FunctionKind.INLINE, False)
    return None


def _function(keywords: dict[str, syntax.Expr], auto_scope: bool) -> Declaration | None:
    kind = FunctionKind.OPAQUE
    written = keywords.get("type")
    if written is not None:
        path = dotted(written)
        found = _FUNCTION_TYPES.get(path[-1]) if path else None
        if found is None:
            return None
        kind = found
    if _last(keywords.get("level")) == "HOST":
        # A SubWorker body is plain Python that is captured as text, not DSL code.
        kind = FunctionKind.HOST
        if _last(keywords.get("role")) == "SubWorker":
            return Declaration(kind, False, external=True)
    return Declaration(kind, False, auto_scope, "external_source" in keywords)


def _extern_kind(keywords: dict[str, syntax.Expr]) -> FunctionKind:
    core = keywords.get("core_type")
    if isinstance(core, syntax.Literal):
        if core.value == "aic":
            return FunctionKind.AIC
        if core.value == "mixed":
            return FunctionKind.GROUP
    return FunctionKind.AIV


def _is_false(expr: syntax.Expr | None) -> bool:
    return isinstance(expr, syntax.Literal) and expr.value is False


def _last(expr: syntax.Expr | None) -> str:
    path = dotted(expr) if expr is not None else None
    return path[-1] if path else ""
