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
from pto_lsp.backend.shapes.host_names import parameters

Number = Union[int, float, bool]


class Factories:
    """The functions around the definition ``qualname`` of the module ``text``."""

    def __init__(self, text: str, qualname: str) -> None:
        self._found: list[tuple[str, ast.FunctionDef]] = []
        if LOCALS not in qualname:
            return
        try:
            self._module = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return
        self._found = list(_around(self._module, qualname))

    @property
    def parameters(self) -> frozenset[str]:
        """Of all of them."""
        return frozenset().union(*(parameters(function) for _, function in self._found))

    def arguments(self, given: Mapping[str, Number], constant: Callable[[str], object]) -> dict[str, dict[str, Number]]:
        """What is known of the parameters, by qualified name of the function; ``constant`` knows the module's names."""
        found: dict[str, dict[str, Number]] = {}
        for name, function in self._found:
            known: dict[str, Number] = dict(evident_numbers(self._module, function, constant))
            own = parameters(function)
            known.update({parameter: value for parameter, value in given.items() if parameter in own})
            if known:
                found[name] = known
        return found


def _around(module: ast.Module, qualname: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """By qualified name, outermost first; none from where a name has several definitions."""
    body, path = module.body, ""
    for name in qualname.split(LOCALS)[:-1]:
        functions = [node for stmt in body for node in ast.walk(stmt) if isinstance(node, ast.FunctionDef)]
        same = [function for function in functions if function.name == name]
        if len(same) != 1:
            return
        path = f"{path}{LOCALS}{name}" if path else name
        yield path, same[0]
        body = same[0].body
