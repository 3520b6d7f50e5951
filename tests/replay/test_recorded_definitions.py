"""The simulator's tables against what the real recorder stored for 145 programs (recorded-definitions.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.replay.compare import Cause
from pto_lsp.analysis.replay.document import replay_document
from pto_lsp.analysis.replay.simulation import simulate
from tests.replay.sources import Sources

DATA = Path(__file__).parents[1] / "data" / "recorded-definitions.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("conformance", ["reference", "extended"])
def test_the_tables_are_the_recorders(conformance: Conformance) -> None:
    wrong = []
    sources = Sources(conformance)
    for row in ROWS:
        source = sources.read(row["source"])
        legal = simulate(source.legal, "main")
        document = replay_document(simulate(source.program, "main"), legal)
        if document["submissions"] != row["submissions"] or document["definitions"] != row["definitions"]:
            wrong.append(row["id"])
        assert legal.problems == () or all("empty view" in problem for problem in legal.problems), row["id"]
        assert {d.cause for call in legal.calls for d in call.differences} <= {Cause.ALIASED}, row["id"]
    assert wrong == []
