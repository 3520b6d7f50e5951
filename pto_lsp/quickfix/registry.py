"""Which code is repaired by which module. A fix module is imported when it is needed.

A fix module has ``build(context) -> Draft``, which writes the repair or raises `Refused`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from importlib import import_module
from typing import NamedTuple, cast

from pto_lsp.diagnostics import Diagnostic
from pto_lsp.quickfix.context import Context, Draft


class Action(Enum):
    """FIX repairs the finding alone; GRAPH writes down everything that the Graph of a hoist finding hoists."""

    FIX = "fix"
    GRAPH = "graph"


class _Entry(NamedTuple):
    module: str
    title: str


_HOIST = _Entry("hoist_value", "Hoist '{}' to call site")
_FIXES = {
    "PTO502": _Entry("graph_scope", "Remove 'as'"),
    "PTO415": _Entry("drop_deps", "Remove deps= of the launch of '{}'"),
    "PTO405": _Entry("out_parameter", "Make '{}' an InOut parameter"),
    "PTO102": _Entry("erase_rename", "Replace '{}' by what it stands for"),
    "PTO104": _Entry("inline_value", "Name the value and hoist it to call site"),
    "PTO202": _Entry("split_window", "Split the window of '{}'"),
    "PTO302": _Entry("varying_shape", "Hoist the allocation to call site"),
    "PTO304": _Entry("loop_buffer", "Slice '{}' from one buffer of the caller"),
    "PTO101": _HOIST,
    "PTO201": _HOIST,
    "PTO301": _HOIST,
    "PTO106": _Entry("remove_scalar", "Remove '{}'"),
    "PTO606": _Entry("task_edit", "Write the waits of '{}' as a list"),
    "PTO615": _Entry("task_edit", "Remove '{}' from no_dep_args"),
    "PTO619": _Entry("task_edit", "Write deps= of '{}'"),
    "PTO715": _Entry("task_edit", "Declare '{}' as InOut"),
    "PTO720": _Entry("task_edit", "Declare '{}' as an output"),
    "PTO721": _Entry("task_edit", "Store into '{}'"),
    "PTO801": _Entry("task_edit", "Remove '{}' from deps="),
    "PTO802": _Entry("task_edit", "Remove '{}' from deps="),
    "PTO803": _Entry("task_edit", "Remove the second '{}' from deps="),
    "PTO804": _Entry("task_edit", "Mark '{}' as unused"),
    "PTO809": _Entry("task_edit", "Declare '{}' as Out"),
    "PTO816": _Entry("task_edit", "Remove '{}' from no_dep_args"),
    "PTO819": _Entry("task_edit", "Declare '{}' as a plain tensor"),
}

FIX_ORDER = tuple(_FIXES)
"""The order in which a whole file is repaired: what others build on comes first."""

FIXABLE = frozenset(_FIXES)
HOISTS = frozenset(code for code, entry in _FIXES.items() if entry is _HOIST)
"""Codes of findings whose Graph has hoists that can be written down."""


def title(diagnostic: Diagnostic, action: Action = Action.FIX) -> str:
    """What the repair of a finding is called; the finding's own fix has its own title."""
    if action is Action.GRAPH:
        return f"Make every hoist of '{diagnostic.function}' explicit"
    return _FIXES[diagnostic.code].title.format(diagnostic.subject)


def build(context: Context, action: Action = Action.FIX) -> Draft:
    """Write the repair of the context's finding. Raises `Refused` or `Conflict`."""
    name = "hoist_graph" if action is Action.GRAPH else _FIXES[context.finding.code].module
    module = import_module(f"pto_lsp.quickfix.{name}")
    return cast("Callable[[Context], Draft]", module.build)(context)
