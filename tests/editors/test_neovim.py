"""A real Neovim with the configuration that the documentation gives: what its user sees and gets."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.editors.pages import config, environment
from tests.editors.programs import LAYER, LAYER_FIXED, MODEL, MODEL_FIXED, RACE, SCOPE, SCOPE_FIXED

NVIM = shutil.which("nvim", path=str(Path(sys.executable).parent)) or shutil.which("nvim")
SCRIPT = Path(__file__).with_name("neovim.lua")
pytestmark = [pytest.mark.long, pytest.mark.skipif(NVIM is None, reason="needs Neovim 0.11")]

Step = dict[str, Any]


def drive(folder: Path, file: str, *steps: Step, on_save: bool = False) -> tuple[str, list[dict[str, Any]]]:
    """The encoding in use, and what was seen after each step."""
    names = ("init.lua", "on-save.lua") if on_save else ("init.lua",)
    for name in names:
        (folder / name).write_text(config("neovim.md", name))
    assert NVIM is not None
    command = [NVIM, "--headless", "--clean", "-l", str(SCRIPT), str(folder / file), json.dumps(steps)]
    done = subprocess.run(
        [*command, *(str(folder / name) for name in names)],
        env=environment(folder),
        capture_output=True,
        timeout=120,
        check=True,
    )
    told = json.loads(done.stdout)
    return told["encoding"], told["seen"]


def place(text: str, part: str) -> dict[str, int]:
    """Line and column in bytes of the only place with that text."""
    before, found, after = text.partition(part)
    assert found and part not in after
    line = before.rpartition("\n")[2]
    return {"line": before.count("\n"), "column": len(line.encode())}


def test_columns_count_bytes_after_text_of_several_bytes(tmp_path: Path) -> None:
    (tmp_path / "race.py").write_text(RACE)
    encoding, (seen,) = drive(tmp_path, "race.py", {"act": "expect", "codes": "PTO702"})
    assert encoding == "utf-8"
    where = place(RACE, ", s)\n        out")
    assert seen["marks"] == [{"code": "PTO702", "line": where["line"], "column": where["column"] + 2, "text": "s"}]


def test_a_repair_and_undo(tmp_path: Path) -> None:
    (tmp_path / "scope.py").write_text(SCOPE)
    at = place(SCOPE, "base =")
    _, (opened, fixed, gone, undone, back) = drive(
        tmp_path,
        "scope.py",
        {"act": "expect", "codes": "PTO101"},
        {"act": "fix", "title": "Hoist", **at},
        {"act": "expect", "codes": ""},
        {"act": "undo"},
        {"act": "expect", "codes": "PTO101"},
    )
    assert opened["marks"] == [{"code": "PTO101", **at, "text": "base"}]
    assert fixed["result"] and fixed["text"] == SCOPE_FIXED
    assert gone["result"]
    assert undone["text"] == SCOPE
    assert back["marks"] == opened["marks"]


def test_a_line_is_broken_and_healed(tmp_path: Path) -> None:
    (tmp_path / "scope.py").write_text(SCOPE)
    last = SCOPE.count("\n")
    _, seen = drive(
        tmp_path,
        "scope.py",
        {"act": "expect", "codes": "PTO101"},
        {"act": "append", "line": last, "text": "def 坏(:"},
        {"act": "expect", "codes": "PTO001 PTO101"},
        {"act": "delete", "line": last},
        {"act": "expect", "codes": "PTO101"},
    )
    assert all(each["result"] for each in seen)
    assert seen[4]["marks"] == seen[0]["marks"]
    # What was known stays while the text is broken, at its place.
    assert seen[0]["marks"][0] in seen[2]["marks"]


def test_a_repair_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "layer.py").write_text(LAYER)
    (tmp_path / "model.py").write_text(MODEL)
    _, (_, fixed, clean) = drive(
        tmp_path,
        "layer.py",
        {"act": "expect", "codes": "PTO101"},
        {"act": "fix", "title": "Hoist", "other": "model.py", **place(LAYER, "base =")},
        {"act": "expect", "codes": "PTO106"},
    )
    assert fixed["text"] == LAYER_FIXED
    assert fixed["other"] == MODEL_FIXED
    assert clean["result"]


def test_repairs_on_save(tmp_path: Path) -> None:
    (tmp_path / "scope.py").write_text(SCOPE)
    _, (_, written) = drive(tmp_path, "scope.py", {"act": "expect", "codes": "PTO101"}, {"act": "write"}, on_save=True)
    assert written["text"] == SCOPE_FIXED
    assert (tmp_path / "scope.py").read_text() == SCOPE_FIXED


def test_hover_in_bytes(tmp_path: Path) -> None:
    (tmp_path / "race.py").write_text(RACE)
    where = place(RACE, ", s)\n        out")
    _, (_, hovered) = drive(
        tmp_path,
        "race.py",
        {"act": "expect", "codes": "PTO702"},
        {"act": "hover", "line": where["line"], "column": where["column"] + 2},
    )
    assert "pl.Tensor[[128, 128], pl.FP32]" in hovered["result"]
