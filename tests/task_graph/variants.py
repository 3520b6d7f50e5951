"""Programs that break one rule, and ones that nearly do, in several ways of writing (``cases/variants_*.txt``).

A case begins with ``=== CODE bad|ok frame: title``; the frame says what its text is: the body of a ``regions`` or
``kernels`` entry (see the frames of the rules' examples), the body of a ``jit`` entry beside a kernel ``copy``, or a
``full`` module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

from pto_lsp.analysis.rules.graph_frames import kernels, module, regions

_HEAD = re.compile(r"(PTO\d+) (bad|ok) ([\w-]+): (.*)")
_JIT = """\
@pl.jit.incore
def copy(a: <T>, o: pl.Out[<T>]):
    o = pl.store(pl.load(a, [0, 0], [128, 128]), [0, 0], o)
    return o


@pl.jit
def entry(x: <T>, s: pl.Out[<T>], y: pl.Out[<T>]):
"""


@dataclass(frozen=True, slots=True)
class Variant:
    code: str
    bad: bool
    title: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.code}-{'bad' if self.bad else 'ok'}-{self.title}"


def variants() -> Iterator[Variant]:
    for path in sorted(Path(__file__).with_name("cases").glob("variants_*.txt")):
        for part in path.read_text(encoding="utf-8").split("=== ")[1:]:
            head, _, body = part.partition("\n")
            found = _HEAD.fullmatch(head)
            assert found is not None, head
            code, kind, frame, title = found.groups()
            yield Variant(code, kind == "bad", title, _framed(frame, body))


def _framed(frame: str, body: str) -> str:
    if frame == "full":
        return body
    if frame == "jit":
        return module(f"{_JIT}{indent(body.strip(), '    ')}\n    return s, y\n")
    return kernels(body) if frame == "kernels" else regions(body, gate=frame.endswith("gate"))
