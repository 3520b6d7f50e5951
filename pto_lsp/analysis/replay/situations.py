"""A Graph body in one of its calls, evaluated on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from pto_lsp.analysis.ir.expressions import Var
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.replay.call_sequence import Situation
from pto_lsp.analysis.replay.demand import Demand, Lineage, Slice
from pto_lsp.analysis.replay.evaluate import Reader
from pto_lsp.analysis.replay.returns import returned_params
from pto_lsp.analysis.replay.values import Tensor, Value


class Body(Demand):
    """Parameters are looked up when a value needs them: ``env`` tells which it did."""

    def __init__(
        self,
        slice_: Slice,
        argument: Callable[[str], Value],
        symbols: Mapping[str, int],
        read: Reader,
        lineage: Lineage,
    ) -> None:
        super().__init__(slice_, {}, symbols, read, lineage)
        self._argument = argument

    def variable(self, var: Var) -> Value:
        if var.name not in self.env:
            argument = self._argument(var.name)
            if argument is not None:
                self.env[var.name] = argument
        return super().variable(var)


def body_in(graph: Function, slice_: Slice, situation: Situation, lineage: Lineage) -> Body:
    """``graph`` in the call of ``situation``; boundary tensors know their slot."""
    caller = situation.caller
    arguments = {
        param.name: (position, arg) for position, (param, arg) in enumerate(zip(graph.params, situation.arguments))
    }

    def argument(name: str) -> Value:
        found = arguments.get(name)
        if found is None:
            return None
        value = caller.value(found[1])
        return replace(value, slot=found[0]) if isinstance(value, Tensor) else value

    return Body(slice_, argument, caller.symbols, caller.read, lineage)


class Returns:
    """Which parameter each result of a callee is, read once per function."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, tuple[int | None, ...]] = {}

    def lineage(self, key: str, index: int) -> int | None:
        returned = self._known.get(key)
        if returned is None:
            callee = self._program.functions.get(key)
            returned = self._known[key] = returned_params(callee, self._program) if callee is not None else ()
        return returned[index] if index < len(returned) else None
