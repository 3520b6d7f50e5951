"""Which feature answers which request. What needs the analysis is imported when the first request comes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from lsprotocol import types

from pto_lsp.config import FILE_NAMES
from pto_lsp.server.convert import experimental
from pto_lsp.server.uris import to_key

if TYPE_CHECKING:
    from pto_lsp.server.features.look import Look
    from pto_lsp.server.session import Session


PREVIEWED = 20_000
"""Characters of a text in which a pointer that rests on a finding has its quick fix tried out: some 100 ms."""


class Register(Protocol):
    def __call__(self, method: str, handler: Callable[[Any], Any], options: Any = None) -> None:
        """Answer ``method`` with ``handler``, on the thread that owns the project."""


class Features:
    """``session`` gives the session, on the thread that owns it."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session
        self._snippets = False
        self._shows_peers = False

    def register(self, on: Register, capabilities: types.ClientCapabilities) -> None:
        """Offer what the client can show."""
        self._shows_peers = experimental(capabilities, "ptoPeers")
        document = capabilities.text_document or types.TextDocumentClientCapabilities()
        on(types.TEXT_DOCUMENT_HOVER, self._hover)
        symbols = document.document_symbol
        if symbols is not None and symbols.hierarchical_document_symbol_support:
            on(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, self._symbols)
        if document.folding_range is not None:
            on(types.TEXT_DOCUMENT_FOLDING_RANGE, self._folding)
        if document.code_lens is not None:
            on(types.TEXT_DOCUMENT_CODE_LENS, self._lenses, types.CodeLensOptions())
        if document.inlay_hint is not None:
            on(types.TEXT_DOCUMENT_INLAY_HINT, self._inlay_hints, types.InlayHintOptions())
        if document.semantic_tokens is not None:
            from pto_lsp.server.features.token_legend import LEGEND

            on(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, self._tokens, LEGEND)
            on(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, self._tokens, LEGEND)
        if document.document_highlight is not None:
            on(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, self._highlights)
        completion = document.completion
        if completion is not None:
            item = completion.completion_item
            self._snippets = item is not None and bool(item.snippet_support)
            on(types.TEXT_DOCUMENT_COMPLETION, self._completions, types.CompletionOptions(["(", ",", "[", "="]))
        if document.definition is not None:
            on(types.TEXT_DOCUMENT_DEFINITION, self._definition)
        if document.references is not None:
            on(types.TEXT_DOCUMENT_REFERENCES, self._references)
        if document.call_hierarchy is not None:
            on(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, self._prepare_calls)
            on(types.CALL_HIERARCHY_INCOMING_CALLS, self._incoming)
            on(types.CALL_HIERARCHY_OUTGOING_CALLS, self._outgoing)

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        """The page of a rule whose code is under the cursor, else what the analysis knows of the word there."""
        from pto_lsp.server.features.hover import hover, rule_page, with_previews

        session, uri, position = self._session(), params.text_document.uri, params.position
        found = session.line_at(uri, position)
        text = None if found is None else rule_page(*found)
        if text is not None:
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))
        found_there = session.looked(uri, lambda look: hover(look, position))
        return with_previews(found_there, session.fix_previews(uri, position, PREVIEWED))

    def _symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        from pto_lsp.server.features.symbols import symbols

        return self._session().looked(params.text_document.uri, symbols)

    def _folding(self, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        from pto_lsp.server.features.folding import folding_ranges

        module = self._session().module(params.text_document.uri)
        return None if module is None else folding_ranges(module)

    def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens] | None:
        from pto_lsp.server.features.lenses import code_lenses

        session, uri = self._session(), params.text_document.uri
        if not session.is_on(uri, "code-lens"):
            return None
        return session.looked(uri, lambda look: code_lenses(look, self._shows_peers))

    def _inlay_hints(self, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        from pto_lsp.server.features.inlay_hints import inlay_hints

        session, uri = self._session(), params.text_document.uri
        if not session.is_on(uri, "inlay-hints"):
            return None
        return session.looked(uri, lambda look: inlay_hints(look, params.range))

    def _tokens(
        self, params: types.SemanticTokensParams | types.SemanticTokensRangeParams
    ) -> types.SemanticTokens | None:
        from pto_lsp.server.features.semantic_tokens import semantic_tokens

        within = getattr(params, "range", None)
        return self._session().looked(params.text_document.uri, lambda look: semantic_tokens(look, within))

    def _highlights(self, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        from pto_lsp.server.features.highlight import highlights

        return self._session().looked(params.text_document.uri, lambda look: highlights(look, params.position))

    def _completions(self, params: types.CompletionParams) -> list[types.CompletionItem] | None:
        from pto_lsp.server.features.completion import completions

        session, uri = self._session(), params.text_document.uri
        if os.path.basename(to_key(uri)) in FILE_NAMES:
            return session.configuration_completions(uri, params.position)

        def answer(look: Look) -> list[types.CompletionItem] | None:
            return completions(look, params.position, session.found_in(uri), self._snippets)

        return session.looked(uri, answer)

    def _definition(self, params: types.DefinitionParams) -> list[types.Location] | None:
        from pto_lsp.server.features.navigation import definition

        return self._session().looked(params.text_document.uri, lambda look: definition(look, params.position))

    def _references(self, params: types.ReferenceParams) -> list[types.Location] | None:
        from pto_lsp.server.features.navigation import references

        session, uri = self._session(), params.text_document.uri
        declaration = params.context.include_declaration

        def answer(look: Look) -> list[types.Location] | None:
            with session.doing("looking for references"):
                return references(look, params.position, declaration, lambda: session.files_around(uri))

        return session.looked(uri, answer)

    def _prepare_calls(self, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
        from pto_lsp.server.features.call_hierarchy import prepare

        return self._session().looked(params.text_document.uri, lambda look: prepare(look, params.position))

    def _incoming(self, params: types.CallHierarchyIncomingCallsParams) -> list[types.CallHierarchyIncomingCall] | None:
        from pto_lsp.server.features.call_hierarchy import incoming

        return self._session().looked(params.item.uri, lambda look: incoming(look, params.item))

    def _outgoing(self, params: types.CallHierarchyOutgoingCallsParams) -> list[types.CallHierarchyOutgoingCall] | None:
        from pto_lsp.server.features.call_hierarchy import outgoing

        return self._session().looked(params.item.uri, lambda look: outgoing(look, params.item))
