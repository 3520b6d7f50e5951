"""Layers, types, problems with their places, and which file applies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pto_lsp.config import KEYS, Conformance, Layer, Settings, SettingsResolver, Target, describe
from pto_lsp.config.files import load
from pto_lsp.config.settings import resolve
from pto_lsp.diagnostics import Position, Range, Severity


def resolved(text: str, tmp_path: Path, name: str = "pto-lsp.toml") -> tuple[Settings, list[tuple[int, int, str]]]:
    """Settings from one file, and its problems as (line, column, message), 0-based."""
    file = tmp_path / name
    file.write_text(text)
    layer, problems = load(str(file))
    settings, more = resolve((layer,), str(tmp_path))
    return settings, [(p.range.start.line, p.range.start.column, p.message) for p in problems + more]


def test_defaults_without_any_file(tmp_path: Path) -> None:
    settings = SettingsResolver(str(tmp_path)).for_file(str(tmp_path / "a.py"))
    assert settings.target is Target.HOST_BUILD_GRAPH
    assert settings.conformance is Conformance.EXTENDED
    assert settings.compile_on_save is True
    assert settings.output_dir == str(tmp_path / ".pto")
    assert settings.is_enabled("PTO101")
    assert {origin for _, _, origin in describe(settings)} == {"default"}


def test_every_key_is_read_and_says_where_it_stands(tmp_path: Path) -> None:
    settings, problems = resolved(
        """\
target = "tensormap_and_ringbuffer"
select = ["PTO1", "PTO203"]
ignore = ["PTO106"]
exclude = ["build/"]
search-paths = ["models", "../shared"]
conformance = "reference"
compile-on-save = false
output-dir = "out"
[severity]
PTO101 = "error"
[per-file-ignores]
"tests/*" = ["PTO3"]
""",
        tmp_path,
    )
    assert problems == []
    assert settings.target is Target.TENSORMAP_AND_RINGBUFFER
    assert settings.select == ("PTO1", "PTO203")
    assert settings.exclude == ("build/",)
    assert settings.search_paths == (str(tmp_path / "models"), str(tmp_path.parent / "shared"))
    assert settings.conformance is Conformance.REFERENCE
    assert settings.compile_on_save is False
    assert settings.output_dir == str(tmp_path / "out")
    assert settings.severity == (("PTO101", Severity.ERROR),)
    assert settings.per_file_ignores == (("tests/*", ("PTO3",)),)
    lines = {key: int(origin.rsplit(":", 1)[1]) for key, _, origin in describe(settings)}
    assert lines == {
        "target": 1,
        "select": 2,
        "ignore": 3,
        "exclude": 4,
        "search-paths": 5,
        "conformance": 6,
        "compile-on-save": 7,
        "output-dir": 8,
        "severity": 9,
        "per-file-ignores": 11,
    }
    assert sorted(lines) == sorted(KEYS)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("select = 'PTO1'", "select: expected a list of strings, got a string"),
        ("select = [1]", "select: expected a list of strings, one of its items is an integer"),
        ("ignore = ['E501']", "ignore: 'E501' is not a rule code or the beginning of one"),
        ("compile-on-save = 'yes'", "compile-on-save: expected true or false, got a string"),
        ("output-dir = 3", "output-dir: expected a string, got an integer"),
        ("severity = { PTO101 = 'fatal' }", "severity: expected one of "),
        ("severity = 'error'", "severity: expected a table, got a string"),
        ("conformance = 'strict'", 'conformance: expected one of "extended", "reference", got \'strict\''),
        ("selct = []", "unknown key 'selct'"),
        ("output_dir = 'x'", "unknown key 'output_dir'; did you mean 'output-dir'?"),
    ],
)
def test_a_faulty_value_is_reported_at_its_place_and_falls_back(line: str, message: str, tmp_path: Path) -> None:
    settings, problems = resolved(
        f"[project]\nname = 'x'\n[tool.other]\nselect = 1\n[tool.pto-lsp]\n  {line}\n", tmp_path, "pyproject.toml"
    )
    assert settings == resolve((), str(tmp_path))[0]
    [(row, column, text)] = problems
    assert (row, column) == (5, 2)
    assert text.startswith(message)


def test_invalid_toml_gives_one_problem_with_its_place(tmp_path: Path) -> None:
    settings, problems = resolved("target = \n", tmp_path)
    assert settings.target is Target.HOST_BUILD_GRAPH
    [(row, _, text)] = problems
    assert row == 0
    assert text.startswith("invalid TOML: ")


def test_a_file_that_is_not_utf8_is_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "pto-lsp.toml"
    file.write_bytes(b"target = '\xff'\n")
    _, [problem] = load(str(file))
    assert problem.path == str(file)
    assert "UTF-8" in problem.message


def test_the_nearest_file_with_our_table_applies(tmp_path: Path) -> None:
    inner = tmp_path / "pkg" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.pto-lsp]\nconformance = 'reference'\n")
    (tmp_path / "pkg" / "pyproject.toml").write_text("[project]\nname = 'no-table-of-pto-lsp'\n")
    resolver = SettingsResolver(str(tmp_path))
    assert resolver.file_for(str(inner / "x.py")) == str(tmp_path / "pyproject.toml")
    (inner / "pto-lsp.toml").write_text("")
    resolver.forget()
    assert resolver.file_for(str(inner / "x.py")) == str(inner / "pto-lsp.toml")
    settings = resolver.for_file(str(inner / "x.py"))
    assert settings.conformance is Conformance.EXTENDED, "files are not merged"


def test_later_layers_win_key_by_key(tmp_path: Path) -> None:
    (tmp_path / "pto-lsp.toml").write_text("select = ['PTO1']\nignore = ['PTO101']\nconformance = 'reference'\n")
    resolver = SettingsResolver(
        str(tmp_path),
        Layer("command line", {"select": ["PTO3"]}),
        lambda path: Layer("editor", {"select": ["PTO2"], "ignore": ["PTO201"], "surprise": 1}),
    )
    path = str(tmp_path / "x.py")
    settings = resolver.for_file(path)
    assert (settings.select, settings.ignore, settings.conformance) == (
        ("PTO3",),
        ("PTO201",),
        Conformance.REFERENCE,
    )
    origins = dict(settings.origins)
    assert origins["select"] == "command line"
    assert origins["ignore"] == "editor"
    assert origins["conformance"] == f"{tmp_path / 'pto-lsp.toml'}:3"
    [problem] = resolver.problems(path)
    assert (problem.path, problem.message) == (None, "unknown key 'surprise'")


def test_a_changed_file_is_seen_after_forget(tmp_path: Path) -> None:
    resolver = SettingsResolver(str(tmp_path))
    path = str(tmp_path / "x.py")
    assert resolver.for_file(path).compile_on_save is True
    (tmp_path / "pto-lsp.toml").write_text("compile-on-save = false\n")
    assert resolver.for_file(path).compile_on_save is True
    resolver.forget()
    assert resolver.for_file(path).compile_on_save is False


def test_a_document_without_a_file_gets_the_settings_of_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "pto-lsp.toml").write_text("compile-on-save = false\n")
    assert SettingsResolver(str(tmp_path)).for_file("untitled:Untitled-1").compile_on_save is False


@pytest.mark.parametrize(
    ("select", "ignore", "code", "enabled"),
    [
        (("PTO",), (), "PTO101", True),
        (("PTO1",), (), "PTO201", False),
        (("PTO1",), ("PTO101",), "PTO101", False),
        (("PTO101",), ("PTO1",), "PTO101", True),
        (("PTO101",), ("PTO101",), "PTO101", False),
        ((), (), "PTO101", False),
    ],
)
def test_the_longest_prefix_decides(select: tuple[str, ...], ignore: tuple[str, ...], code: str, enabled: bool) -> None:
    assert Settings(select=select, ignore=ignore).is_enabled(code) is enabled


def test_severity_of_the_longest_prefix() -> None:
    settings = Settings(severity=(("PTO101", Severity.HINT), ("PTO1", Severity.ERROR)))
    assert settings.severity_of("PTO101", Severity.WARNING) is Severity.HINT
    assert settings.severity_of("PTO102", Severity.WARNING) is Severity.ERROR
    assert settings.severity_of("PTO201", Severity.WARNING) is Severity.WARNING


def test_places_survive_quotes_dots_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('# [tool.pto-lsp]\n[tool]\npto-lsp.target = 1\n[ tool . "pto-lsp" . severity ] # c\nX = 1\n')
    layer, problems = load(str(file))
    assert problems == ()
    assert layer.place("target") == Range(Position(2, 0), Position(2, 14))
    assert layer.place("severity").start.line == 3
    assert os.path.dirname(str(layer.path)) == layer.root
