"""``pto-lsp legalize`` on programs that the reference compiler has judged (labelled-programs.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.labelled import SPEC, Row, document, rows

LABELLED = SPEC / "graph" / "labelled-programs.jsonl"

pytestmark = pytest.mark.skipif(not LABELLED.exists(), reason="no labelled programs beside the project")


def test_verdicts_signatures_and_first_findings_agree(tmp_path: Path) -> None:
    (tmp_path / "pto-lsp.toml").write_text('conformance = "reference"\n')
    wrong = {}
    for row in rows(LABELLED):
        code, found = document(tmp_path, row["source"], "legalize")
        reason = disagreement(row, code, found)
        if reason:
            wrong[row["id"]] = reason
    assert wrong == {}


def disagreement(row: Row, code: int, found: Any) -> str:
    if row["verdict"] == "accepted":
        if code != 0:
            errors = [d["code"] for d in found["diagnostics"] if d["severity"] == "error"]
            return f"accepted, but exit code {code} with {errors}"
        graph = next(function for function in found["functions"] if function["kind"] == "graph")
        parameters = [[parameter["name"], parameter["direction"]] for parameter in graph["parameters"]]
        if parameters != row["parameters"]:
            return f"parameters {parameters}"
        return "" if found["verified"] else "not verified"
    if code != 1:
        return f"refused, but exit code {code}"
    first = row["first"]
    found = [
        {"code": d["code"], "line": d["location"]["row"], "subject": d["subject"]}
        for d in found["diagnostics"]
        if d["severity"] == "error"
    ]
    if any(first.items() <= each.items() for each in found):
        return ""
    return f"{first} is not among {found}"
