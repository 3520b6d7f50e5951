"""``pto-lsp graph --unroll`` on orchestrations of which the real runtime's waits are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.labelled import SPEC, document, rows

LABELLED = SPEC / "tasks" / "labelled-orchestrations.jsonl"

pytestmark = pytest.mark.skipif(not LABELLED.exists(), reason="no labelled orchestrations beside the project")


def test_tasks_and_waits_are_the_runtimes(tmp_path: Path) -> None:
    wrong = {}
    for row in rows(LABELLED):
        code, found = document(tmp_path, row["source"], "graph", "--unroll")
        unrolled = found["unrolled"]
        tasks = [task["kernel"] for task in unrolled["tasks"]]
        edges = sorted([edge["pred"], edge["succ"]] for edge in unrolled["edges"])
        if (code, tasks) != (0, row["tasks"]):
            wrong[row["id"]] = f"exit code {code}, tasks {tasks}"
        elif edges != sorted(row["edges"]):
            wrong[row["id"]] = f"edges {edges}"
        elif unrolled["waits_for_allocation"] != row["waits_for_allocation"]:
            wrong[row["id"]] = f"waits for allocation {unrolled['waits_for_allocation']}"
    assert wrong == {}
