"""The server's text is the client's text after any sequence of edits, in every encoding."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from pto_lsp.analysis.source.encodings import PositionEncoding
from pto_lsp.analysis.source.text import LineTable
from pto_lsp.project import Project
from pto_lsp.server.convert import Client
from pto_lsp.server.editor_settings import EditorSettings
from pto_lsp.server.session import Session
from pto_lsp.server.status import Health
from pto_lsp.server.worker import Worker
from tests.support.effort import examples

CODECS = {
    PositionEncoding.UTF8: ("utf-8", 1),
    PositionEncoding.UTF16: ("utf-16-le", 2),
    PositionEncoding.UTF32: ("utf-32-le", 4),
}
URI, PATH = "file:///sync.py", "/sync.py"
FRAGMENTS = st.lists(
    st.sampled_from(
        ["a", "张", "é", "😀", "\n", "\r\n", "\r", "\x0c", "\u2028", "\x85", "\x0b", "\t", "\ufeff", "(", "'", "# "]
    ),
    max_size=8,
).map("".join)


class Outbox:
    def publish(self, uri: str, version: int | None, items: list[types.Diagnostic]) -> None: ...

    def refresh(self) -> None: ...

    def log(self, text: str) -> None:
        raise AssertionError(text)

    def doing(self, title: str) -> AbstractContextManager[None]:
        return nullcontext()

    def state(self, part: str, health: Health = Health.OK, message: str = "") -> None: ...


def position(text: str, offset: int, encoding: PositionEncoding) -> types.Position:
    """Where a client sees an offset: counted from scratch, with nothing of ours."""
    before = re.split(r"\r\n|\r|\n", text[:offset])
    codec, width = CODECS[encoding]
    return types.Position(len(before) - 1, len(before[-1].encode(codec)) // width)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, PositionEncoding, list[list[tuple[int, int, str]]]]:
    """A text, and messages of edits as offsets into the text as it is by then."""
    text = start = draw(FRAGMENTS)
    messages = []
    for _ in range(draw(st.integers(1, 4))):
        message = []
        for _ in range(draw(st.integers(1, 3))):
            # A client's positions never lie inside of a line end.
            places = [i for i in range(len(text) + 1) if text[max(0, i - 1) : i + 1] != "\r\n"]
            first, last = sorted((draw(st.sampled_from(places)), draw(st.sampled_from(places))))
            fragment = draw(FRAGMENTS)
            message.append((first, last, fragment))
            text = text[:first] + fragment + text[last:]
        messages.append(message)
    return start, draw(st.sampled_from(list(PositionEncoding))), messages


def session(encoding: PositionEncoding) -> tuple[Session, Project]:
    worker = Worker(lambda: None, lambda fault: None)
    made = Session(Client(encoding=encoding), Outbox(), worker, "/", EditorSettings())
    return made, made._project


@settings(max_examples=examples(150), deadline=None)
@given(edits())
def test_any_sequence_of_edits(case: tuple[str, PositionEncoding, list[list[tuple[int, int, str]]]]) -> None:
    text, encoding, messages = case
    server, project = session(encoding)
    server.open(URI, 1, text)
    for version, message in enumerate(messages, start=2):
        changes: list[types.TextDocumentContentChangeEvent] = []
        for first, last, fragment in message:
            place = types.Range(position(text, first, encoding), position(text, last, encoding))
            changes.append(types.TextDocumentContentChangePartial(place, fragment))
            text = text[:first] + fragment + text[last:]
        server.change(URI, version, changes)
        assert project.text(PATH) == text
        assert project.line_table(PATH).line_starts() == LineTable(text).line_starts()


@pytest.mark.parametrize("encoding", list(PositionEncoding))
def test_positions_outside_of_the_text_are_brought_inside(encoding: PositionEncoding) -> None:
    server, project = session(encoding)
    server.open(URI, 1, "ab\n😀d")

    def change(start: tuple[int, int], end: tuple[int, int], text: str) -> str | None:
        place = types.Range(types.Position(*start), types.Position(*end))
        server.change(URI, 2, [types.TextDocumentContentChangePartial(place, text)])
        return project.text(PATH)

    assert change((0, 99), (0, 99), "c") == "abc\n😀d"
    assert change((9, 9), (9, 9), "!") == "abc\n😀d!"
    assert change((0, 3), (0, 1), "x") == "abcx\n😀d!", "an end before its start counts as the start"
