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
_WAIT = _Entry("launches.order", "Declare the missing wait over '{}'")
_FIXES = {
    "PTO502": _Entry("graph_scope", "Remove 'as'"),
    "PTO415": _Entry("drop_deps", "Remove deps= of the launch of '{}'"),
    "PTO405": _Entry("out_parameter", "Make '{}' an InOut parameter"),
    "PTO102": _Entry("erase_rename", "Replace '{}' by what it stands for"),
    "PTO104": _Entry("inline_value", "Name the value and hoist it to call site"),
    "PTO202": _Entry("split_window", "Split the window of '{}'"),
    "PTO302": _Entry("varying_shape", "Hoist the allocation to call site"),
    "PTO304": _Entry("loop_buffer", "Slice '{}' from one buffer of the caller"),
    "PTO403": _Entry("pack_tensors", "Pack boundary tensors of '{}' into one"),
    "PTO101": _HOIST,
    "PTO201": _HOIST,
    "PTO301": _HOIST,
    "PTO106": _Entry("remove_scalar", "Remove '{}'"),
    "PTO601": _Entry("launches.grids", "Launch '{}' with pl.spmd(1, …)"),
    "PTO602": _Entry("task_edit", "Write the number of the guard of '{}' out"),
    "PTO603": _Entry("task_edit", "Give '{}' an index for every dimension"),
    "PTO605": _Entry("launches.handles", "Wait for the task that writes '{}'"),
    "PTO606": _Entry("task_edit", "Write the waits of '{}' as a list"),
    "PTO607": _Entry("launches.entries", "List '{}' in one way only"),
    "PTO608": _Entry("launches.forms", "Submit '{}', so that it takes waits"),
    "PTO609": _Entry("launches.grids", "Bind the task id of '{}'"),
    "PTO610": _Entry("launches.entries", "Remove '{}' from deps="),
    "PTO611": _Entry("launches.handles", "Keep the tasks of '{}' in an array"),
    "PTO612": _Entry("launches.loop_kind", "Make the loop a pl.range"),
    "PTO613": _Entry("launches.forms", "Unpack the results of '{}'"),
    "PTO614": _Entry("launches.scopes", "Remove the inner '{}'"),
    "PTO615": _Entry("task_edit", "Remove '{}' from no_dep_args"),
    "PTO616": _Entry("launches.scopes", "Launch without the cluster"),
    "PTO618": _Entry("launches.forms", "Call the kernel instead of '{}'"),
    "PTO619": _Entry("task_edit", "Write deps= of '{}'"),
    "PTO620": _Entry("launches.entries", "Correct allow_early_resolve of '{}'"),
    "PTO621": _Entry("launches.arrays", "Give '{}' enough slots"),
    "PTO622": _Entry("task_edit", "Read the result instead of '{}'"),
    "PTO722": _Entry("launches.handles", "Carry '{}' around the loop in an array"),
    "PTO604": _WAIT,
    "PTO701": _WAIT,
    "PTO702": _Entry("launches.scratch", "Keep iterations from overwriting '{}'"),
    "PTO703": _WAIT,
    "PTO704": _Entry("launches.loop_kind", "Make the loop over '{}' a pl.range"),
    "PTO712": _Entry("launches.order", "Wait for all tasks of '{}'"),
    "PTO705": _WAIT,
    "PTO706": _WAIT,
    "PTO707": _WAIT,
    "PTO708": _Entry("launches.opt_outs", "Track '{}' again"),
    "PTO709": _WAIT,
    "PTO710": _WAIT,
    "PTO718": _WAIT,
    "PTO711": _Entry("launches.opt_outs", "Opt '{}' out"),
    "PTO713": _Entry("launches.arrays", "Make '{}' as long as it is filled"),
    "PTO714": _Entry("launches.entries", "Remove '{}' from deps="),
    "PTO715": _Entry("task_edit", "Declare '{}' as InOut"),
    "PTO716": _Entry("launches.guards", "Guard the reader of '{}' alike"),
    "PTO717": _Entry("launches.guards", "Write '{}' before it is read"),
    "PTO719": _Entry("launches.scopes", "Track the write of '{}'"),
    "PTO720": _Entry("task_edit", "Declare '{}' as an output"),
    "PTO721": _Entry("task_edit", "Store into '{}'"),
    "PTO723": _Entry("launches.loop_kind", "Carry '{}' in a pl.range"),
    "PTO724": _Entry("launches.option", "Call it without the option"),
    "PTO803": _Entry("task_edit", "Remove the second '{}' from deps="),
    "PTO801": _Entry("launches.entries", "Remove '{}' from deps="),
    "PTO802": _Entry("launches.entries", "Remove '{}' from deps="),
    "PTO804": _Entry("launches.entries", "Mark '{}' as unused"),
    "PTO805": _Entry("launches.loop_kind", "Make the loop over '{}' parallel"),
    "PTO806": _Entry("launches.loop_kind", "Make all loops over '{}' parallel"),
    "PTO807": _Entry("launches.grids", "Write '{}' in one pl.spmd launch"),
    "PTO808": _Entry("launches.grids", "Accumulate into '{}' in one pl.spmd launch"),
    "PTO809": _Entry("task_edit", "Declare '{}' as Out"),
    "PTO811": _Entry("launches.dummies", "Join the tasks of '{}' in a task_dummy"),
    "PTO812": _Entry("launches.entries", "Remove allow_early_resolve of '{}'"),
    "PTO813": _Entry("launches.dummies", "Remove '{}'"),
    "PTO815": _Entry("launches.dead", "Remove the task and '{}'"),
    "PTO816": _Entry("launches.opt_outs", "Remove the opt-out of '{}'"),
    "PTO817": _Entry("launches.scopes", "Remove the manual_scope"),
    "PTO818": _Entry("launches.scratch", "Allocate '{}' in the loop"),
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
