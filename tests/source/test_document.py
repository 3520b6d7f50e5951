"""A document after edits is what a new document of the same text is, and what did not change is the same object."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.source.document import Change, Document
from pto_lsp.analysis.source.logical_lines import LogicalLine
from pto_lsp.analysis.source.scanner import Scanner
from pto_lsp.diagnostics import Position, Range, Span
from tests.support.effort import examples

FRAGMENTS = [
    *"abx \t\f\\#'\"()[]{}:;,@=\n\n\n\r",
    *("\r\n", "张", "😀", "\ufeff", "\u2028", "\\\n", "\\\r\n", "\\\\", "    ", "\n    ", "\n        ", "\n\n"),
    *('"""', "'''", '\\"""', '"a"', "f'{x}'", '"""doc\n', "x = 1\n", "    y = f(a,\n", "g(b)\n", "c)\n", "]\n"),
    *("def f(a, b):\n", "    def g():\n", "class C:\n", "@d\n", "    @d\n", "if x:\n", "else:\n", "elif y:\n"),
    *("    return x\n", "return\n", "import m\n", "from m import n\n", "for i in r:\n", "async def h():\n", "# c\n"),
    *("try:\n", "except E:\n", "finally:\n", "x = f(\n", "x = [\n", "x = {\n", "lambda", "pass", '"""Word', "in"),
]
texts = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)
small_texts = st.lists(st.sampled_from(FRAGMENTS), max_size=4).map("".join)
places = st.tuples(st.integers(0, 10_000), st.integers(0, 12), small_texts)


def shape(lines: Sequence[LogicalLine]) -> list[object]:
    return [(line.text, line.start, line.column, line.kind, line.keyword, shape(line.children)) for line in lines]


def assert_same(document: Document, cold: Document) -> None:
    assert document.text == cold.text
    assert document.line_table.line_starts() == cold.line_table.line_starts()
    assert document.chunk_starts() == cold.chunk_starts()
    assert [chunk.text for chunk in document.chunks] == [chunk.text for chunk in cold.chunks]
    assert [chunk.raw_lines for chunk in document.chunks] == [chunk.raw_lines for chunk in cold.chunks]
    assert document.comments() == cold.comments()
    assert [shape(chunk.lines) for chunk in document.chunks] == [shape(chunk.lines) for chunk in cold.chunks]
    assert [list(chunk.faults.values()) for chunk in document.chunks] == [
        list(chunk.faults.values()) for chunk in cold.chunks
    ]


def assert_told(change: Change, before: Sequence[object], after: Sequence[object]) -> None:
    first, removed, added = change
    expected = [*before[:first], *added, *before[first + len(removed) :]]
    assert len(expected) == len(after)
    assert all(one is other for one, other in zip(expected, after))
    assert all(one is other for one, other in zip(removed, before[first:]))
    assert len({id(chunk) for chunk in after}) == len(after)


@settings(max_examples=examples(400))
@given(texts, st.lists(places, min_size=1, max_size=8))
@example("x\nif y:\n\f\\z", [(10, 0, "\n ")])
@example("x\nif y:\n\f\\", [(10, 0, "\n z")])
def test_edited_equals_cold(text: str, edits: list[tuple[int, int, str]]) -> None:
    document = Document(text)
    for place, length, replacement in edits:
        start = place % (len(text) + 1)
        end = min(start + length, len(text))
        text = text[:start] + replacement + text[end:]
        before = document.chunks
        change = document.edit(start, end, replacement)
        assert_told(change, before, document.chunks)
        assert_same(document, Document(text))


@settings(max_examples=examples(100))
@given(texts, texts)
def test_replaced_equals_cold(old: str, new: str) -> None:
    document = Document(old)
    before = document.chunks
    change = document.replace_text(new)
    assert_told(change, before, document.chunks)
    assert_same(document, Document(new))


OPENING = [
    *("x = f(\n", "  y = [\n", "x = 1\n", "  x = 1\n", ")\n", "]\n", "return\n", "  pass\n", "def f(a):\n", "z)\n"),
    *(
        'x = """\n',
        '"""y\n',
        '"""\n',
        '"""y = (\n',
        "x = '''\n",
        "  a, 'b\n",
        "@d\n",
        "if f(:\n",
        "    x = (\n",
        "{\n}\n",
    ),
]


@settings(max_examples=examples(300))
@given(st.lists(st.sampled_from(OPENING), max_size=20).map("".join))
@example('x = f(\ny = [1\n    z = """\n  @d\n  )\nz = 2\n]\n"""w\n')
@example('x = f(\nx = """\n@d\n  y = [\n  y = [\nreturn\n')
def test_what_the_scanner_remembers_changes_nothing(text: str) -> None:
    scanner = Scanner(text)
    _, position = scanner.preamble()
    while position < len(text):
        scanned = scanner.chunk(position)
        alone = Scanner(text).chunk(position)
        # What was remembered may have looked at more than was needed here.
        assert scanned.reach >= alone.reach and scanned.far >= alone.far
        assert scanned._replace(reach=0, far=False) == alone._replace(reach=0, far=False)
        position = scanned.following


@given(texts)
def test_chunks_and_lines_are_slices_of_the_text(text: str) -> None:
    document = Document(text)
    end = 0
    for index, chunk in enumerate(document.chunks):
        start = document.chunk_start(index)
        gap = text[end:start]
        assert not any(line.strip(" \t\f\ufeff\\") and not line.strip().startswith("#") for line in gap.splitlines())
        assert start == 0 or text[start - 1] in "\r\n"
        assert text.startswith(chunk.text, start)
        assert chunk.text
        assert chunk.text[-1] not in "\r\n"
        last = 0
        for begin, stop, _ in chunk.raw_lines:
            assert last <= begin < stop
            assert chunk.text[begin] not in " \t\f\r\n#"
            last = stop
        end = start + len(chunk.text)
    for offset, comment in document.comments():
        assert comment.startswith("#")
        assert text.startswith(comment, offset)


SOURCE = '''\
"""Module."""
# before
import m

A = [
    1,
    2,
]


@pl.function
def first(a, b):
    """Doc."""
    x = m.f(a)
    if x:
        return a
    return b  # pto: ignore

# between
def second():
    pass
if A:
    x = 1
else:
    x = 2
'''
FIRST_LINES = ['"""Module."""', "import m", "A = [", "@pl.function", "def second():", "if A:"]


def first_lines(document: Document) -> list[str]:
    return [chunk.text.splitlines()[0] for chunk in document.chunks]


def test_chunks_of_a_module() -> None:
    document = Document(SOURCE)
    assert first_lines(document) == FIRST_LINES
    assert [chunk.text.splitlines()[-1] for chunk in document.chunks][3:] == [
        "    return b  # pto: ignore",
        "    pass",
        "    x = 2",
    ]
    assert [text for _, text in document.comments()] == ["# before", "# pto: ignore", "# between"]
    assert [text for _, text in document.chunks[3].comments] == ["# pto: ignore"]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("m.f(a)", "m.f(a, 1)", [3]),
        ("m.f(a)", "m.f(a", [3]),
        ("    x = m.f(a)\n", "", [3]),
        ("    x = m.f(a)\n", "    x = m.f(a)\n\n    # c\n    y = 2\n", [3]),
        ("# between", "# between them", []),
        ("# before\n", "", []),
        ("# before\n", "\n\n\n", []),
        ("    pass\n", "    x = '\n", [4]),
        ("    pass\n", "    x = f(\n", [4]),
        ("    1,\n", "    11,\n", [2]),
        ("import m", "import m as n", [1]),
    ],
)
def test_an_edit_leaves_other_chunks_alone(old: str, new: str, changed: list[int]) -> None:
    document = Document(SOURCE)
    before = document.chunks
    start = SOURCE.index(old)
    change = document.edit(start, start + len(old), new)
    assert [line.removesuffix(" as n") for line in first_lines(document)] == FIRST_LINES
    assert [i for i, (one, other) in enumerate(zip(before, document.chunks)) if one is not other] == changed
    assert len(change.removed) == len(change.added) == len(changed)
    if changed:
        assert change.first == changed[0]


@pytest.mark.parametrize("old", ["def second", "else:", "@pl.function", "if A:", '"""Module."""'])
def test_breaking_and_mending_a_boundary_restores_it(old: str) -> None:
    document = Document(SOURCE)
    start = SOURCE.index(old)
    document.edit(start, start, "    ")
    document.edit(start, start + 4, "")
    assert_same(document, Document(SOURCE))


@pytest.mark.parametrize(
    ("text", "old", "new", "statements"),
    [
        ('x = """\ndef f(a):\n    pass\n"""y\nz\n', "y", "", [3, 2]),
        ('x = """\ndef f(a):\n    pass\n"""y\nz\n', '"""y', "", [3, 3]),
        ('x = """\ndef f(a):\n    pass\nz\n', "z", '"""', [3, 1]),
        ("x = f(\ny = 1\nz = 2\nreturn\n", "return", ")", [4, 1]),
        ("x = f(\ny = 1\nz = 2\n)\n", ")", "]", [1, 3]),
        ("x = f(\ny = 1\nz = 2\n)\n", ")", "", [1, 3]),
        ("x = f(\ny = 1\nz = 2\n)\n", "z = 2", "def = 2", [1, 3]),
    ],
)
def test_an_edit_reaches_statements_far_before_it(text: str, old: str, new: str, statements: list[int]) -> None:
    document = Document(text)
    before = len(document.chunks)
    start = text.rindex(old)
    document.edit(start, start + len(old), new)
    assert [before, len(document.chunks)] == statements
    assert_same(document, Document(text[:start] + new + text[start + len(old) :]))


def test_replacing_the_whole_text_keeps_unchanged_chunks_between_changes() -> None:
    document = Document(SOURCE)
    before = document.chunks
    document.replace_text(SOURCE.replace("import m", "import n").replace("    x = 2", "    x = 3"))
    assert [one is other for one, other in zip(before, document.chunks)] == [True, False, True, True, True, False]


def test_equal_statements_stay_different_chunks() -> None:
    document = Document("x = 1\nx = 1\ny = 2\n")
    document.edit(0, 0, "x = 1\n")
    assert len({id(chunk) for chunk in document.chunks}) == 4


def test_positions_of_a_chunk_follow_it() -> None:
    document = Document("a = 1\n\n张 = f(1)\n")
    where = Span(4, 8)
    assert document.range_in_chunk(1, where) == Range(Position(2, 4), Position(2, 8))
    document.edit(0, 0, "\r\n# 😀\r\n")
    assert document.range_in_chunk(1, where) == Range(Position(4, 4), Position(4, 8))
    assert [document.chunk_index(document.offset(Position(line, 0))) for line in range(5)] == [-1, -1, 0, 0, 1]


def test_the_line_at_an_offset() -> None:
    text = "  # c\n@d\ndef f(  # d\n  a):\n\n  # e\n  if a: # f\n    x"
    document = Document(text)
    chunk = document.chunks[0]
    marks = [text.index(mark) - document.chunk_start(0) for mark in ("@d", "# d", "# e", "if", "# f", "x")]
    found = [chunk.line_at(mark) for mark in marks]
    header = "def f(  # d\n  a):"
    assert [line.text for line in found if line] == ["@d", header, header, "if a:", "if a:", "x"]
    assert Document("  x").chunks[0].line_at(1) is None


def test_a_byte_order_mark_is_ignored_at_the_beginning_alone() -> None:
    document = Document("\ufeffx = 1\n")
    assert [(line.text, line.start, line.column) for line in document.chunks[0].lines] == [("x = 1", 1, 0)]
    document.edit(0, 0, "y\n")
    assert [chunk.lines[0].text for chunk in document.chunks] == ["y", "\ufeffx = 1"]
    document.edit(0, 2, "")
    assert_same(document, Document("\ufeffx = 1\n"))


@pytest.mark.parametrize("text", ["", "\n", "# c", "\ufeff", "   ", "\\\n", "\\"])
def test_texts_of_next_to_nothing(text: str) -> None:
    document = Document(text)
    assert len(document.chunks) == (text == "\\")
    document.edit(len(text), len(text), "\nx = 1")
    assert_same(document, Document(text + "\nx = 1"))
