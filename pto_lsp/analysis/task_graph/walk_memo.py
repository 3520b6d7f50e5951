"""What a walk takes over from the walk over the last version of its function.

After an edit most of what is submitted is what was submitted before. A walk with such a memory gives buffers, symbols
and views that say the same as before the same identity, so that what was found out about them holds: whether two views
overlap (`edges`), what a task touches and conflicts with (`hazards`). It only remembers values; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import Union

from pto_lsp.analysis.ir.alike import alike
from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import Assign, Evaluate, Unpack
from pto_lsp.analysis.ir.uses import names_of
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.derive_call_directions import Directions
from pto_lsp.analysis.task_graph.model import Argument, Value, Walk
from pto_lsp.analysis.task_graph.regions import Buffer, View, whole
from pto_lsp.analysis.task_graph.scalars import Scalar, Symbol, Symbols

Simple = Union[Assign, Unpack, Evaluate]
Path = tuple[int, ...]
"""The trips of the loops around, outermost first."""


@node
class _Evaluated:
    """``result`` follows from ``stmt``, what its ``names`` stood for, and the symbols it ``asked`` for by key."""

    stmt: Simple
    names: tuple[str, ...]
    values: tuple[Value, ...]
    asked: tuple[tuple[object, Symbol], ...]
    result: Value


@node
class Bound:
    """The arguments of one launch: ``arguments`` and ``scalars``, as a `Task` has them, follow from ``call``, what its
    arguments are worth, and their directions. ``opaque``: one of them could not be traced.
    """

    call: Union[Call, Submit]
    callee: Function
    values: list[Value]
    directions: Directions
    arguments: tuple[Argument, ...]
    scalars: tuple[Scalar | None, ...]
    opaque: bool


class WalkMemo:
    """For one walk. ``close`` it afterwards: then it holds nothing of the walk before any more."""

    def __init__(self, last: Walk, memo: WalkMemo | None) -> None:
        """``last`` is the walk before, ``memo`` what that had."""
        self._buffers: Sequence[Buffer] = last.buffers
        self._known: dict[tuple[int, Path], _Evaluated] = memo._evaluated if memo is not None else {}
        self._views: dict[Buffer, View] = memo._wholes if memo is not None else {}
        self._known_bound: dict[tuple[int, Path], Bound] = memo._bound if memo is not None else {}
        self._evaluated: dict[tuple[int, Path], _Evaluated] = {}
        self._wholes: dict[Buffer, View] = {}
        self._bound: dict[tuple[int, Path], Bound] = {}
        self.symbols = Symbols(last.symbols.made)

    def close(self) -> None:
        self._buffers, self._known, self._views, self._known_bound = (), {}, {}, {}

    def buffer(self, made: Buffer) -> Buffer:
        """``made``, or the buffer that had its number when that says the same."""
        if made.index >= len(self._buffers):
            return made
        known = self._buffers[made.index]
        same = (
            known.label == made.label
            and known.shape == made.shape
            and known.dtype == made.dtype
            and known.owner == made.owner
            and known.direction is made.direction
            and known.manual_dep == made.manual_dep
            and alike(known.at, made.at)
        )
        return known if same else made

    def whole(self, buffer: Buffer) -> View:
        """`regions.whole`, one for each buffer."""
        view = self._wholes[buffer] = self._views.get(buffer) or whole(buffer)
        return view

    def value(self, stmt: Simple, path: Path, env: Mapping[str, Value], evaluate: Callable[[], Value]) -> Value:
        """The value of the right side of ``stmt``, which has no effect but that."""
        key = (id(stmt), path)
        known = self._known.get(key)
        if known is not None and known.stmt is stmt and self._holds(known, env):
            self._evaluated[key] = known
            return known.result
        symbols = self.symbols
        made, symbols.asked = len(symbols.made), []
        result = evaluate()
        asked, symbols.asked = symbols.asked, None
        # A new symbol belongs to this walk alone, and the next one has to make its own.
        if len(symbols.made) == made:
            names = tuple(names_of(stmt.value))
            values = tuple([env.get(name) for name in names])
            # The entry keeps the statement alive, so that no key is used again.
            self._evaluated[key] = _Evaluated(stmt, names, values, tuple(asked), result)
        return result

    def bound(
        self,
        call: Union[Call, Submit],
        callee: Function,
        values: list[Value],
        directions: Directions,
        path: Path,
        make: Callable[[], Bound],
    ) -> Bound:
        """What ``make`` makes of the arguments of ``call``."""
        key = (id(call), path)
        known = self._known_bound.get(key)
        if (
            known is None
            or known.call is not call
            or known.callee is not callee
            or not all(map(_same, known.values, values))
            or known.directions != directions
        ):
            known = make()
        self._bound[key] = known
        return known

    def _holds(self, known: _Evaluated, env: Mapping[str, Value]) -> bool:
        for name, value in zip(known.names, known.values):
            if not _same(value, env.get(name)):
                return False
        return all(self.symbols.known(key) is symbol for key, symbol in known.asked)


def _same(a: Value, b: Value) -> bool:
    if a is b:
        return True
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(is_, a, b))
    return type(a) is type(b) and a == b
