"""Results on disk: taken over when nothing changed, never when anything did."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pto_lsp.cache import records
from pto_lsp.cache.imports import imported
from pto_lsp.cache.store import Store
from pto_lsp.cli import run
from pto_lsp.diagnostics import (
    Applicability,
    Diagnostic,
    Fix,
    Position,
    Range,
    RelatedLocation,
    Severity,
    Tag,
    TextEdit,
)
from pto_lsp.discovery import SourceFile
from tests.cli.command import IMPORTING, IN_CLASS, pto

PLACE = Range(Position(1, 2), Position(3, 4))


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("PTO_LSP_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were analysed."""
    seen: list[str] = []
    check = run._Batch.check

    def spy(batch: run._Batch, file: SourceFile, text: str, content: bytes | None = None) -> None:
        seen.append(file.shown)
        check(batch, file, text, content)

    monkeypatch.setattr(run._Batch, "check", spy)
    return seen


def kept(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_second_run_analyses_nothing_and_prints_the_same(analysed: list[str]) -> None:
    Path("a.py").write_text(IN_CLASS + "x = 1  # pto: ignore[PTO101]\n")
    Path("sizes.py").write_text("TRIPS = 2000\n")
    Path("b.py").write_text(IMPORTING)
    first = pto("check", "--output-format", "full")
    assert "PTO409" in first[1] and "PTO101" in first[1] and "fix: Remove the suppression" in first[1]
    assert analysed == ["a.py", "b.py"]
    analysed.clear()
    assert pto("check", "--output-format", "full") == first
    assert analysed == []


CHANGES: dict[str, tuple[Callable[[], object], str]] = {
    "its content": (lambda: Path("b.py").write_text(IMPORTING.replace("i)\n", "0)\n")), "PTO"),
    "a module it reads": (lambda: Path("sizes.py").write_text("TRIPS = 3\n"), ""),
    "a module read by that": (lambda: Path("more.py").write_text("MANY = 1\n"), ""),
    "a module that goes": (lambda: Path("more.py").unlink(), ""),
    "a package that takes precedence": (
        lambda: os.renames("prepared", "sizes"),
        "",
    ),
    "a folder that is searched first": (
        lambda: Path("pto-lsp.toml").write_text("search-paths = ['elsewhere']\nignore = ['PTO409']\n"),
        "",
    ),
    "a severity": (lambda: Path("pto-lsp.toml").write_text("severity = { PTO409 = 'hint' }\n"), "PTO409"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_it_depends_on_makes_it_unknown(name: str, analysed: list[str]) -> None:
    Path("more.py").write_text("MANY = 2000\n")
    Path("sizes.py").write_text("from more import MANY\nTRIPS = MANY\n")
    Path("b.py").write_text(IMPORTING)
    Path("prepared").mkdir()
    Path("prepared/__init__.py").write_text("TRIPS = 1\n")
    assert "PTO409" in pto("check", "b.py")[1]
    analysed.clear()
    change, expected = CHANGES[name]
    change()
    cached = pto("check", "b.py")
    assert analysed == ["b.py"]
    assert cached == pto("check", "--no-cache", "b.py")
    assert cached[1] == "" if not expected else expected in cached[1]


def test_a_module_that_was_missing_and_comes(analysed: list[str]) -> None:
    Path("b.py").write_text(IMPORTING)
    assert pto("check", "b.py") == (0, "", "")
    Path("sizes.py").write_text("TRIPS = 2000\n")
    assert "PTO409" in pto("check", "b.py")[1]
    assert analysed == ["b.py", "b.py"]


def test_a_module_that_was_missing_for_an_import_of_an_import(analysed: list[str]) -> None:
    # Both files read 'sizes', the second from the memory of the first run of it.
    Path("sizes.py").write_text("from lost import MANY\nTRIPS = MANY\n")
    for name in ("a.py", "b.py"):
        Path(name).write_text(IMPORTING)
    assert pto("check") == (0, "", "")
    Path("lost.py").write_text("MANY = 2000\n")
    analysed.clear()
    assert pto("check")[1].count("PTO409") == 2
    assert analysed == ["a.py", "b.py"]


def test_other_options_have_their_own_results(analysed: list[str]) -> None:
    Path("a.py").write_text(IN_CLASS)
    everything, nothing = pto("check"), pto("check", "--ignore", "PTO101")
    assert everything[1] and not nothing[1]
    analysed.clear()
    assert (pto("check"), pto("check", "--ignore", "PTO101")) == (everything, nothing)
    assert analysed == []


@pytest.mark.parametrize("words", [["--no-cache"], ["--output-format", "json"]])
def test_runs_that_keep_nothing(words: list[str], tmp_path: Path, analysed: list[str]) -> None:
    Path("a.py").write_text(IN_CLASS)
    assert pto("check", *words) == pto("check", *words)
    assert analysed == ["a.py", "a.py"]
    assert kept(tmp_path) == []


@pytest.mark.parametrize("damage", ["", "{}", "[]", "[1, 2, 3, 4]", "null", "\x00", '["x", {}, {}, [[1]]]'])
def test_a_damaged_result_is_no_result(damage: str, tmp_path: Path, analysed: list[str]) -> None:
    Path("a.py").write_text(IN_CLASS)
    first = pto("check")
    (path,) = kept(tmp_path)
    record = json.loads(path.read_text())
    path.write_text(damage.replace("x", record[0]))
    assert pto("check") == first
    assert analysed == ["a.py", "a.py"]
    assert json.loads(path.read_text()) == record, "and it is put right"


def test_a_folder_that_cannot_be_used_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.py").write_text(IN_CLASS)
    Path("file").write_text("")
    monkeypatch.setenv("PTO_LSP_CACHE_DIR", str(Path("file/cache").absolute()))
    assert pto("check")[1].startswith("a.py:24:9: PTO101")


def test_results_of_versions_long_gone_are_removed_and_nothing_else(tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "results"
    for name in ("0123456789abcdef", "fedcba9876543210", "precious"):
        (cache / name).mkdir(parents=True)
    for name in ("0123456789abcdef", "precious"):
        os.utime(cache / name, (0, 0))
    Store.open(str(tmp_path / "cache")).put("x", [])
    assert {path.name for path in cache.iterdir()} > {"fedcba9876543210", "precious"}
    assert not (cache / "0123456789abcdef").exists()


def test_order_and_result_depend_neither_on_processes_nor_on_what_is_known(tmp_path: Path) -> None:
    Path("sizes.py").write_text("TRIPS = 2000\n")
    for number in range(9):
        Path(f"f{number}.py").write_text(IMPORTING if number % 2 else IN_CLASS)
    Path("f4.py").write_bytes(b"pypto \xff")
    expected = pto("check", "--no-cache", "--jobs", "1")
    assert expected[1].count("\n") == 8
    assert pto("check", "--jobs", "3") == expected
    assert len(kept(tmp_path)) == 8, "processes keep what they find"
    for path in kept(tmp_path)[::2]:
        path.unlink()
    assert pto("check", "--jobs", "2") == expected
    assert pto("check") == expected


def test_known_results_need_no_analysis() -> None:
    Path("a.py").write_text(IN_CLASS)
    script = (
        "import sys; from pto_lsp.cli import main; code = main(['check']);"
        "heavy = {'libcst', 'pygls', 'lsprotocol', 'pto_lsp.project'} & set(sys.modules); print(heavy, file=sys.stderr)"
    )
    # Both runs by the same installation: this process may have another one than the interpreter finds by itself.
    command = [sys.executable, "-c", script]
    first, second = [subprocess.run(command, capture_output=True, text=True, timeout=60, check=True) for _ in range(2)]
    assert "PTO101" in second.stdout and second.stdout == first.stdout
    assert second.stderr == "set()\n" != first.stderr


def test_a_finding_survives_the_disk() -> None:
    plain = Diagnostic("PTO001", "syntax-error", Severity.ERROR, "m\ud800\n", "/a.py", PLACE)
    full = replace(
        plain,
        subject="s",
        function="f",
        related=(RelatedLocation("/b.py", PLACE, "there"),),
        tags=tuple(Tag),
        fix=Fix("t", Applicability.UNSAFE, (TextEdit("/a.py", PLACE, "new"),)),
    )
    for found in (plain, full):
        assert records.diagnostic(json.loads(json.dumps(records.document(found)))) == found


IMPORTS = [
    ("import a.b.c as d, e", {("a", 0), ("a.b", 0), ("a.b.c", 0), ("e", 0)}),
    ("from a import (b,  # not ) yet\n  c as d,\n)\nimport z", {("a", 0), ("a.b", 0), ("a.c", 0), ("z", 0)}),
    ("from . import x; from ..y import *", {("", 1), ("x", 1), ("y", 2)}),
    ("from . . a import b", {("a", 2), ("a.b", 2)}),
    ("from.a import b", {("a", 1), ("a.b", 1)}),
    ("from a \\\n import b, \\\n c", {("a", 0), ("a.b", 0), ("a.c", 0)}),
    ("try:\n\timport 张\nexcept ImportError: import \\\r\n b", {("张", 0), ("b", 0)}),
    ("x = 1; import a\rimport b", {("a", 0), ("b", 0)}),
]


@pytest.mark.parametrize(("text", "wanted"), IMPORTS)
def test_every_import_is_found(text: str, wanted: set[tuple[str, int]]) -> None:
    assert wanted <= set(imported(text))


def test_imports_are_found_wherever_they_stand() -> None:
    for (one, first), (other, second) in itertools.permutations(IMPORTS, 2):
        assert first | second <= set(imported(f"{one}\n{other}\n"))
