"""What statements that are not executed would have bound or changed, read off their syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from pto_lsp.analysis.frontend.constants.methods import MUTATORS
from pto_lsp.analysis.frontend.constants.skeleton import DSL_DECORATORS
from pto_lsp.analysis.ir.place import LOCALS

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Every name the statements may bind in their own scope, nested functions and classes left out."""
    names: set[str] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in node.names if alias.name != "*")
        elif isinstance(node, _COMPREHENSIONS):
            names.update(n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
        elif not isinstance(node, ast.Lambda):
            if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
                names.add(node.name)
            elif isinstance(node, ast.MatchMapping) and node.rest:
                names.add(node.rest)
            stack.extend(ast.iter_child_nodes(node))
    return names


def walk_scope(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes and all below them, without entering nested functions and classes."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack.extend(ast.iter_child_nodes(node))


def leaves(nodes: Iterable[ast.AST]) -> bool:
    """Whether the statements may return from the function around them."""
    return any(isinstance(node, ast.Return) for node in walk_scope(nodes))


def jumps(nodes: Iterable[ast.AST]) -> bool:
    """Whether the statements may break or continue a loop around them."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Break, ast.Continue)):
            return True
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            stack.extend(node.orelse)
        elif not isinstance(node, (*_SCOPES, ast.expr)):
            stack.extend(ast.iter_child_nodes(node))
    return False


def ends_in_raise(body: list[ast.stmt]) -> bool:
    """Whether a block surely raises when it is entered; a program that is worth analysing does not enter it."""
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        function = last.value.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            return (function.value.id, function.attr) in (("sys", "exit"), ("os", "_exit"), ("pytest", "skip"))
    return False


def is_generator(node: ast.AST) -> bool:
    cached = getattr(node, "pto_generator", None)
    if cached is None:
        found = False
        stack = list(ast.iter_child_nodes(node))
        while stack and not found:
            each = stack.pop()
            if isinstance(each, (ast.Yield, ast.YieldFrom, ast.Await)):
                found = True
            elif not isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                stack.extend(ast.iter_child_nodes(each))
        cached = found
        node.pto_generator = found  # type: ignore[attr-defined]
    return bool(cached)


def suppresses(manager: ast.expr) -> bool:
    """Whether a context manager may swallow exceptions on purpose: ``suppress(…)``, ``pytest.raises(…)``."""
    function = manager.func if isinstance(manager, ast.Call) else manager
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("suppress", "raises", "assertRaises")


def global_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Names some function below declares ``global``: they change whenever it is called."""
    return {name for node in nodes for each in ast.walk(node) if isinstance(each, ast.Global) for name in each.names}


def is_dsl_decorator(node: ast.expr) -> bool:
    """``@pl.jit``, ``@pl.jit.inline(...)``, ``@function`` …: by name, as in the tool chain (surface.md §1, §2)."""
    current = node.func if isinstance(node, ast.Call) else node
    while isinstance(current, ast.Attribute):
        if current.attr in DSL_DECORATORS:
            return True
        current = current.value
    return isinstance(current, ast.Name) and current.id in DSL_DECORATORS


def number_functions(body: Iterable[ast.AST], prefix: str, counts: dict[tuple[str, bool], int]) -> None:
    """Give every definition below its ordinal among those of the same qualified name and kind, in textual order."""
    for node in body:
        inner = prefix
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            key = (prefix + node.name, any(map(is_dsl_decorator, node.decorator_list)))
            node.pto_ordinal = counts.get(key, 0)  # type: ignore[union-attr]
            counts[key] = counts.get(key, 0) + 1
            inner = f"{prefix}{node.name}{'.' if isinstance(node, ast.ClassDef) else LOCALS}"
        elif not isinstance(node, (ast.stmt, ast.ExceptHandler)):
            continue
        number_functions(ast.iter_child_nodes(node), inner, counts)


def root(node: ast.expr) -> ast.Name | None:
    """``x`` of ``x.a[0].b``."""
    current: ast.expr = node
    while isinstance(current, (ast.Attribute, ast.Subscript, ast.Starred)):
        current = current.value
    return current if isinstance(current, ast.Name) else None


class Effects:
    """What statements may do that are not executed.

    ``changed``: names whose objects they may change. ``obscure``: they may change an object that no name leads to, or
    only a name they bind. ``attributes``: attribute targets on a bare name. ``calls``: what they call, with the names
    that the arguments start with. ``loaded``: every name they use, nested functions included. ``bound``: every name
    they bind.
    """

    __slots__ = ("attributes", "bound", "calls", "changed", "loaded", "obscure")

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self.changed: set[str] = set()
        self.obscure = False
        self.attributes: set[tuple[str, str]] = set()
        self.calls: list[tuple[ast.expr, list[str]]] = []
        self.bound = bound_names(nodes)
        self.loaded = {
            each.id
            for node in nodes
            for each in ast.walk(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
        }
        for node in walk_scope(nodes):
            if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
                self._change(node)
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    self.attributes.add((node.value.id, node.attr))
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self.changed.add(node.target.id)
            elif isinstance(node, ast.Call):
                self._call(node)
        if not self.changed.isdisjoint(self.bound):
            self.obscure = True

    def _change(self, node: ast.expr) -> None:
        name = root(node)
        if name is None:
            self.obscure = True
        else:
            self.changed.add(name.id)

    def _call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in MUTATORS:
            self._change(function.value)
        name = root(function)
        if name is None or name.id in self.bound:
            self.obscure = True
        else:
            values = [*node.args, *[keyword.value for keyword in node.keywords]]
            self.calls.append((function, [found.id for found in map(root, values) if found is not None]))
