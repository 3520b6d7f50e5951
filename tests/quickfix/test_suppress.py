"""The comment that silences a finding: where it goes, and that it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.quickfix.edits import apply_edits
from pto_lsp.quickfix.suppress import suppression
from tests.quickfix.kernels import jit
from tests.quickfix.workbench import Workbench

GRAPH = """\
@pl.jit.graph
def layer(w: <W>, acc: pl.InOut[<T>], 序号: <I>):
    {binding}
    acc = row(w, base, acc)
    return acc
"""


@pytest.mark.parametrize(
    ("binding", "silenced"),
    [
        ("base = 序号 * 64", "base = 序号 * 64  # pto: ignore[PTO101]"),
        ("base = 序号 * 64  # rows", "base = 序号 * 64  # rows  # pto: ignore[PTO101]"),
        ("base = 序号 * 64  # pto: ignore[PTO999]", "base = 序号 * 64  # pto: ignore[PTO999, PTO101]"),
        ("base = (\n        序号 * 64\n    )", "base = (\n        序号 * 64\n    )  # pto: ignore[PTO101]"),
        ("base = 序号 \\\n        * 64", "base = 序号 \\\n        * 64  # pto: ignore[PTO101]"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_it_stands_behind_the_last_line(binding: str, silenced: str, end: str, tmp_path: Path) -> None:
    before, after = (jit(GRAPH.replace("{binding}", text)).replace("\n", end) for text in (binding, silenced))
    bench = Workbench(tmp_path, {"layer.py": before})
    module = bench.project.module(bench.path("layer.py"))
    assert module is not None
    edit = suppression(module, bench.finding("PTO101"))
    assert edit is not None
    assert apply_edits(before, (edit,)) == after
    bench.project.open(bench.path("layer.py"), after)
    assert [d for d in bench.findings() if d.code == "PTO101"] == []
