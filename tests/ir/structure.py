"""Two programs compared as structures: places, spellings of constants and names do not count."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from pto_lsp.analysis.ir.expressions import LaunchOptions, Var
from pto_lsp.analysis.ir.place import Anchor, Place, SourceId
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.diagnostics import Span
from pto_lsp.project import Project

_PLACES = (Span, Anchor, Place, SourceId)
_NO_MEANING = {
    Function: {"key", "name", "method", "generated"},
    # What the author wrote as keywords is in fields too; a name hint has become a function's name after outlining.
    LaunchOptions: {"keywords", "name_hint", "no_dep_args"},
}


def structure(program: Program) -> dict[str, Any]:
    """Functions by name; variables numbered in order of appearance."""
    return {key.replace("~", "_"): _function(function) for key, function in sorted(program.functions.items())}


def _function(function: Function) -> Any:
    return _shape(function, {})


def _shape(value: Any, numbers: dict[str, int]) -> Any:
    if isinstance(value, _PLACES):
        return None
    if isinstance(value, Var):
        return ("Var", numbers.setdefault(value.name, len(numbers)))
    if is_dataclass(value) and not isinstance(value, type):
        skipped = _NO_MEANING.get(type(value), set())
        return (
            type(value).__name__,
            *[
                (f.name, _shape(getattr(value, f.name), numbers))
                for f in fields(value)
                if f.name not in skipped and f.name not in ("written", "annotated")
            ],
        )
    if isinstance(value, (tuple, list)):
        return tuple([_shape(v, numbers) for v in value])
    return value


def read(text: str) -> Any:
    """The stages of the one program in a module."""
    project = Project()
    project.open("read.py", text)
    analysis = project.analysis("read.py")
    broken = [f for f in analysis.findings if f.code.startswith("PTO00")]
    assert not broken, broken
    return analysis.programs[0].stages
