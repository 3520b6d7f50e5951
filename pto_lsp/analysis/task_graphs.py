"""Task graphs of a program that the passes have been run over, with the directions the passes derive."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.program import Param, Program
from pto_lsp.analysis.ir.statements import For
from pto_lsp.analysis.passes.derive_call_directions import (
    ArgumentDirection,
    Directions,
    Launch,
    Reason,
    call_directions,
)
from pto_lsp.analysis.passes.derive_call_directions import CallDirection as Derived
from pto_lsp.analysis.task_graph.graph import Analyser
from pto_lsp.analysis.task_graph.model import CallDirection

_DIRECTIONS = {
    Derived.INPUT: CallDirection.INPUT,
    Derived.OUTPUT: CallDirection.OUTPUT_EXISTING,
    Derived.OUTPUT_EXISTING: CallDirection.OUTPUT_EXISTING,
    Derived.INOUT: CallDirection.INOUT,
    Derived.NO_DEP: CallDirection.NO_DEP,
    Derived.SCALAR: CallDirection.SCALAR,
}
_PROMOTIONS = (Reason.R_SEQ, Reason.AMBIGUOUS, Reason.R_PRIOR, Reason.R_ENCLOSING)


def task_graphs(program: Program) -> Analyser:
    """What makes the graphs of the functions of ``program``, which is the final stage of the passes."""
    return Analyser(program, _ProgramDirections(program))


class _ProgramDirections:
    """Directions and their reasons by launch, derived for the whole program when the first one is asked for."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._found: dict[Launch, Directions] | None = None

    def __call__(self, launch: Call | Submit) -> tuple[tuple[CallDirection, str], ...]:
        if self._found is None:
            self._found = {}
            for function in self._program.functions.values():
                if function.body is not None and not function.kind.is_kernel:
                    self._found.update(call_directions(self._program, function))
        return tuple([(_DIRECTIONS[each.derived], _why(each)) for each in self._found.get(launch, ())])


def _why(argument: ArgumentDirection) -> str:
    """Why an Out became an InOut, with the loop or parameter that is to blame; "" where it did not."""
    if argument.reason not in _PROMOTIONS:
        return ""
    cause = argument.cause
    if isinstance(cause, For):
        return f"{argument.reason.value} {cause.var.label}"
    return f"{argument.reason.value} {cause.name}" if isinstance(cause, Param) else argument.reason.value
