"""Code actions: a list that costs next to nothing, edits that are computed, and proved, when one is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from pto_lsp.config import Settings
from pto_lsp.diagnostics import Applicability, Diagnostic, Range, TextEdit
from pto_lsp.project import Project
from pto_lsp.quickfix import convert
from pto_lsp.quickfix.engine import FixEngine
from pto_lsp.quickfix.file_index import FileIndex
from pto_lsp.quickfix.fix_all import FixAll, Left, Repaired, line_edits
from pto_lsp.quickfix.preview import Preview, preview
from pto_lsp.quickfix.registry import FIXABLE, HOISTS, Action
from pto_lsp.quickfix.rewriter import Refused
from pto_lsp.quickfix.suppress import suppression
from pto_lsp.server.convert import Client, Converter, Documents, range_to_protocol

FIX_ALL = "source.fixAll.pto-lsp"
QUICK_FIX = types.CodeActionKind.QuickFix
REWRITE = types.CodeActionKind.RefactorRewrite
ELSEWHERE = "pto-lsp.elsewhere"
UNSAFE = "pto-lsp.unsafe"
ORDERING = ("PTO6", "PTO7", "PTO8")
_OTHERS = ("all", "convert", "suppress")
"""What an action may do besides the kinds of repair."""


class RequestFailed(JsonRpcException):
    """The request was understood and cannot be answered; the message says why."""

    CODE = -32803
    MESSAGE = "Request Failed"


class Host(Documents, Protocol):
    """What has to be known about open documents."""

    def version_of(self, path: str) -> int | None:
        """The version of an open document; None for a file that is not open."""

    def findings_of(self, path: str) -> tuple[Diagnostic, ...]:
        """The present findings of an open document."""


class _Wanted(NamedTuple):
    """The data of an action: what to do about which finding, on its way to the client and back."""

    action: str
    path: str
    version: int
    code: str = ""
    subject: str = ""
    function: str = ""
    line: int = 0

    @staticmethod
    def read(data: Any) -> _Wanted:
        """Raises `RequestFailed` for data that is not ours."""
        if isinstance(data, dict) and set(data) == set(_Wanted._fields):
            wanted = _Wanted(**data)
            texts = (wanted.action, wanted.path, wanted.code, wanted.subject, wanted.function)
            numbers = (wanted.version, wanted.line)
            known = [*_OTHERS, *(action.value for action in Action)]
            well_typed = all(isinstance(each, str) for each in texts) and all(isinstance(n, int) for n in numbers)
            if well_typed and wanted.action in known:
                return wanted
        raise RequestFailed("this action is not one of pto-lsp")


class CodeActions:
    """The actions of one session. ``root`` gives the folder whose files may call the functions of a file."""

    def __init__(
        self,
        client: Client,
        host: Host,
        converter: Converter,
        project: Project,
        root: Callable[[str], str],
        settings_for: Callable[[str], Settings],
        index: FileIndex,
    ) -> None:
        self._client = client
        self._host = host
        self._converter = converter
        self._project = project
        self._root = root
        self._settings_for = settings_for
        self._index = index
        self._engine = FixEngine(project, root, index)

    def actions(
        self, path: str, version: int, found: Iterable[Diagnostic], place: Range, only: Iterable[str] | None
    ) -> list[types.CodeAction]:
        """The actions for the findings of ``path`` that touch ``place``; ``only`` are kinds, with their sub-kinds."""
        kinds = None if only is None else tuple(only)

        def wanted(kind: str) -> bool:
            return kinds is None or any(kind == each or kind.startswith(f"{each}.") or each == "" for each in kinds)

        here = [each for each in found if _touch(each.range, place)]
        actions: list[types.CodeAction] = []
        if wanted(QUICK_FIX.value):
            for diagnostic in here:
                actions.extend(self._repairs(path, version, diagnostic))
            for diagnostic in here:
                actions.extend(self._suppressions(path, version, diagnostic))
        if wanted(REWRITE.value):
            actions.extend(self._graphs(path, version, here))
            actions.extend(self._conversion(path, version, place.start.line))
        # Asked for by name when a client saves; in a menu it would be in the way where it does nothing.
        if wanted(FIX_ALL) and any(each.fix is not None or each.code in FIXABLE for each in found):
            data = _Wanted("all", path, version)
            actions.append(self._action("Fix all that pto-lsp can fix safely", FIX_ALL, data))
        return [action for action in map(self._complete, actions) if action is not None]

    def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """The action with its edit, for the text as it is now. Raises `RequestFailed`, with the reason."""
        wanted = _Wanted.read(action.data)
        if self._host.version_of(wanted.path) is None:
            raise RequestFailed("the document is not open any more")
        try:
            edits, safe = self._edits(wanted)
        except Refused as why:
            raise RequestFailed(f"{action.title}: {why}") from why
        action.edit = self._workspace_edit(edits, wanted.path, safe)
        return action

    def fix_all(self, path: str) -> tuple[types.WorkspaceEdit | None, int, tuple[Left, ...]]:
        """All safe repairs of a file as one edit, how many they are, and what is left."""
        repaired = self._repaired(path)
        edits = self._line_edits(repaired)
        edit = self._workspace_edit(edits, path, True) if edits else None
        return edit, repaired.fixed, repaired.left

    def previews(self, path: str, found: Iterable[Diagnostic]) -> list[Preview]:
        """What the repairs of findings about the order of tasks would do to it; of those that can be made."""
        shown: list[Preview] = []
        for diagnostic in found:
            if diagnostic.code.startswith(ORDERING) and diagnostic.code in FIXABLE:
                fix = self._engine.fix(path, diagnostic)
                if fix is not None:
                    shown += preview(self._project, path, fix)
        return shown

    # Listing

    def _repairs(self, path: str, version: int, diagnostic: Diagnostic) -> Iterator[types.CodeAction]:
        fix = self._engine.offer(path, diagnostic)
        if fix is not None:
            safe = fix.applicability is Applicability.SAFE
            title = fix.title if safe else f"{fix.title} (unsafe)"
            data = _wanted(Action.FIX.value, path, version, diagnostic)
            action = self._action(title, QUICK_FIX, data, diagnostic)
            action.is_preferred = True if safe else None
            yield action

    def _suppressions(self, path: str, version: int, diagnostic: Diagnostic) -> Iterator[types.CodeAction]:
        module = self._project.module(path)
        if module is not None and diagnostic.fix is None and suppression(module, diagnostic) is not None:
            data = _wanted("suppress", path, version, diagnostic)
            yield self._action(f"Ignore {diagnostic.code} on this line", QUICK_FIX, data, diagnostic)

    def _graphs(self, path: str, version: int, here: list[Diagnostic]) -> Iterator[types.CodeAction]:
        seen: set[str] = set()
        for diagnostic in here:
            if diagnostic.code in HOISTS and diagnostic.function not in seen:
                seen.add(diagnostic.function)
                fix = self._engine.offer(path, diagnostic, Action.GRAPH)
                if fix is not None:
                    safe = fix.applicability is Applicability.SAFE
                    title = fix.title if safe else f"{fix.title} (unsafe)"
                    yield self._action(title, REWRITE, _wanted(Action.GRAPH.value, path, version, diagnostic))

    def _conversion(self, path: str, version: int, line: int) -> Iterator[types.CodeAction]:
        title = convert.title(self._project, path, self._offset(path, line))
        if title is not None:
            yield self._action(title, REWRITE, _Wanted("convert", path, version, line=line))

    def _offset(self, path: str, line: int) -> int:
        """Where the text of a line begins."""
        table = self._project.line_table(path)
        text = table.line_text(line)
        return table.offset(line, len(text) - len(text.lstrip()))

    def _action(
        self, title: str, kind: types.CodeActionKind | str, data: _Wanted, diagnostic: Diagnostic | None = None
    ) -> types.CodeAction:
        about = None if diagnostic is None else self._converter.diagnostics(diagnostic.path, (diagnostic,))
        return types.CodeAction(title, kind, about, data=data._asdict())

    def _complete(self, action: types.CodeAction) -> types.CodeAction | None:
        """For a client that cannot ask for the edit later, it comes at once."""
        if self._client.resolves_edits:
            return action
        try:
            resolved = self.resolve(action)
        except RequestFailed:
            return None
        resolved.data = None
        return resolved

    # Edits

    def _edits(self, wanted: _Wanted) -> tuple[tuple[TextEdit, ...], bool]:
        path = wanted.path
        if wanted.action == "all":
            return self._line_edits(self._repaired(path)), True
        if wanted.action == "convert":
            if self._host.version_of(path) != wanted.version:
                raise Refused("the text has changed")
            fix = convert.convert(self._project, path, self._offset(path, wanted.line), self._root, self._index)
            return fix.edits, fix.applicability is Applicability.SAFE
        diagnostic = self._find(wanted)
        if wanted.action == "suppress":
            module = self._project.module(path)
            edit = suppression(module, diagnostic) if module is not None else None
            if edit is None:
                raise Refused("no comment can stand there")
            return (edit,), True
        fix = self._engine.attempt(path, diagnostic, Action(wanted.action))
        return fix.edits, fix.applicability is Applicability.SAFE

    def _find(self, wanted: _Wanted) -> Diagnostic:
        """The finding in the present text: the one nearest to where it was when the actions were listed."""
        about = (wanted.code, wanted.subject, wanted.function)
        same = [d for d in self._host.findings_of(wanted.path) if (d.code, d.subject, d.function) == about]
        if self._host.version_of(wanted.path) != wanted.version and len(same) > 1:
            raise Refused("the text has changed, and several findings look alike now")
        if not same:
            raise Refused("the finding is gone")
        return min(same, key=lambda d: abs(d.range.start.line - wanted.line))

    def _repaired(self, path: str) -> Repaired:
        return FixAll(self._project, self._root, self._settings_for, index=self._index).run([path])

    def _line_edits(self, repaired: Repaired) -> tuple[TextEdit, ...]:
        edits: list[TextEdit] = []
        for path, text in repaired.texts.items():
            edits.extend(line_edits(path, self._project.text(path) or "", text))
        return tuple(edits)

    def _workspace_edit(self, edits: tuple[TextEdit, ...], origin: str, safe: bool) -> types.WorkspaceEdit:
        by_path: dict[str, list[TextEdit]] = {}
        for edit in edits:
            by_path.setdefault(edit.path, []).append(edit)
        if not self._client.document_changes:
            changes = {self._host.uri_of(path): [self._plain(e) for e in of] for path, of in by_path.items()}
            return types.WorkspaceEdit(changes=changes)
        annotations: dict[str, types.ChangeAnnotation] = {}
        documents: list[Any] = []
        for path, of_path in by_path.items():
            annotation = self._annotation(path, origin, safe, annotations)
            version = self._host.version_of(path)
            identifier = types.OptionalVersionedTextDocumentIdentifier(self._host.uri_of(path), version)
            converted: list[Any] = [self._plain(edit) for edit in of_path]
            if annotation is not None:
                converted = [types.AnnotatedTextEdit(annotation, each.range, each.new_text) for each in converted]
            documents.append(types.TextDocumentEdit(identifier, converted))
        return types.WorkspaceEdit(document_changes=documents, change_annotations=annotations or None)

    def _annotation(
        self, path: str, origin: str, safe: bool, annotations: dict[str, types.ChangeAnnotation]
    ) -> str | None:
        """Changes of other files are labelled; those that are not safe want to be confirmed."""
        if not self._client.annotates_changes or (safe and path == origin):
            return None
        if safe:
            annotations[ELSEWHERE] = types.ChangeAnnotation("Call sites in other files", False)
            return ELSEWHERE
        label = "Some place that uses this may not be known"
        annotations[UNSAFE] = types.ChangeAnnotation(label, True, "Look at every call before you apply it")
        return UNSAFE

    def _plain(self, edit: TextEdit) -> types.TextEdit:
        place = range_to_protocol(edit.range, self._host.table_of(edit.path), self._client.encoding)
        return types.TextEdit(place, edit.content)


def _wanted(action: str, path: str, version: int, diagnostic: Diagnostic) -> _Wanted:
    line = diagnostic.range.start.line
    return _Wanted(action, path, version, diagnostic.code, diagnostic.subject, diagnostic.function, line)


def _touch(one: Range, other: Range) -> bool:
    return one.start <= other.end and other.start <= one.end
