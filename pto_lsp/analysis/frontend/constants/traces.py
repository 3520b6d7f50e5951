"""Memory of evaluations: parsed chunks, and what each module did when it was evaluated."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from pto_lsp.analysis.frontend.constants.chunk_code import ChunkCache, ChunkCode
from pto_lsp.analysis.frontend.constants.importer import ModuleSource
from pto_lsp.analysis.frontend.constants.module_state import ModuleState
from pto_lsp.analysis.frontend.constants.values import Value
from pto_lsp.analysis.node import node
from pto_lsp.analysis.source.document import Chunk

_TRACES_PER_MODULE = 8


@node
class Trace:
    """``code`` is what was evaluated; ``steps`` are tuples: a word, then its operands and result, see ``Session``."""

    code: tuple[ChunkCode, ...]
    main: bool
    steps: list[tuple[Any, ...]]
    state: ModuleState

    def values(self) -> Iterator[Value]:
        """Everything that the module has got, made or given away, as far as others can hold it as well."""
        yield from self.state.names.values()
        for step in self.steps:
            if step[0] in ("read", "write"):
                yield step[3]
            elif step[0] == "public":
                yield from step[2].values()


class ConstantCache:
    """What evaluations share: parsed chunks and traces. Owned by the project; safe to drop at any time."""

    def __init__(self, capacity: int = 512) -> None:
        self.chunks = ChunkCache()
        self._capacity = capacity
        self._traces: OrderedDict[str, list[Trace]] = OrderedDict()
        self._codes: dict[str, tuple[Sequence[Chunk] | None, tuple[ChunkCode, ...]]] = {}

    def forget_all_but(self, files: AbstractSet[str]) -> None:
        """Forget what other modules did."""
        for path in self._traces.keys() - files:
            del self._traces[path]
        for path in self._codes.keys() - files:
            del self._codes[path]

    def code(self, source: ModuleSource) -> tuple[ChunkCode, ...]:
        """Code of the chunks of a module; parsed anew only where ``source.chunks`` is another list than last time."""
        chunks, code = self._codes.get(source.path, (None, ()))
        if chunks is not source.chunks:
            get = self.chunks.get
            code = tuple([get(chunk) for chunk in source.chunks])
            self._codes[source.path] = source.chunks, code
        return code

    def traces(self, path: str) -> list[Trace]:
        """Latest first."""
        return self._traces.get(path, [])

    def add(self, path: str, trace: Trace) -> None:
        self._traces[path] = [trace, *self._traces.get(path, [])[: _TRACES_PER_MODULE - 1]]
        self._traces.move_to_end(path)
        if len(self._traces) > self._capacity:
            path, _ = self._traces.popitem(last=False)
            self._codes.pop(path, None)

    def prefer(self, path: str, trace: Trace) -> None:
        """``trace`` was of use."""
        if path in self._traces:
            self._traces[path] = [trace, *(each for each in self._traces[path] if each is not trace)]
            self._traces.move_to_end(path)


def without_repeats(steps: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The steps without reads that follow a read of the same name with nothing but reads between."""
    kept: list[tuple[Any, ...]] = []
    seen: set[tuple[str, str]] = set()
    for step in steps:
        if step[0] != "read":
            seen.clear()
        elif (step[1], step[2]) in seen:
            continue
        else:
            seen.add((step[1], step[2]))
        kept.append(step)
    return kept
