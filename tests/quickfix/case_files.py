"""Reads the cases in ``cases/*.txt``.

A case begins with ``=== title: CODE subject``; its files follow, each after ``--- name [prelude]``, where the prelude
(jit or program, none by default) is put before the text; with regions or kernels the text is the body of an entry in
the frames of the task rules' examples. Last comes ``--- expected`` with what `Workbench.changes`
says, in short types, or ``refused: why``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pto_lsp.analysis.rules.graph_frames import kernels, regions
from pto_lsp.quickfix.rewriter import Refused
from tests.quickfix.kernels import full, jit, program, short
from tests.quickfix.workbench import Workbench

FOLDER = Path(__file__).with_name("cases")
_PRELUDES = {"": full, "jit": jit, "program": program, "regions": regions, "kernels": kernels}


@dataclass(frozen=True, slots=True)
class Case:
    title: str
    code: str
    subject: str
    files: dict[str, str]
    expected: str

    def outcome(self, root: Path) -> str:
        bench = Workbench(root, self.files)
        try:
            return short(bench.changes(self.code, self.subject))
        except Refused as refused:
            return f"refused: {refused}\n"


def read(name: str) -> list[Case]:
    """The cases of one file."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [_case(part) for part in text.split("\n=== ")[1:]]


def _case(text: str) -> Case:
    head, *parts = text.split("\n--- ")
    title, _, about = head.strip().rpartition(": ")
    code, _, subject = about.partition(" ")
    files: dict[str, str] = {}
    for part in parts[:-1]:
        first, _, body = part.partition("\n")
        name, _, prelude = first.partition(" ")
        files[name] = _PRELUDES[prelude.strip("[]")](body.rstrip("\n") + "\n")
    return Case(title, code, subject, files, parts[-1].partition("\n")[2].rstrip("\n") + "\n")
