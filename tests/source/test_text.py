"""Line table and encodings against slow and obvious definitions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.source.encodings import PositionEncoding, column_from_units, column_to_units
from pto_lsp.analysis.source.offsets import OffsetTable
from pto_lsp.analysis.source.text import LineTable
from pto_lsp.diagnostics import Position

CHARACTERS = "ab\n\n\r\r\f\v\x85\u2028é张😀\ufeff \t"
texts = st.text(CHARACTERS, max_size=30)
edits = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.text(CHARACTERS, max_size=8)), max_size=12)


def starts_of(text: str) -> list[int]:
    return [0] + [match.end() for match in re.finditer("\r\n|\r|\n", text)]


@given(texts, edits)
def test_edits_keep_the_table_equal_to_a_cold_one(text: str, changes: list[tuple[int, int, str]]) -> None:
    table = LineTable(text)
    for one, other, replacement in changes:
        start, end = sorted((min(one, len(text)), min(other, len(text))))
        text = text[:start] + replacement + text[end:]
        table.edit(start, end, replacement)
        assert table.text == text
        assert table.line_starts() == starts_of(text)
        assert table.line_count == len(starts_of(text))


@given(texts)
def test_positions_and_offsets_are_inverse(text: str) -> None:
    table = LineTable(text)
    for offset in range(len(text) + 1):
        position = table.position(offset)
        inside_crlf = text[offset - 1 : offset + 1] == "\r\n"
        assert table.offset(*position) == offset - inside_crlf
        assert text[table.line_start(position.line) :].startswith(table.line_text(position.line))
        assert not set(table.line_text(position.line)) & set("\r\n")


@pytest.mark.parametrize(
    ("line", "column", "offset"),
    [(0, 1, 1), (0, 2, 2), (0, 99, 2), (1, 0, 4), (1, 99, 6), (2, 0, 7), (2, 5, 7), (3, 0, 7), (-1, 3, 0), (1, -2, 4)],
)
def test_positions_outside_of_the_text_clamp(line: int, column: int, offset: int) -> None:
    assert LineTable("ab\r\n张😀\r").offset(line, column) == offset


def test_offsets_outside_of_the_text_clamp() -> None:
    table = LineTable("ab\ncd")
    assert table.position(-3) == Position(0, 0)
    assert table.position(99) == Position(1, 2)


def test_only_three_terminators_end_a_line() -> None:
    table = LineTable("a\fb\vc\x85d\u2028e\u2029f\x1cg\nh\ri\r\nj")
    assert [table.line_text(line) for line in range(table.line_count)] == [
        "a\fb\vc\x85d\u2028e\u2029f\x1cg",
        "h",
        "i",
        "j",
    ]


@given(st.lists(st.integers(0, 200), unique=True, max_size=20), st.data())
def test_offset_table_behaves_like_a_list(values: list[int], data: st.DataObject) -> None:
    model = sorted(values)
    table = OffsetTable(model)
    for _ in range(data.draw(st.integers(0, 6))):
        begin, end = sorted(data.draw(st.tuples(st.integers(0, len(model)), st.integers(0, len(model)))))
        low = model[begin - 1] if begin else -1
        inserted = data.draw(st.lists(st.integers(low + 1, low + 9), unique=True, max_size=4).map(sorted))
        top = inserted[-1] if inserted else low
        shift = data.draw(st.integers(top + 1 - model[end] if end < len(model) else 0, top + 20))
        model = model[:begin] + inserted + [value + shift for value in model[end:]]
        table.splice(begin, end, inserted, shift)
        assert len(table) == len(model)
        assert [table[index] for index in range(len(model))] == model == table.to_list()
        for probe in {0, *model, *(value + 1 for value in model)}:
            assert table.count_below(probe) == sum(value < probe for value in model)
            assert table.count_up_to(probe) == sum(value <= probe for value in model)


def units_before(line: str, encoding: PositionEncoding) -> list[int]:
    """Where each character begins, and the end, by encoding character by character."""
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding.value]
    codec = encoding.value + ("" if width == 1 else "-le")
    begins = [0]
    for char in line:
        begins.append(begins[-1] + len(char.encode(codec, "surrogatepass")) // width)
    return begins


lines = st.text(st.sampled_from("ab \té张😀\ud83d\ude00\u0800\uffff\U00010000"), max_size=12)


@given(lines, st.sampled_from(PositionEncoding))
def test_columns_convert_both_ways(line: str, encoding: PositionEncoding) -> None:
    begins = units_before(line, encoding)
    for column, units in enumerate(begins):
        assert column_to_units(line, column, encoding) == units
    for units in range(begins[-1] + 3):
        assert column_from_units(line, units, encoding) == max(c for c, begin in enumerate(begins) if begin <= units)


@pytest.mark.parametrize("encoding", PositionEncoding)
@pytest.mark.parametrize("line", ["", "abc", "a张😀"])
def test_columns_clamp_to_the_line(line: str, encoding: PositionEncoding) -> None:
    assert column_from_units(line, 99, encoding) == len(line)
    assert column_from_units(line, -1, encoding) == 0
    assert column_to_units(line, 99, encoding) == units_before(line, encoding)[-1]
    assert column_to_units(line, -1, encoding) == 0


def test_the_middle_of_a_character_rounds_down() -> None:
    assert column_from_units("a😀b", 2, PositionEncoding.UTF16) == 1
    assert [column_from_units("a😀b", units, PositionEncoding.UTF8) for units in range(7)] == [0, 1, 1, 1, 1, 2, 3]


@settings(max_examples=20)
@given(st.integers(1, 10_000_000_000))
def test_any_protocol_number_is_accepted(number: int) -> None:
    table = LineTable("x = 1\n")
    assert table.offset(number, number) == 6
    assert column_from_units("x = 1", number + 4, PositionEncoding.UTF16) == 5
