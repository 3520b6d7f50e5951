"""What a file's own host code binds to a name. Nothing is executed."""

from __future__ import annotations

import ast
from typing import Union

Scope = Union[ast.Module, ast.FunctionDef, ast.AsyncFunctionDef]
_VIEWS = frozenset({"items", "values"})


def assigned(name: str, scopes: tuple[Scope, ...]) -> list[ast.expr]:
    """Everything that the innermost of ``scopes`` with this name assigns to it; None for what is not shown."""
    for scope in scopes:
        values: list[ast.expr] = []
        for node in _own_nodes(scope):
            if isinstance(node, ast.Assign):
                values.extend(_part(target, node.value, name) for target in node.targets if _binds(target, name))
            elif isinstance(node, ast.AnnAssign) and _binds(node.target, name) and node.value is not None:
                values.append(node.value)
            elif isinstance(node, (ast.For, ast.AugAssign, ast.NamedExpr)) and _binds(node.target, name):
                values.append(ast.Constant(None))
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) and name in parameters(scope):
            values.append(ast.Constant(None))
        if values:
            return values
    return []


def _part(target: ast.expr, value: ast.expr, name: str) -> ast.expr:
    """What of ``value`` goes to ``name`` in ``target``."""
    if isinstance(target, ast.Name):
        return value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, part in zip(target.elts, value.elts):
            if isinstance(one, ast.Name) and one.id == name and not isinstance(part, ast.Starred):
                return part
    return ast.Constant(None)


def may_be(function: ast.expr, entry: str, scopes: tuple[Scope, ...]) -> bool:
    """Whether what is called is ``entry``: by its name, out of a table, or in a loop over one that holds it."""
    if isinstance(function, ast.Subscript):
        return _holds(function.value, entry, scopes)
    if not isinstance(function, ast.Name):
        return False
    if function.id == entry:
        return True
    for scope in scopes:
        loops = [node for node in _own_nodes(scope) if isinstance(node, ast.For) and _binds(node.target, function.id)]
        if loops:
            return any(_holds(loop.iter, entry, scopes) for loop in loops)
    return any(isinstance(value, ast.Name) and value.id == entry for value in assigned(function.id, scopes))


def shown_elements(sequence: ast.expr, scopes: tuple[Scope, ...]) -> list[ast.expr] | None:
    """The elements of a list or tuple that is written out; None when it is not, or something may change it."""
    values = assigned(sequence.id, scopes) if isinstance(sequence, ast.Name) else [sequence]
    if len(values) != 1 or not isinstance(values[0], (ast.List, ast.Tuple)):
        return None
    if isinstance(sequence, ast.Name) and any(_changes(node, sequence.id) for s in scopes for node in _own_nodes(s)):
        return None
    return values[0].elts


def _changes(node: ast.AST, name: str) -> bool:
    """``name.append(...)``, ``name[0] = ...`` and the like."""
    if isinstance(node, ast.Attribute) or (isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)):
        return isinstance(node.value, ast.Name) and node.value.id == name
    return False


def _holds(table: ast.expr, entry: str, scopes: tuple[Scope, ...]) -> bool:
    """Whether ``entry`` stands in a list, tuple or dictionary that the code shows."""
    if isinstance(table, ast.Call) and isinstance(table.func, ast.Attribute) and table.func.attr in _VIEWS:
        return _holds(table.func.value, entry, scopes)
    values = assigned(table.id, scopes) if isinstance(table, ast.Name) else [table]
    shown = [value for value in values if isinstance(value, (ast.List, ast.Tuple, ast.Dict))]
    return any(isinstance(node, ast.Name) and node.id == entry for value in shown for node in ast.walk(value))


def _own_nodes(scope: Scope) -> list[ast.AST]:
    """The nodes of a scope without those of functions and classes inside it."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = list(scope.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        found.append(node)
        stack.extend(ast.iter_child_nodes(node))
    return found


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Those that can be named, stars left out."""
    arguments = function.args
    return {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
