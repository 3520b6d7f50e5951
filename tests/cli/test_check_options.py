"""Options of ``pto-lsp check`` that choose files, adopt old code, and repeat the check."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pto_lsp.cli.progress import Progress
from tests.cli.command import IMPORTING, IN_CLASS, pto

DSL = "import pypto.language as pl\n"


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(*names: str, text: str = IN_CLASS) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


@pytest.mark.parametrize(
    ("words", "listed"),
    [
        ([], ["a.py", "gen/b.py", "sub/c.py", "sub/gen/d.py"]),
        (["--exclude", "gen"], ["a.py", "sub/c.py"]),
        (["--exclude", "/gen", "--exclude", "a.py"], ["sub/c.py", "sub/gen/d.py"]),
        (["--exclude", "gen", "gen/b.py", "sub"], ["gen/b.py", "sub/c.py"]),
        (["--exclude", "gen", "--force-exclude", "gen/b.py", "sub", "sub/gen/d.py"], ["sub/c.py"]),
        (["--exclude", "gen", "--force-exclude", "gen"], []),
        (["--force-exclude", ".venv/lib.py", "a.py"], ["a.py"]),
        ([".venv/lib.py"], [".venv/lib.py"]),
    ],
)
def test_which_files_are_checked(words: list[str], listed: list[str]) -> None:
    write("a.py", "gen/b.py", "sub/c.py", "sub/gen/d.py", ".venv/lib.py")
    assert pto("check", "--show-files", *words) == (0, "".join(f"{name}\n" for name in listed), "")
    reported = pto("check", *words)[1].splitlines()
    assert [line.partition(":")[0] for line in reported] == listed


def test_files_that_are_not_there_are_no_files_to_show() -> None:
    write("a.py")
    code, out, err = pto("check", "--show-files", "gone.py", "a.py")
    assert (code, out, err) == (2, "a.py\n", "pto-lsp: error: gone.py: no such file or directory\n")


def test_patterns_of_the_command_line_count_from_the_current_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    write("pto-lsp.toml", text="exclude = ['x.py']\n")
    write("sub/x.py", "sub/y.py", "sub/deep/y.py")
    monkeypatch.chdir("sub")
    assert pto("check", "--show-files")[1] == "y.py\ndeep/y.py\n"
    assert pto("check", "--show-files", "--exclude", "/y.py")[1] == "x.py\ndeep/y.py\n"


def test_excluded_standard_input_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    write("pto-lsp.toml", text="exclude = ['gen']\n")
    words = [sys.executable, "-m", "pto_lsp", "check", "--stdin-filename", "gen/a.py"]
    plain = subprocess.run(words, input=IN_CLASS, capture_output=True, text=True, timeout=60, check=False)
    assert plain.stdout.startswith("gen/a.py:24:9: PTO101")
    forced = subprocess.run(
        [*words, "--force-exclude"], input=IN_CLASS, capture_output=True, text=True, timeout=60, check=False
    )
    assert (forced.returncode, forced.stdout, forced.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "words",
    [
        ["--watch", "--fix"],
        ["--watch", "-"],
        ["--add-ignore", "--diff"],
        ["--add-ignore", "--stdin-filename", "a.py"],
        ["--unsafe"],
    ],
)
def test_options_that_contradict_each_other(words: list[str]) -> None:
    code, out, err = pto("check", *words)
    assert (code, out) == (2, "")
    assert "error: " in err


SEVERAL = """\
import pypto.language as pl


@pl.jit
def main(x: pl.Tensor[[64, 64], pl.FP32], acc: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc[:, :] = pl.add(
            pl.add(x, nowhere),
            elsewhere,
        )
        y = pl.add(gone, pl.add(x, gone))  # why
    return acc
"""


def test_old_code_is_adopted_by_comments_on_its_lines() -> None:
    write("layer.py")
    Path("crlf.py").write_bytes(SEVERAL.replace("\n", "\r\n").encode())
    write("bad.py", text=DSL + "x = (\n")
    code, out, err = pto("check", "--add-ignore", "crlf.py", "layer.py", "bad.py")
    assert code == 1
    assert out.startswith("bad.py:2:"), "what cannot be read is not adopted"
    assert len(out.splitlines()) == 1
    assert err.startswith("pto-lsp: note: ") and err.endswith(" silenced in 2 files\n")
    assert "        base = i * 8  # pto: ignore[PTO101]\n" in Path("layer.py").read_text()
    text = Path("crlf.py").read_bytes().decode()
    assert "        )  # pto: ignore[PTO003]\r\n" in text
    assert "# why  # pto: ignore[PTO003]" in text
    assert text.count("\n") == text.count("\r\n")
    before = {name: Path(name).read_bytes() for name in ("crlf.py", "layer.py")}
    assert pto("check", "--add-ignore", "crlf.py", "layer.py")[0] == 0
    assert {name: Path(name).read_bytes() for name in before} == before
    assert pto("check", "--fail-on", "hint", "crlf.py", "layer.py") == (0, "", "")


def test_only_what_is_selected_is_silenced() -> None:
    write("layer.py")
    assert pto("check", "--add-ignore", "--select", "PTO2")[0] == 0
    assert Path("layer.py").read_text() == IN_CLASS


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_appears_after_a_second_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("pto_lsp.cli.progress.time.monotonic", lambda: now[0])
    stream = Terminal()
    progress = Progress(stream)
    progress(1, 10)
    progress.clear()
    assert stream.getvalue() == ""
    now[0] = 1.01
    progress(4, 10)
    progress(5, 10)
    now[0] = 1.2
    progress(6, 10)
    progress.clear()
    progress.clear()
    assert stream.getvalue() == "\r\x1b[Kchecked 4 of 10 files\r\x1b[Kchecked 6 of 10 files\r\x1b[K"


def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("pto_lsp.cli.progress.time.monotonic", lambda: now[0])
    stream = io.StringIO()
    progress = Progress(stream)
    now[0] = 5.0
    progress(4, 10)
    assert stream.getvalue() == ""


class Watching:
    """``pto-lsp check --watch`` as a process; its lines arrive as it prints them."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "pto_lsp", "check", "--watch", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self._lines.extend(iter(self.process.stdout.readline, ""))

    def round(self) -> list[str]:
        """What the next run printed, once it waits."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if any("waiting for changes" in line for line in self._lines):
                lines = list(self._lines)
                self._lines.clear()
                return [line.split(":")[0] + ":" + line.split(" ")[1] for line in lines if "note:" not in line]
            time.sleep(0.02)
        raise AssertionError(f"nothing came: {self._lines}")


def test_watching_sees_files_imports_and_configuration_change() -> None:
    write("lib/sizes.py", text="TRIPS = 2\n")
    write("app/main.py", text=IMPORTING)
    write("pto-lsp.toml", text="search-paths = ['lib']\n")
    watching = Watching("app")
    try:
        assert watching.round() == []
        write("lib/sizes.py", text="TRIPS = 2000\n")
        assert watching.round() == ["app/main.py:PTO409"]
        write("app/other.py")
        assert watching.round() == ["app/main.py:PTO409", "app/other.py:PTO101"]
        write("app/pto-lsp.toml", text="ignore = ['PTO101']\nsearch-paths = ['../lib']\n")
        assert watching.round() == ["app/main.py:PTO409"]
        write("app/sizes.py", text="TRIPS = 3\n")
        assert watching.round() == []
    finally:
        watching.process.kill()
        watching.process.wait(10)
