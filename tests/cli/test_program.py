"""What ``legalize``, ``replay`` and ``graph`` have in common: FILE[::ENTRY], settings, bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import IN_CLASS, JIT, pto

COMMANDS = ("legalize", "replay", "graph")
CALLERS = """
@pl.jit.graph
def layer(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    c = add(a, c)
    return c


@pl.jit
def once(a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    c = layer(a, c)
    return c
"""


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(IN_CLASS)
    Path("b.py").write_text(JIT + CALLERS)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["P", "P.main", "main"])
def test_an_entry_is_a_class_or_a_method(command: str, name: str) -> None:
    code, out, err = pto(command, f"a.py::{name}")
    assert code == 0 and out != ""
    assert (code, out, err.replace(f"a.py::{name}", "a.py")) == pto(command, "a.py")


def functions(target: str) -> list[str]:
    code, out, _ = pto("legalize", target, "--format", "json")
    assert code == 0
    return [function["name"] for function in json.loads(out)["functions"]]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("a.py::layer", ["layer", "main"]),
        ("a.py::P.layer", ["layer", "main"]),
        ("b.py", ["block", "stacked"]),
        ("b.py::plain", ["plain"]),
        ("b.py::stacked", ["block", "stacked"]),
        ("b.py::block", ["block", "stacked"]),
        ("b.py::layer", ["layer", "once"]),
        ("b.py::once", ["layer", "once"]),
    ],
)
def test_a_graph_means_the_program_that_launches_it(target: str, expected: list[str]) -> None:
    assert functions(target) == expected


def test_a_graph_that_nothing_launches_stands_for_itself() -> None:
    Path("c.py").write_text((JIT + CALLERS).split("@pl.jit\ndef once")[0])
    assert functions("c.py::layer") == ["layer"]
    assert pto("replay", "c.py::layer")[1].startswith("layer call 1: recorded")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_entry_names_those_there_are(command: str) -> None:
    message = "pto-lsp: error: a.py: no entry 'nope'; there are: P, P.layer, P.main\n"
    assert pto(command, "a.py::nope") == (2, "", message)
    message = "pto-lsp: error: b.py: no entry 'P.main'; there are: plain, stacked, block, once, layer\n"
    assert pto(command, "b.py::P.main") == (2, "", message)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("gone.py", None, "cannot be read: no such file or directory"),
        ("sub", None, "cannot be read: is a directory"),
        ("bytes.py", b"\0pypto", "not a text file: it contains null bytes"),
        ("latin.py", b"import pypto\n\xff\n", "line 2 is not valid utf-8"),
        ("none.py", b"import os\n", "no orchestration function and no Graph in it"),
        ("kernel.py", JIT.split("\n\n\n@pl.jit\n")[0].encode(), "no orchestration function and no Graph in it"),
    ],
)
def test_what_cannot_be_shown_is_told(command: str, name: str, content: bytes | None, reason: str) -> None:
    Path("sub").mkdir()
    if content is not None:
        Path(name).write_bytes(content)
    assert pto(command, name) == (2, "", f"pto-lsp: error: {name}: {reason}\n")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("words", [[], ["--no-such-option", "a.py"], ["a.py", "--format", "yaml"], ["a.py::"], ["::P"]])
def test_wrong_usage_is_two_and_goes_to_stderr(command: str, words: list[str]) -> None:
    code, out, err = pto(command, *words)
    assert (code, out) == (2, "")
    assert f"usage: pto-lsp {command}" in err


@pytest.mark.parametrize("command", COMMANDS)
def test_faults_of_the_configuration_are_told(command: str) -> None:
    Path("pto-lsp.toml").write_text("conformance = 'strict'\nselct = []\n")
    code, out, err = pto(command, "a.py")
    assert (code, out) == (2, "")
    assert [line.split(": ")[:3] for line in err.splitlines()] == [
        ["pto-lsp", "error", "pto-lsp.toml:1:1"],
        ["pto-lsp", "error", "pto-lsp.toml:2:1"],
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_broken_source_is_no_crash(command: str) -> None:
    lines = IN_CLASS.splitlines(keepends=True)
    for length in range(0, len(lines), 4):
        Path("cut.py").write_text("".join(lines[:length]) + "    x = (((\n")
        assert "internal error" not in pto(command, "cut.py")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_tells_the_exit_codes(command: str) -> None:
    code, out, err = pto(command, "--help")
    assert (code, err) == (0, "")
    assert "FILE[::ENTRY]" in out and "Exit code: 0" in out
    assert command in pto("--help")[1]


def test_a_process_prints_what_it_shows_and_closes_quietly() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = [sys.executable, "-m", "pto_lsp", "replay", "a.py"]
    done = subprocess.run(words, capture_output=True, env=environment, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"0 \\u2717" in done.stdout
