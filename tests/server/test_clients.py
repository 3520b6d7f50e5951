"""The same session with the abilities of real editors; anything they have not announced is an error."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.support.client import LAUNCH

EDITORS = ["visual_studio_code", "neovim", "emacs"]

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=[sys.executable, str(LAUNCH)]),
    params=EDITORS,
)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest) -> AsyncGenerator[None, None]:
    lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
    capabilities = client_capabilities(request.param)
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities))
    yield
    await lsp_client.shutdown_session()


async def findings(client: LanguageClient, uri: str) -> list[tuple[str, int]]:
    """Code and line of each finding, the way this client gets them."""
    if client.capabilities.text_document and client.capabilities.text_document.diagnostic:
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        report = await client.text_document_diagnostic_async(params)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        assert uri not in client.diagnostics, "both pushed and pulled"
        items = list(report.items)
    else:
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        items = list(client.diagnostics[uri])
    return [(str(item.code), item.range.start.line) for item in items]


async def test_a_session(client: LanguageClient) -> None:
    uri = "file:///session.py"
    document = types.TextDocumentItem(uri, types.LanguageKind.Python, 1, "pypto\nBAD FAINT\n")
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    assert await findings(client, uri) == [("PTO101", 1), ("PTO106", 1)]
    start = types.Position(1, 0)
    change = types.TextDocumentContentChangePartial(types.Range(start, start), "WRONG\n")
    identifier = types.VersionedTextDocumentIdentifier(2, uri)
    client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    assert await findings(client, uri) == [("PTO001", 1), ("PTO101", 2), ("PTO106", 2)]
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert client.messages == []
