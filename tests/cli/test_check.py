"""``pto-lsp check``: output, messages and exit codes together. The analysis is a fake that reports words."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.client import FAKE, started

DSL = "import pypto.language as pl\n"


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def pto(*words: str, stdin: str = "", from_start: bool = False) -> tuple[int, str, str]:
    process = started([*FAKE, *words], from_start=from_start)
    out, err = process.communicate(stdin.encode())
    return process.wait(60), out.decode(), err.decode()


def test_nothing_found() -> None:
    Path("a.py").write_text(DSL)
    assert pto("check") == (0, "", "")
    assert pto("check", "--output-format", "full") == (0, "No findings.\n", "")
    assert pto("check", "--output-format", "json") == (0, "[]\n", "")


def test_concise_is_the_default_elsewhere_than_on_a_terminal() -> None:
    Path("a.py").write_text(DSL + "x = 1; BAD\n")
    assert pto("check") == (0, "a.py:2:8: PTO101 'BAD' is here\n", "")


def test_check_is_also_an_option() -> None:
    Path("a.py").write_text(DSL + "WRONG\n")
    assert pto("--check", "a.py") == (1, "a.py:2:1: PTO001 'WRONG' is here\n", "")
    assert pto("--check") == (1, "a.py:2:1: PTO001 'WRONG' is here\n", "")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 0),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "information"], 1),
        (["--fail-on", "hint"], 1),
        (["--fail-on", "hint", "--exit-zero"], 0),
        (["--fail-on", "hint", "--ignore", "PTO1"], 0),
        (["--fail-on", "hint", "--select", "PTO2,PTO101"], 1),
    ],
)
def test_exit_code_follows_the_loudest_finding(words: list[str], code: int) -> None:
    Path("a.py").write_text(DSL + "BAD FAINT\n")
    assert pto("check", *words)[0] == code


def test_select_and_ignore_choose_what_is_listed() -> None:
    Path("a.py").write_text(DSL + "BAD FAINT WRONG\n")
    assert pto("check", "--select", "PTO1", "--ignore", "PTO106")[1] == "a.py:2:1: PTO101 'BAD' is here\n"


def test_every_failure_is_told_and_everything_else_is_checked() -> None:
    Path("a.py").write_text(DSL + "BAD\n")
    Path("b.py").write_bytes(b"import pypto\n\xff\n")
    Path("c.py").write_bytes(b"\0pypto")
    Path("d.py").write_text(DSL + "CRASH\n")
    Path("e.py").write_text(DSL + "BAD\n")
    code, out, err = pto("check", "gone.py", ".")
    assert code == 2
    assert out == "a.py:2:1: PTO101 'BAD' is here\ne.py:2:1: PTO101 'BAD' is here\n"
    lines = err.splitlines()
    assert lines[0] == "pto-lsp: error: gone.py: no such file or directory"
    assert "pto-lsp: error: b.py: line 2 is not valid utf-8" in lines
    assert "pto-lsp: error: c.py: not a text file: it contains null bytes" in lines
    assert "pto-lsp: error: d.py: internal error of pto-lsp" in lines
    assert lines[-1] == "RuntimeError: crashed on demand"


@pytest.mark.parametrize(
    "words",
    [
        ["check", "--no-such-option"],
        ["check", "--select", "E501"],
        ["check", "--fail-on", "fatal"],
        ["check", "--jobs", "0"],
        ["check", "--output-format", "yaml"],
        ["check", "--stdin-filename", "x.py", "a.py"],
        ["frobnicate"],
        ["explain"],
        ["explain", "PTO999"],
    ],
)
def test_wrong_usage_is_two_and_goes_to_stderr(words: list[str]) -> None:
    code, out, err = pto(*words)
    assert (code, out) == (2, "")
    assert "error: " in err


def test_json_has_the_whole_finding() -> None:
    Path("张.py").write_text(DSL + "'😀'; BAD\n")
    code, out, _ = pto("check", "张.py", "--output-format", "json")
    assert code == 0
    assert json.loads(out) == [
        {
            "code": "PTO101",
            "name": "derived-boundary-scalar",
            "severity": "warning",
            "message": "'BAD' is here",
            "filename": "张.py",
            "subject": "BAD",
            "function": "",
            "location": {"row": 2, "column": 6},
            "end_location": {"row": 2, "column": 9},
            "related": [],
            "fix": None,
            "url": json.loads(out)[0]["url"],
        }
    ]
    assert json.loads(out)[0]["url"].startswith("https://")


def test_standard_input_takes_the_place_of_a_file() -> None:
    Path("pto-lsp.toml").write_text("ignore = ['PTO106']\n")
    assert pto("check", "--stdin-filename", "sub/x.py", stdin=DSL + "BAD FAINT") == (
        0,
        "sub/x.py:2:1: PTO101 'BAD' is here\n",
        "",
    )
    assert pto("check", "-", stdin=DSL + "WRONG")[:2] == (1, "-:2:1: PTO001 'WRONG' is here\n")


def test_statistics_count_by_rule() -> None:
    Path("a.py").write_text(DSL + "BAD\n" * 10 + "FAINT\n")
    assert pto("check", "--statistics") == (
        0,
        "10  PTO101  derived-boundary-scalar\n 1  PTO106  unused-boundary-scalar\n",
        "",
    )


def test_processes_do_not_change_the_result() -> None:
    for number in range(12):
        Path(f"f{number:02}.py").write_text(DSL + "BAD\n" * (number % 3))
    Path("f05.py").write_bytes(b"pypto \xff")
    one = pto("check", "--jobs", "1")
    assert one[0] == 2
    assert pto("check", "--jobs", "3") == one
    assert len(one[1].splitlines()) == 10


def test_settings_of_each_file_apply_and_their_faults_are_told() -> None:
    Path("a").mkdir()
    Path("b").mkdir()
    Path("a/pto-lsp.toml").write_text("severity = { PTO101 = 'error' }\n")
    Path("b/pyproject.toml").write_text(
        "[tool.pto-lsp]\nselct = []\n[tool.pto-lsp.per-file-ignores]\n'x*.py' = ['PTO1']\n"
    )
    for name in ("a/one.py", "b/two.py", "b/x_three.py"):
        Path(name).write_text(DSL + "BAD\n")
    assert pto("check", "a")[0] == 1
    assert pto("check", "b") == (
        2,
        "b/two.py:2:1: PTO101 'BAD' is here\n",
        "pto-lsp: error: b/pyproject.toml:2:1: unknown key 'selct'\n",
    )


def test_show_settings_says_where_each_value_comes_from() -> None:
    Path("pto-lsp.toml").write_text("ignore = ['PTO106']\n[severity]\nPTO101 = 'error'\n")
    code, out, err = pto("check", "--show-settings", "x.py", "--select", "PTO1")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert 'select = ["PTO1"]  # command line' in lines
    assert f'ignore = ["PTO106"]  # {Path("pto-lsp.toml").resolve()}:1' in lines
    assert f'severity = {{ "PTO101" = "error" }}  # {Path("pto-lsp.toml").resolve()}:2' in lines
    assert 'target = "host_build_graph"  # default' in lines


def test_colour_is_asked_for_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.py").write_text(DSL + "BAD\n")
    assert "\x1b" not in pto("check")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in pto("check")[1]
    assert json.loads(pto("check", "--output-format", "json")[1])
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in pto("check")[1]


def test_an_output_that_cannot_show_everything_shows_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    Path("张.py").write_text(DSL + "BAD\n", encoding="utf-8")
    assert pto("check", from_start=True) == (0, "\\u5f20.py:2:1: PTO101 'BAD' is here\n", "")
    assert json.loads(pto("check", "--output-format", "json", from_start=True)[1])[0]["filename"] == "张.py"


def test_a_closed_pipe_is_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    # Unbuffered, Python itself takes a half-written text for a written one.
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    Path("a.py").write_text(DSL + "BAD\n" * 20000)
    process = subprocess.Popen([*FAKE, "check"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 1


IMPORTS = """
import json, sys
from pto_lsp.cli import main
code = main(sys.argv[1:])
print(json.dumps(sorted(m for m in sys.modules if m.split(".")[0] in HEAVY)), file=sys.stderr)
sys.exit(code)
""".replace("HEAVY", '("libcst", "pygls", "lsprotocol", "attrs", "cattrs", "numpy", "networkx", "asyncio")')


def imported(*words: str) -> list[Any]:
    done = subprocess.run([sys.executable, "-c", IMPORTS, *words], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stderr.splitlines()[-1])
    return found


def test_a_file_without_the_dsl_loads_no_heavy_library() -> None:
    Path("a.py").write_text("import numpy as np\n")
    assert imported("check", "a.py") == []
    assert imported("check", ".", "--output-format", "json") == []


def test_version_and_help() -> None:
    code, out, err = pto("--version")
    assert (code, err) == (0, "")
    assert out.startswith("pto-lsp ")
    code, out, err = pto("--help")
    assert (code, err) == (0, "")
    assert "explain" in out
    assert pto("check", "--help")[0] == 0


def test_a_process_of_its_own_looks_for_no_garbage() -> None:
    Path("a.py").write_text(DSL)
    script = (
        "import atexit, gc, sys; from pto_lsp.cli import main;"
        "atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > 0));"
        "sys.argv = ['pto-lsp', 'check', 'a.py']; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "False True\n", done.stderr


def test_who_calls_the_command_line_keeps_its_garbage_collection() -> None:
    script = (
        "import gc; from pto_lsp.cli import main; main(['--version']); print(gc.isenabled(), gc.get_freeze_count())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines()[-1] == "True 0", done.stderr
