"""Every command and every code block of the documentation, run in an empty folder and compared."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pto_lsp.config import KEYS
from tests.documentation.pages import Session, blocks, rewritten

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))
PROJECT_COMMANDS = {"vscode.md": {"sh"}}
"""Languages of blocks with the project's own build commands, which the continuous integration runs."""


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "page"
    path.mkdir()
    return path


@pytest.mark.parametrize("name", PAGES)
def test_commands_print_what_the_page_says(name: str, folder: Path) -> None:
    assert rewritten(page(name), folder) == page(name)


def test_the_comparison_can_fail(folder: Path) -> None:
    text = "```console\n$ pto-lsp --version\npto-lsp 99\n```\n"
    assert rewritten(text, folder) != text
    text = "<!-- exit: 0 -->\n```console\n$ pto-lsp check gone\npto-lsp: error: gone: no such file or directory\n```\n"
    assert "exit code 2" in rewritten(text, folder)


@pytest.mark.parametrize("name", PAGES)
def test_every_block_is_text_of_its_language(name: str, folder: Path) -> None:
    text = page(name)
    found = list(blocks(text))
    assert len(found) == len(re.findall(r"^ *```\w", text, re.MULTILINE)), "some block is not understood"
    session = Session(folder)
    for block in found:
        if block.mark == "file":
            session.actual(block)
        if block.language == "toml":
            tomllib.loads(block.body)
        elif block.language == "yaml":
            assert isinstance(yaml.safe_load(block.body), dict)
            for command in re.findall(r"- (?:run: )?(pto-lsp .+)", block.body):
                done = subprocess.run(
                    [sys.executable, "-m", *command.replace("pto-lsp", "pto_lsp", 1).split()],
                    cwd=folder,
                    capture_output=True,
                    check=False,
                    timeout=60,
                )
                assert done.returncode in (0, 1), (command, done.stderr)
        elif block.language == "json":
            json.loads(block.body)
        elif block.language in ("lua", "lisp"):
            assert _balanced(block.body)
        elif block.language == "python":
            compile(_dedented(block.body), name, "exec")
        else:
            assert block.language in {"console", "cpp", "mermaid"} | PROJECT_COMMANDS.get(name, set()), block.language


def _dedented(text: str) -> str:
    indent = len(text) - len(text.lstrip())
    return "\n".join(line[indent:] for line in text.splitlines())


def _balanced(text: str) -> bool:
    stack = []
    for char in re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", "", text):
        if char in "([{":
            stack.append(char)
        elif char in ")]}" and (not stack or stack.pop() + char not in ("()", "[]", "{}")):
            return False
    return not stack


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page(name)):
        assert (DOCS / target).exists(), target


def test_the_site_lists_every_page_and_every_setting_is_described() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = set(re.findall(r"[\w/-]+\.md", json.dumps(site["nav"])))
    editors = {f"editors/{path.name}" for path in DOCS.glob("editors/*.md")}
    assert editors
    assert listed == {*PAGES, *editors, "rules/index.md"}
    assert editors == set(re.findall(r"\((editors/\w+\.md)\)", page("editors.md")))
    assert all(f"`{key}`" in page("configuration.md") for key in KEYS)


def test_hooks_of_the_recipe_are_there() -> None:
    (config,) = [yaml.safe_load(b.body) for b in blocks(page("ci.md")) if b.value == ".pre-commit-config.yaml"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {hook["id"] for hook in config["repos"][0]["hooks"]} == {hook["id"] for hook in hooks}


def test_a_new_rule_is_a_module_that_the_registry_can_load(tmp_path: Path) -> None:
    match = re.search(r"`python (scripts/add_rule.py .+)`", page("adding-a-rule.md"))
    assert match is not None
    words = [sys.executable, *shlex.split(match[1]), "--folder", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "wrote pto899_useless_barrier.py\n"
    names: dict[str, object] = {}
    exec(compile((tmp_path / "pto899_useless_barrier.py").read_text(encoding="utf-8"), "rule", "exec"), names)
    assert "PTO899" in str(names["RULE"])
    again = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert again.returncode == 2 and "is taken by pto899_useless_barrier.py" in again.stderr


@pytest.mark.slow
def test_the_site_builds(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "tutorial" / "index.html").exists()
