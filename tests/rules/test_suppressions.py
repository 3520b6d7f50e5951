"""Which findings a comment silences, and which comments silence nothing. Marks: ⟦ ⟧ around the places reported."""

from __future__ import annotations

import pytest

from pto_lsp import suppressions
from pto_lsp.analysis.rules.rule import unmark
from pto_lsp.analysis.source.text import LineTable
from pto_lsp.diagnostics import Diagnostic, Position, Range, Severity, Tag

PATH = "a.py"


def find(text: str, words: dict[str, str]) -> tuple[Diagnostic, ...]:
    """One finding for every place where one of the words stands, with its code."""
    table = LineTable(text)
    found = []
    for word, code in words.items():
        start = text.find(word)
        while start >= 0:
            place = Range(table.position(start), table.position(start + len(word)))
            found.append(Diagnostic(code, "name", Severity.ERROR, "message", PATH, place))
            start = text.find(word, start + 1)
    return tuple(found)


WORDS = {"one": "PTO101", "two": "PTO102"}


def outcome(marked: str, words: dict[str, str] = WORDS) -> tuple[list[tuple[str, int]], list[Diagnostic]]:
    """Findings that are left as (code, line), and the unused suppressions; those must be where the marks are."""
    text, expected = unmark(marked)
    result = suppressions.apply(text, PATH, find(text, words))
    unused = [diagnostic for diagnostic in result if diagnostic.code == "PTO009"]
    assert tuple(diagnostic.range for diagnostic in unused) == expected
    return [(d.code, d.range.start.line) for d in result if d.code != "PTO009"], unused


def repaired(marked: str, words: dict[str, str] = WORDS) -> str:
    """The text after all fixes of the unused suppressions."""
    text, _ = unmark(marked)
    _, unused = outcome(marked, words)
    table = LineTable(text)
    for diagnostic in reversed(unused):
        assert diagnostic.fix is not None
        for edit in diagnostic.fix.edits:
            table.edit(table.offset(*edit.range.start), table.offset(*edit.range.end), edit.content)
    return table.text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("one\ntwo\n", [("PTO101", 0), ("PTO102", 1)]),
        ("one  # pto: ignore\ntwo\n", [("PTO102", 1)]),
        ("one; two  # pto: ignore[PTO101]\n", [("PTO102", 0)]),
        ("one; two  # pto: ignore[ PTO102 , PTO101 ] both are meant\n", []),
        ("one  #pto:ignore because\n", []),
        ("one  # noqa  # pto: ignore[PTO101]\n", []),
        ("one  # pto: ignored\n", [("PTO101", 0)]),
        ("one  # pto: ignore-line\n", [("PTO101", 0)]),
        ("'# pto: ignore'; one\n", [("PTO101", 0)]),
        ("'''\n# pto: ignore\n'''; one\n", [("PTO101", 2)]),
        ("'''\n'''; one  # pto: ignore\n", []),
    ],
)
def test_a_line_is_silenced(text: str, left: list[tuple[str, int]]) -> None:
    assert outcome(text)[0] == left


@pytest.mark.parametrize("line", [0, 1, 2, 3])
def test_the_whole_logical_line_is_silenced_from_any_of_its_lines(line: int) -> None:
    lines = ["x = f(", "  one,", "  two", ")", "one"]
    lines[line] += "  # pto: ignore"
    assert outcome("\n".join(lines))[0] == [("PTO101", 4)]


def test_a_backslash_continues_the_line() -> None:
    assert outcome("x = one + \\\n  two  # pto: ignore\none\n")[0] == [("PTO101", 2)]


def test_the_header_of_a_block_is_a_line_of_its_own() -> None:
    assert outcome("if one:  # pto: ignore\n    two\n")[0] == [("PTO102", 1)]


@pytest.mark.parametrize("head", ["", "#!/usr/bin/env python\n# a licence\n", '"""Docstring."""\n', "\n\n'doc'\n\n"])
def test_a_file_is_silenced_from_its_top(head: str) -> None:
    assert outcome(head + "# pto: ignore-file\nimport x\none\ntwo\n")[0] == []
    assert [code for code, _ in outcome(head + "# pto: ignore-file[PTO101]\none\ntwo\none\n")[0]] == ["PTO102"]


def test_a_file_is_not_silenced_from_below() -> None:
    left, [unused] = outcome("import x\n⟦# pto: ignore-file⟧\none\n")
    assert left == [("PTO101", 2)]
    assert "before the first statement" in unused.message


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("x = 1  ⟦# pto: ignore⟧\n", "pto: ignore"),
        ("x = 1  ⟦# pto: ignore old reason⟧\n", "pto: ignore"),
        ("⟦# pto: ignore-file⟧\nx = 1\n", "pto: ignore-file"),
        ("⟦# pto: ignore⟧\none\n", "pto: ignore"),
        ("one  ⟦# pto: ignore[PTO102]⟧\n", "PTO102"),
        ("one  # pto: ignore[PTO101, ⟦PTO102⟧]\n", "PTO102"),
        ("one  # pto: ignore[⟦PTO102, PTO103⟧, PTO101]\n", "PTO102, PTO103"),
        ("x  ⟦# pto: ignore[PTO102, PTO103]⟧\n", "PTO102, PTO103"),
        ("one  # pto: ignore[PTO101, ⟦E501⟧]\n", "E501"),
        ("one  ⟦# pto: ignore[PTO101⟧\n", "pto: ignore"),
        ("one  ⟦# pto: ignore[]⟧\n", "pto: ignore"),
        ("one  # pto: ignore\ntwo  ⟦# pto: ignore[PTO101]⟧\n", "PTO101"),
    ],
)
def test_what_silences_nothing_is_reported(text: str, subject: str) -> None:
    [unused] = outcome(text)[1]
    assert unused.subject == subject
    assert f"'{subject}'" in unused.message
    assert unused.severity is Severity.HINT
    assert unused.tags == (Tag.UNNECESSARY,)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1  ⟦# pto: ignore⟧\ny\n", "x = 1\ny\n"),
        ("x = 1  # noqa ⟦# pto: ignore⟧", "x = 1  # noqa"),
        ("if x:\n    ⟦# pto: ignore⟧\r\n    y\n", "if x:\n    y\n"),
        ("one  # pto: ignore[PTO101, ⟦PTO102⟧]\n", "one  # pto: ignore[PTO101]\n"),
        ("one  # pto: ignore[⟦PTO102, PTO103⟧, PTO101] why\n", "one  # pto: ignore[PTO101] why\n"),
        ("one  ⟦# pto: ignore[PTO102, PTO103]⟧\n", "one\n"),
    ],
)
def test_the_repair_removes_it_and_leaves_nothing_behind(before: str, after: str) -> None:
    assert repaired(before) == after
    assert outcome(after)[1] == []


def test_every_suppression_that_fits_counts_as_used() -> None:
    assert outcome("# pto: ignore-file\none  # pto: ignore[PTO101]\n") == ([], [])


def test_a_code_of_a_newer_version_is_left_alone() -> None:
    assert outcome("x  # pto: ignore[PTO999]\n") == ([], [])


def test_the_hint_itself_can_be_silenced() -> None:
    assert outcome("x  # pto: ignore[PTO101, PTO009]\n") == ([], [])
    assert outcome("# pto: ignore-file[PTO009]\nx  # pto: ignore\n") == ([], [])


@pytest.mark.parametrize("code", ["PTO001", "PTO008"])
def test_where_not_everything_was_checked_nothing_is_called_unused(code: str) -> None:
    assert outcome("x  # pto: ignore\nbroken\n", {"broken": code}) == ([(code, 1)], [])


def test_a_broken_line_can_be_silenced() -> None:
    assert outcome("x = = (  # pto: ignore\ny\n", {"=": "PTO001"}) == ([], [])


def test_positions_count_code_points() -> None:
    [unused] = outcome("'张量😀'  ⟦# pto: ignore⟧\n")[1]
    assert unused.range.start == Position(0, 7)
