"""A repair with the abilities that real editors announce: asked for, resolved if they can, applied."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.quickfix.kernels import jit

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]

TEXT = jit(
    """\
@pl.jit
def main(w: <W>, acc: pl.InOut[<T>]):
    for 层 in pl.range(4):
        with pl.graph("layer"):
            base = 层 * 64
            acc = row(w, base, acc)
    return acc
"""
)
REPAIRED = TEXT.replace(
    '        with pl.graph("layer"):\n            base = 层 * 64\n',
    '        base = 层 * 64\n        with pl.graph("layer"):\n',
)


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    config=ClientServerConfig(server_command=[sys.executable, "-m", "pto_lsp"]),
    params=["visual_studio_code", "neovim", "emacs"],
)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest) -> AsyncGenerator[None, None]:
    lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
    capabilities = client_capabilities(request.param)
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities))
    yield
    await lsp_client.shutdown_session()


async def test_a_hoist(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "layer.py").as_uri()
    item = types.TextDocumentItem(uri, types.LanguageKind.Python, 1, TEXT)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    line = next(number for number, text in enumerate(TEXT.splitlines()) if text.lstrip().startswith("base ="))
    place = types.Range(types.Position(line, 14), types.Position(line, 14))
    context = types.CodeActionContext([], only=[types.CodeActionKind.QuickFix])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, context)
    actions = await client.text_document_code_action_async(params)
    action = next(a for a in actions or () if isinstance(a, types.CodeAction) and a.title.startswith("Hoist"))
    if action.edit is None:
        action = await client.code_action_resolve_async(action)
    assert action.edit is not None
    assert _applied(TEXT, action.edit, uri) == REPAIRED


def _applied(text: str, edit: types.WorkspaceEdit, uri: str) -> str:
    if edit.document_changes is not None:
        (change,) = edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert (change.text_document.uri, change.text_document.version) == (uri, 1)
        edits = list(change.edits)
    else:
        edits = list((edit.changes or {})[uri])
    lines = text.splitlines(keepends=True)
    # Everything that changes here is whole lines, so the encoding of columns does not matter.
    for each in reversed(edits):
        assert isinstance(each, (types.TextEdit, types.AnnotatedTextEdit))
        assert each.range.start.character == each.range.end.character == 0
        lines[each.range.start.line : each.range.end.line] = [each.new_text]
    return "".join(lines)
