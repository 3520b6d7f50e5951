"""Arguments of the Python functions that a program is made in: ``def build(rows): @pl.program class P: …``.

Nothing is executed: a number is given, or it is what all calls of the function in its own file show, its default where
they pass none.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Union

from pto_lsp.analysis.ir.place import LOCALS
from pto_lsp.backend.shapes.host_calls import evident_numbers

Number = Union[int, float, bool]


def factory_parameters(text: str, qualname: str) -> frozenset[str]:
    """The parameters of all functions around the definition ``qualname`` of a module."""
    return frozenset(each for _, function in _factories(text, qualname) for each in _parameters(function))


def factory_arguments(
    text: str, qualname: str, given: Mapping[str, Number], constant: Callable[[str], object]
) -> dict[str, dict[str, Number]]:
    """What is known of those parameters, by qualified name of the function; ``constant`` knows the module's names."""
    found: dict[str, dict[str, Number]] = {}
    for name, function in _factories(text, qualname):
        known: dict[str, Number] = dict(evident_numbers(text, function, constant))
        known.update({parameter: given[parameter] for parameter in _parameters(function) if parameter in given})
        if known:
            found[name] = known
    return found


def _factories(text: str, qualname: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions around a definition, outermost first; none from where a name has several definitions."""
    try:
        body: list[ast.stmt] = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return
    path = ""
    for name in qualname.split(LOCALS)[:-1]:
        functions = [node for stmt in body for node in ast.walk(stmt) if isinstance(node, ast.FunctionDef)]
        same = [function for function in functions if function.name == name]
        if len(same) != 1:
            return
        path = f"{path}{LOCALS}{name}" if path else name
        yield path, same[0]
        body = same[0].body


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
