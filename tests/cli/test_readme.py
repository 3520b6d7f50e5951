"""What the README promises about commands, settings and rules is there."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from pto_lsp.cli import COMMANDS
from pto_lsp.config import KEYS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_setting_is_described() -> None:
    assert all(f"`{key}`" in README for key in KEYS)


def test_every_command_is_described() -> None:
    assert all(f"pto-lsp {name}" in README for name in COMMANDS if name != "server")


def test_the_commands_for_users_are_marked_for_the_ci() -> None:
    assert re.findall(r"^<!-- command: (\w+) -->\n```sh\n.+\n```$", README, re.MULTILINE) == ["run", "test"]


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def imports(path: Path) -> set[str]:
    """The top-level names of what a module imports, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module.partition(".")[0])
    return found


def test_the_protocol_libraries_stay_in_the_server() -> None:
    package = ROOT / "pto_lsp"
    for path in package.rglob("*.py"):
        if "server" not in path.relative_to(package).parts[:1]:
            assert not imports(path) & {"pygls", "lsprotocol", "attrs", "cattrs"}, path


def test_reporters_know_only_findings() -> None:
    for path in (ROOT / "pto_lsp" / "reporters").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        modules = set(re.findall(r"^\s*from (pto_lsp\.\w+)", text, re.MULTILINE))
        assert modules <= {"pto_lsp.diagnostics", "pto_lsp.reporters"}, path


def test_every_command_works(tmp_path: Path) -> None:
    """Those without a mark, which CI runs; with the names of files as the page has them."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "examples").symlink_to(ROOT / "examples")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    blocks = re.findall(r"(?<!-->\n)```sh\n(.*?)```", README, re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    assert len(commands) >= 3
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "pto-lsp"
        done = subprocess.run(
            [sys.executable, "-m", "pto_lsp", *words[1:]], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
