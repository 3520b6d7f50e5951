"""Editor, command line and hook say the same of every example: of the rules' pages and of the programs that ship."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pto_lsp.analysis.rules import registry
from pto_lsp.analysis.rules.rule import unmark
from tests.cli.command import EXAMPLES
from tests.pre_commit.test_hooks import Repository, hook
from tests.support.client import PULLING, RawClient

pytestmark = pytest.mark.long

_LINE = re.compile(r"(.+?\.py):(\d+):(\d+): (PTO\d{3}) (.+)")
Finding = tuple[str, int, int, str, str]


def write_examples(folder: Path) -> list[str]:
    """Names of all programs, below ``folder``."""
    for rule in registry.rules():
        for number, example in enumerate(rule.examples):
            values = "".join(f"{key} = {value}\n" for key, value in example.settings)
            for kind, text in (("bad", unmark(example.bad)[0]), ("good", example.good)):
                place = folder / f"{rule.code}_{number}_{kind}"
                place.mkdir()
                (place / "pto-lsp.toml").write_text(values, encoding="utf-8")
                (place / "program.py").write_text(text, encoding="utf-8")
    shutil.copytree(EXAMPLES, folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.py"))


def read(output: str) -> list[Finding]:
    matches = filter(None, map(_LINE.fullmatch, output.splitlines()))
    return sorted((m[1], int(m[2]), int(m[3]), m[4], m[5]) for m in matches)


def in_the_editor(folder: Path, names: list[str]) -> list[Finding]:
    found: list[Finding] = []
    abilities = {**PULLING, "general": {"positionEncodings": ["utf-32"]}}
    with RawClient([sys.executable, "-m", "pto_lsp"], cwd=folder) as client:
        client.initialize(abilities, rootUri=folder.as_uri())
        for name in names:
            uri = (folder / name).as_uri()
            client.open(uri, (folder / name).read_text(encoding="utf-8"))
            for each in client.answer(client.pull(uri))["result"]["items"]:
                start = each["range"]["start"]
                message = " ".join(each["message"].split())
                found.append((name, start["line"] + 1, start["character"] + 1, each["code"], message))
            client.close(uri)
        assert client.leave() == 0
    return sorted(found)


def test_editor_command_line_and_hook_agree(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r", [hook("pto-check", args=["--fail-on", "hint"])])
    names = write_examples(repository.root)
    done = subprocess.run(
        [sys.executable, "-m", "pto_lsp", "check", "--jobs", "1"],
        cwd=repository.root,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    by_command = read(done.stdout)
    assert {found[3] for found in by_command} >= {"PTO001", "PTO101", "PTO201", "PTO701", "PTO801"}
    repository.git("add", "-A")
    code, output = repository.run()
    assert code == 1
    assert read(output) == by_command
    assert in_the_editor(repository.root, names) == by_command
