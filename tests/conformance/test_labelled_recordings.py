"""``pto-lsp replay`` on programs of which the real recorder's tables are known (recorded-definitions.md)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.labelled import SPEC, document, rows

RECORDED = SPEC / "runtime" / "recorded-definitions.jsonl"
PROGRAMS = SPEC / "graph" / "labelled-programs.jsonl"

pytestmark = pytest.mark.skipif(
    not (RECORDED.exists() and PROGRAMS.exists()), reason="no recorded definitions beside the project"
)


def test_submissions_and_definitions_are_the_recorders(tmp_path: Path) -> None:
    programs = {row["id"]: row["source"] for row in map(json.loads, PROGRAMS.read_text("utf-8").splitlines())}
    wrong = []
    for row in rows(RECORDED):
        _, found = document(tmp_path, programs[row["id"]], "replay")
        if any(found[key] != row[key] for key in ("submissions", "definitions")):
            wrong.append(row["id"])
    assert wrong == []
