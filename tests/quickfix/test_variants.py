"""What holds for every repair, on the many programs that break a rule of the task graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.quickfix.registry import FIXABLE
from pto_lsp.quickfix.rewriter import Refused
from tests.quickfix.test_invariants import REVEALED, loud
from tests.quickfix.workbench import Workbench
from tests.task_graph.variants import Variant, variants

BAD = [variant for variant in variants() if variant.bad and variant.code in FIXABLE]


@pytest.mark.parametrize("variant", BAD, ids=lambda variant: variant.name)
def test_repaired_or_refused(variant: Variant, tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"layer.py": variant.text})
    before = loud(bench)
    found = [each for each in bench.findings() if each.code == variant.code]
    try:
        fix = bench.engine.attempt(bench.path("layer.py"), found[0])
    except Refused:
        return
    bench.apply(fix)
    assert len([each for each in bench.findings() if each.code == variant.code]) < len(found)
    new = {code for code, _ in loud(bench)} - {code for code, _ in before}
    assert new <= {code for code, _ in REVEALED.get(variant.code, set())} | {"PTO705", "PTO713", "PTO714"}


def test_few_are_refused(tmp_path: Path) -> None:
    """Most can be repaired: a refusal has to have a reason."""
    refused = []
    for number, variant in enumerate(BAD):
        bench = Workbench(tmp_path / str(number), {"layer.py": variant.text})
        try:
            bench.fix(variant.code)
        except Refused as why:
            refused.append((variant.name, str(why)))
    assert len(refused) < len(BAD) // 6, refused
