"""The server's session in this process, without threads: what is done is done at once."""

from __future__ import annotations

import logging
import re
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext, suppress

from lsprotocol import types

from pto_lsp.analysis.source.encodings import PositionEncoding
from pto_lsp.checking import checked
from pto_lsp.config import SettingsResolver
from pto_lsp.diagnostics import Diagnostic
from pto_lsp.project import Cancelled, Project
from pto_lsp.server.convert import Client
from pto_lsp.server.editor_settings import EditorSettings
from pto_lsp.server.session import Session
from pto_lsp.server.status import Health
from pto_lsp.server.uris import to_uri
from pto_lsp.server.worker import Worker
from tests.robustness.fuzzing.edits import Edit

_CODECS = {
    PositionEncoding.UTF8: ("utf-8", 1),
    PositionEncoding.UTF16: ("utf-16-le", 2),
    PositionEncoding.UTF32: ("utf-32-le", 4),
}


class Unexpected(Exception):
    """The server said that something went wrong inside of it."""


class Silent:
    """An outbox that nobody reads. ``versions``: what a client has sent last, by URI."""

    def __init__(self) -> None:
        self.versions: dict[str, int] = {}

    def publish(self, uri: str, version: int | None, items: list[types.Diagnostic]) -> None: ...

    def refresh(self) -> None: ...

    def log(self, text: str) -> None: ...

    def apply(self, label: str, edit: types.WorkspaceEdit) -> Future[types.ApplyWorkspaceEditResult]:
        return Future()

    def doing(self, title: str) -> AbstractContextManager[None]:
        return nullcontext()

    def state(self, part: str, health: Health = Health.OK, message: str = "") -> None: ...


class Outbox(Silent):
    """Remembers the last version that was published for each document, and refuses an older one."""

    def __init__(self) -> None:
        super().__init__()
        self.published: dict[str, int] = {}

    def publish(self, uri: str, version: int | None, items: list[types.Diagnostic]) -> None:
        if version is not None:
            if version != self.versions[uri]:
                raise Unexpected(f"findings of version {version} when {self.versions[uri]} was known")
            if version < self.published.get(uri, 0):
                raise Unexpected(f"version {version} published after {self.published[uri]}")
            self.published[uri] = version

    def log(self, text: str) -> None:
        # How long a step may take is the report's affair.
        if "more than" not in text:
            raise Unexpected(text)


class _Raise(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise Unexpected(self.format(record))


def raise_what_is_logged() -> None:
    """A fault inside a rule is caught and logged: here it is what is looked for."""
    logger = logging.getLogger("pto_lsp")
    logger.handlers = [_Raise(logging.ERROR)]
    logger.propagate = False


class Editor:
    """A client in UTF-16 with a session of its own; offsets are code points of the text as it is."""

    def __init__(self, encoding: PositionEncoding = PositionEncoding.UTF16, outbox: Silent | None = None) -> None:
        self.texts: dict[str, str] = {}
        self._encoding = encoding
        self._outbox = Outbox() if outbox is None else outbox
        self._worker = Worker(lambda: None, self._failed)
        self.session = Session(Client(encoding=encoding), self._outbox, self._worker, "/", EditorSettings())

    def open(self, path: str, text: str) -> None:
        self.texts[path] = text
        self._outbox.versions[to_uri(path)] = 1
        self.session.open(to_uri(path), 1, text)

    def edit(self, path: str, edit: Edit) -> None:
        uri, text = to_uri(path), self.texts[path]
        self._outbox.versions[uri] += 1
        place = types.Range(self._position(text, edit.start), self._position(text, edit.end))
        change = types.TextDocumentContentChangePartial(place, edit.content)
        self.texts[path] = text[: edit.start] + edit.content + text[edit.end :]
        self.session.change(uri, self._outbox.versions[uri], [change])

    def replace(self, path: str, text: str) -> None:
        """The whole text at once."""
        uri = to_uri(path)
        self._outbox.versions[uri] += 1
        self.texts[path] = text
        self.session.change(uri, self._outbox.versions[uri], [types.TextDocumentContentChangeWholeDocument(text)])

    def settle(self) -> None:
        """Compute and publish everything that waits."""
        while self.session.report_next() is not None:
            pass

    def stop_after(self, path: str, questions: int) -> None:
        """Begin to compute findings, and give up at the ``questions``-th time that it is asked whether to go on."""
        left = iter(range(questions))
        with suppress(Cancelled):
            self.session._project.check(path, lambda: next(left, None) is None)

    def findings(self, path: str) -> tuple[Diagnostic, ...]:
        return self.session.findings_of(path)

    def differences(self) -> list[str]:
        """Where this session, after all its edits, differs from a new one with the same texts."""
        project = Project(SettingsResolver("/").for_file)
        for path, text in self.texts.items():
            project.open(path, text)
        found = []
        for path, text in self.texts.items():
            table = self.session.table_of(path)
            if table is None or table.text != text:
                found.append(f"{path}: the server has another text")
                continue
            cold = checked(project, path, SettingsResolver("/").for_file(path))
            warm = self.findings(path)
            if warm != cold:
                found += [f"{path}: only after edits: {each}" for each in warm if each not in cold]
                found += [f"{path}: only in a new session: {each}" for each in cold if each not in warm]
        return found

    def _position(self, text: str, offset: int) -> types.Position:
        line_start, line = 0, 0
        for end in re.finditer(r"\r\n|\r|\n", text[:offset]):
            line_start, line = end.end(), line + 1
        codec, width = _CODECS[self._encoding]
        return types.Position(line, len(text[line_start:offset].encode(codec, "surrogatepass")) // width)

    @staticmethod
    def _failed(fault: BaseException) -> None:
        raise fault
