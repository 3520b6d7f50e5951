"""What the host code of a program must not do, because execution on arrays would silently leave it out."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Call, Op, Submit
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.visitor import statement_exprs, walk, walk_block
from pto_lsp.analysis.replay.allocations import CREATES
from pto_lsp.analysis.replay.evaluate import Evaluator
from pto_lsp.backend.execution.errors import NotExecutable

_MOVES_DATA = frozenset({"tensor.assemble", "tensor.write"})
_FOLLOWED = (frozenset(Evaluator.OPERATORS) | CREATES | {"system.task_dummy"}) - _MOVES_DATA


def check_host_code(program: Program, entry: Function) -> None:
    """Raise `NotExecutable` at the first operator, outside kernels, whose effect on data would be lost."""
    seen = {entry.key}
    waiting = [entry]
    while waiting:
        function = waiting.pop()
        if not function.complete:
            raise NotExecutable(
                f"'{function.name}' is not understood completely", place(function.at, function.name_span)
            )
        for stmt in walk_block(function.body or ()):
            for each in [part for expr in statement_exprs(stmt) for part in walk(expr)]:
                if isinstance(each, Op) and each.name not in _FOLLOWED:
                    raise NotExecutable(f"'pl.{each.name}' outside kernels is not executed", place(stmt.at, each.span))
                if isinstance(each, (Call, Submit)) and each.callee not in seen:
                    seen.add(each.callee)
                    callee = program.functions.get(each.callee)
                    if callee is not None and not callee.kind.is_kernel:
                        waiting.append(callee)
