"""Which parameter of a callee each of its results is (rules.md B3, B4, R10, R11)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Call, Expr, Submit
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.passes.return_lineage import BodyLineage, ReturnLineage, body_lineage


class ReturnMaps:
    """Return positions of a program's functions, each traced once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.lineage = ReturnLineage(program)

    def function(self, callee: str) -> Function | None:
        return self._program.functions.get(callee)

    def written_back(self, launch: Call | Submit, position: int) -> Expr | None:
        """The argument that result ``position`` of ``launch`` is; None where it is another buffer or not known."""
        known = self.lineage.of(launch.callee)
        if known is None or position >= len(known):
            return None
        index = known[position].param
        # A submit may leave out trailing Out parameters: their buffers are made by the runtime (B4).
        return launch.args[index] if index is not None and index < len(launch.args) else None

    def is_known(self, launch: Call | Submit, position: int) -> bool:
        """Whether ``written_back`` says None because the result is a buffer of its own."""
        known = self.lineage.of(launch.callee)
        return known is not None and (position >= len(known) or known[position].known)

    def joined(self, function: Function) -> BodyLineage:
        """Where the values of ``function`` live, branches looked through."""
        return body_lineage(function, self._program)
