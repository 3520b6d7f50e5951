"""A real Emacs with eglot and the configuration that the documentation gives."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.editors.pages import config, environment
from tests.editors.programs import SCOPE, SCOPE_FIXED

SCRIPT = Path(__file__).with_name("emacs.el")


def has_eglot() -> bool:
    if shutil.which("emacs") is None:
        return False
    command = ["emacs", "--batch", "--eval", "(package-initialize)", "--eval", "(require 'eglot)"]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0


@pytest.mark.long
def test_marks_a_repair_and_undo(tmp_path: Path) -> None:
    if not has_eglot():
        pytest.skip("needs Emacs with eglot")
    (tmp_path / "scope.py").write_text(SCOPE)
    (tmp_path / "init.el").write_text(config("emacs.md", "init.el"))
    done = subprocess.run(
        ["emacs", "--batch", "-l", str(SCRIPT)],
        env={
            **environment(tmp_path),
            "PTO_FILE": str(tmp_path / "scope.py"),
            "PTO_CONFIG": str(tmp_path / "init.el"),
            "PTO_TITLE": "Hoist",
        },
        capture_output=True,
        timeout=120,
        check=True,
    )
    seen = json.loads(done.stdout)
    assert seen == {"marked": ["base"], "fixed": SCOPE_FIXED, "clean": True, "undone": SCOPE, "back": ["base"]}
