"""Between our findings and positions and the protocol's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Union

from lsprotocol import types

from pto_lsp.analysis.rules.registry import url
from pto_lsp.analysis.source.encodings import PositionEncoding, column_from_units, column_to_units
from pto_lsp.analysis.source.text import LineTable
from pto_lsp.diagnostics import COMPLAINT, Diagnostic, Position, Range, RelatedLocation, Severity, Tag

SOURCE = "pto-lsp"
COMPILER = "pto-cc"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}
_TAGS = {Tag.UNNECESSARY: types.DiagnosticTag.Unnecessary, Tag.DEPRECATED: types.DiagnosticTag.Deprecated}


_Abilities = Union[types.PublishDiagnosticsClientCapabilities, types.DiagnosticClientCapabilities]


@dataclass(frozen=True, slots=True)
class Client:
    """What the client can do, as far as it changes what it is sent."""

    encoding: PositionEncoding = PositionEncoding.UTF16
    related_information: bool = False
    code_description: bool = False
    tags: frozenset[types.DiagnosticTag] = frozenset()
    pulls_diagnostics: bool = False
    refreshes_diagnostics: bool = False
    configuration: bool = False
    watches_files: bool = False
    registers_configuration: bool = False
    code_actions: bool = False
    resolves_edits: bool = False
    document_changes: bool = False
    annotates_changes: bool = False
    applies_edits: bool = False
    refreshes_lenses: bool = False
    refreshes_hints: bool = False
    progress: bool = False
    status: bool = False

    @staticmethod
    def of(capabilities: types.ClientCapabilities, encoding: PositionEncoding) -> Client:
        document = capabilities.text_document or types.TextDocumentClientCapabilities()
        workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
        publish = document.publish_diagnostics or types.PublishDiagnosticsClientCapabilities()
        pull = document.diagnostic
        # A client that pulls announces these for pulled findings too, some in one place, some in the other.
        sources: list[_Abilities] = [publish] if pull is None else [publish, pull]
        actions = document.code_action or types.CodeActionClientCapabilities()
        resolved = actions.resolve_support.properties if actions.resolve_support is not None else ()
        edits = workspace.workspace_edit or types.WorkspaceEditClientCapabilities()
        tags = [source.tag_support.value_set for source in sources if source.tag_support is not None]
        return Client(
            encoding=encoding,
            related_information=any(source.related_information for source in sources),
            code_description=any(source.code_description_support for source in sources),
            tags=frozenset(tag for values in tags for tag in values),
            pulls_diagnostics=pull is not None,
            refreshes_diagnostics=bool(workspace.diagnostics and workspace.diagnostics.refresh_support),
            configuration=bool(workspace.configuration),
            watches_files=bool(
                workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration
            ),
            registers_configuration=bool(
                workspace.did_change_configuration and workspace.did_change_configuration.dynamic_registration
            ),
            code_actions=actions.code_action_literal_support is not None,
            resolves_edits=bool(actions.data_support) and "edit" in resolved,
            document_changes=bool(edits.document_changes),
            applies_edits=bool(workspace.apply_edit),
            refreshes_lenses=bool(workspace.code_lens and workspace.code_lens.refresh_support),
            refreshes_hints=bool(workspace.inlay_hint and workspace.inlay_hint.refresh_support),
            progress=capabilities.window is not None and bool(capabilities.window.work_done_progress),
            status=experimental(capabilities, "ptoStatus"),
            annotates_changes=edits.change_annotation_support is not None and bool(actions.honors_change_annotations),
        )


def experimental(capabilities: types.ClientCapabilities, name: str) -> bool:
    """Whether the client announces an ability of ours that the protocol does not know."""
    # The protocol library makes objects of the JSON objects it does not know.
    announced = capabilities.experimental
    if isinstance(announced, Mapping):
        return bool(announced.get(name))
    return bool(getattr(announced, name, False))


def offset_of(position: types.Position, table: LineTable, encoding: PositionEncoding) -> int:
    """Offset into the text; clamps as the protocol says: to the end of the line, to the end of the text."""
    if position.line >= table.line_count:
        return len(table.text)
    column = column_from_units(table.line_text(position.line), position.character, encoding)
    return table.offset(position.line, column)


def range_to_protocol(place: Range, table: LineTable | None, encoding: PositionEncoding) -> types.Range:
    """``table`` is None where the text is not at hand; the columns are then taken as they are."""
    return types.Range(_position(place.start, table, encoding), _position(place.end, table, encoding))


def _position(position: Position, table: LineTable | None, encoding: PositionEncoding) -> types.Position:
    line, column = position
    if table is not None and line < table.line_count:
        column = column_to_units(table.line_text(line), column, encoding)
    return types.Position(line, column)


def is_descending(changes: Sequence[types.TextDocumentContentChangeEvent]) -> bool:
    """Whether each change lies before all changes ahead of it, so that all count positions in one and the same text."""
    if len(changes) == 1:
        return True
    last = None
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            return False
        start, end = change.range.start, change.range.end
        if last is not None and (end.line, end.character) > last:
            return False
        last = (start.line, start.character)
    return True


class Documents(Protocol):
    """What has to be known about the files that findings name."""

    def table_of(self, path: str) -> LineTable | None:
        """The lines of a file as the analysis sees it; None where it cannot be read."""

    def uri_of(self, path: str) -> str:
        """The address by which the client knows the file."""


class Converter:
    """Turns findings into what one client understands."""

    def __init__(self, client: Client, documents: Documents) -> None:
        self._client = client
        self._documents = documents

    def diagnostics(self, path: str, found: tuple[Diagnostic, ...]) -> list[types.Diagnostic]:
        table = self._documents.table_of(path) if found else None
        return [self._diagnostic(diagnostic, table) for diagnostic in found]

    def _diagnostic(self, found: Diagnostic, table: LineTable | None) -> types.Diagnostic:
        client = self._client
        message = found.message
        related = None
        if found.related:
            if client.related_information:
                related = [self._related(other) for other in found.related]
            else:
                message = "\n".join([message, *(self._in_words(found, other) for other in found.related)])
        tags = [_TAGS[tag] for tag in found.tags if _TAGS[tag] in client.tags]
        return types.Diagnostic(
            range=range_to_protocol(found.range, table, client.encoding),
            message=message,
            severity=_SEVERITIES[found.severity],
            code=found.code or None,
            code_description=types.CodeDescription(url(found.code)) if client.code_description and found.code else None,
            source=COMPILER if found.name == COMPLAINT else SOURCE,
            tags=tags or None,
            related_information=related,
        )

    def _related(self, other: RelatedLocation) -> types.DiagnosticRelatedInformation:
        place = range_to_protocol(other.range, self._documents.table_of(other.path), self._client.encoding)
        return types.DiagnosticRelatedInformation(
            types.Location(self._documents.uri_of(other.path), place), other.message
        )

    def _in_words(self, found: Diagnostic, other: RelatedLocation) -> str:
        line = other.range.start.line + 1
        place = f"line {line}" if other.path == found.path else f"{other.path}:{line}"
        return f"{other.message} ({place})"
