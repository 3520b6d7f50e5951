"""Lines of C++ and the names in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from pto_lsp.analysis.ir.place import Place

_WORD = re.compile(r"[A-Za-z_]\w*")
_RESERVED = frozenset(
    """
    alignas alignof and asm auto bool break case catch char class const constexpr continue decltype default delete do
    double else enum explicit export extern false float for friend goto if inline int long mutable namespace new
    noexcept not nullptr operator or private protected public register return short signed sizeof static struct switch
    template this throw true try typedef typeid typename union unsigned using virtual void volatile while xor args std
    main window without_axes int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t hostmodel size_t
    NULL errno assert abs min max exit abort free malloc div
    aicpu_orchestration_config aicpu_orchestration_entry PTO2OrchestrationConfig ChipTaskArgs GraphTaskArgs CoreTaskArgs
    CoreTaskArgsWithDeps Arg ChipTensor Tensor TensorCreateInfo TaskOutputTensors MixedKernels DataType PTO2TaskId
    PTO2ScopeMode PTO2ScopeGuard PTO2_SCOPE PTO2_SCOPE_GUARD GraphSubmitResult GRAPH_KEY CoreTaskPredicate PredicateOp
    alloc_tensors make_tensor_external make_tensor_strided get_tensor_data set_tensor_data from_u64 to_u64
    rt_submit_aic_task rt_submit_aiv_task rt_submit_task rt_submit_dummy_task rt_submit_graph rt_scope_begin
    rt_scope_end rt_is_fatal rt_report_fatal rt_available_cluster_count rt_available_aic_count rt_available_aiv_count
    always_assert debug_assert LOG_ERROR LOG_WARN LOG_TIMING LOG_INFO LOG_DEBUG INT64_C
    """.split()
)


class Line(NamedTuple):
    """``declares`` is the name that the line only gives a value to, "" for others; ``place`` what it was made from."""

    text: str
    declares: str
    place: Place | None


class Lines:
    """Indented lines, four columns a level. Declarations know their name, so that unused ones can be left out.

    Lines are made from what is at ``place`` until it is set anew.
    """

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._depth = 0
        self.place: Place | None = None

    def add(self, line: str) -> None:
        self.declare("", line)

    def declare(self, name: str, line: str) -> None:
        """``line`` has no effect but to give ``name`` a value."""
        self._lines.append(Line("    " * self._depth + line if line else "", name, self.place))

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """``head {`` … ``}``."""
        self.add(f"{head} {{")
        place = self.place
        self._depth += 1
        yield
        self._depth -= 1
        self.place = place
        self.add("}")

    def mark(self) -> int:
        return len(self._lines)

    def cut(self, mark: int) -> None:
        """Forget everything since ``mark``."""
        del self._lines[mark:]

    def take(self, mark: int) -> list[Line]:
        """Remove everything since ``mark``, to `put` it back one level deeper."""
        taken = self._lines[mark:]
        del self._lines[mark:]
        return taken

    def put(self, lines: list[Line]) -> None:
        self._lines += [line._replace(text=f"    {line.text}" if line.text else "") for line in lines]

    def append(self, others: Lines, used: bool = False) -> None:
        """Add ``others`` at this level; with ``used`` without declarations of what nothing uses."""
        pad = "    " * self._depth
        for line in others.used() if used else others.all():
            self._lines.append(line._replace(text=pad + line.text if line.text else "", declares=""))

    def all(self) -> list[Line]:
        return self._lines

    def used(self) -> list[Line]:
        """All lines but declarations of what nothing uses."""
        uses = Counter(word for line in self._lines for word in set(_WORD.findall(_code(line.text))))
        kept = list(self._lines)
        while True:
            unused = [line for line in kept if line.declares and uses[line.declares] <= 1]
            if not unused:
                return kept
            for line in unused:
                uses.subtract(set(_WORD.findall(_code(line.text))))
            gone = {id(line) for line in unused}
            kept = [line for line in kept if id(line) not in gone]


def _code(line: str) -> str:
    return line.partition("//")[0]


class Names:
    """Identifiers of one C++ function: the author's names, numbered where one is taken."""

    def __init__(self) -> None:
        self._taken: set[str] = set(_RESERVED)

    def fresh(self, wish: str) -> str:
        """An identifier like ``wish`` that nothing else here has."""
        base = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in wish).strip("_") or "value"
        base = f"v{base}" if base[0].isdigit() else base
        while "__" in base:
            base = base.replace("__", "_")
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name

    def taken(self) -> set[str]:
        return set(self._taken)

    def forget_all_but(self, taken: set[str]) -> None:
        self._taken = set(taken)
