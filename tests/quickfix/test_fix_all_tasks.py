"""All safe repairs of task launches at once: they end, leave nothing new, and a second run finds nothing to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.config import Settings
from pto_lsp.quickfix.fix_all import FixAll, Repaired
from tests.quickfix.test_invariants import loud
from tests.quickfix.workbench import Workbench
from tests.task_graph.variants import Variant, variants

BAD = [variant for variant in variants() if variant.bad][::2]


def run(bench: Workbench) -> Repaired:
    path = bench.path("layer.py")
    done = FixAll(bench.project, lambda _: str(bench.root), lambda _: Settings()).run([path])
    for each, text in done.texts.items():
        bench.project.open(each, text)
    return done


@pytest.mark.parametrize("variant", BAD, ids=lambda variant: variant.name)
def test_all_at_once(variant: Variant, tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"layer.py": variant.text})
    before = {code for code, _ in loud(bench)}
    run(bench)
    assert {code for code, _ in loud(bench)} <= before | {"PTO705", "PTO714"}
    assert run(bench).fixed == 0
