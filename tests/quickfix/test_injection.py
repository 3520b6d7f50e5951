"""The script that brings findings into real sources and repairs them, on the project's own examples."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("folder", ["tutorial", "moe"])
def test_nothing_is_broken(folder: str) -> None:
    script, sources = ROOT / "scripts/inject_findings.py", ROOT / "examples" / folder
    command = [sys.executable, str(script), str(sources), "--each", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    head, repairs, *_ = done.stdout.splitlines()
    assert " 0 changes" not in head and repairs.endswith(" 0 broken")
    assert "Graph function of a" in done.stdout and "PTO201" in done.stdout
