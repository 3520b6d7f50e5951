"""Order between the queues of a core.

The scheme is the simplest correct one: an instruction begins when the one before it is done. A flag carries that from
queue to queue, and as each queue works in order, everything earlier is done as well. Loads one after the other need
nothing between them. Where control flow joins, the queue that was last in use is not known, and all are drained.
"""

from __future__ import annotations

from pto_lsp.backend.kernels.code import Branch, Instruction, Line, Loop, Node, Pipe

_WITH_FLAG = frozenset(
    (a, b)
    for one, other in (
        (Pipe.LOAD, Pipe.VECTOR),
        (Pipe.VECTOR, Pipe.STORE),
        (Pipe.LOAD, Pipe.STORE),
        (Pipe.LOAD, Pipe.SCALAR),
        (Pipe.VECTOR, Pipe.SCALAR),
        (Pipe.STORE, Pipe.SCALAR),
        (Pipe.LOAD, Pipe.FEED),
        (Pipe.FEED, Pipe.CUBE),
        (Pipe.CUBE, Pipe.DRAIN),
    )
    for a, b in ((one, other), (other, one))
)
_INDEPENDENT = frozenset({Pipe.LOAD, Pipe.FEED, Pipe.SCALAR})
"""Queues whose neighbouring instructions write different places, or are ordered by the processor."""


def synchronised(code: list[Node]) -> list[Node]:
    """``code`` with the waiting that it needs."""
    return _Inserter().block(code)


class _Inserter:
    """``last`` is the queue of the instruction before; ``joined`` when control flow makes that unknown."""

    def __init__(self) -> None:
        self._last: Pipe | None = None
        self._joined = False

    def block(self, block: list[Node]) -> list[Node]:
        result: list[Node] = []
        for node in block:
            if isinstance(node, Instruction):
                result.extend(self._waits(node.pipe))
                result.append(node)
                self._last, self._joined = node.pipe, False
            elif isinstance(node, Loop):
                self._joined = True
                result.append(Loop(node.head, self.block(node.body)))
                self._joined = True
            elif isinstance(node, Branch):
                last, joined = self._last, self._joined
                then = self.block(node.then)
                self._last, self._joined = last, joined
                result.append(Branch(node.condition, then, self.block(node.orelse)))
                self._joined = True
            else:
                result.append(node)
        return result

    def _waits(self, pipe: Pipe) -> list[Node]:
        last = self._last
        if self._joined:
            return [Line("pipe_barrier(PIPE_ALL);")]
        if last is None:
            return []
        if last is pipe:
            return [] if pipe in _INDEPENDENT else [Line(f"pipe_barrier({pipe.value});")]
        if (last, pipe) in _WITH_FLAG:
            pair = f"({last.value}, {pipe.value}, EVENT_ID0);"
            return [Line(f"set_flag{pair}"), Line(f"wait_flag{pair}")]
        return [Line("pipe_barrier(PIPE_ALL);")]
