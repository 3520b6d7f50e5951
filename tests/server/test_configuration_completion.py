"""Completion in configuration files, and that they are not taken for Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pto_lsp.analysis.rules import registry
from pto_lsp.config import KEYS
from tests.support.client import PULLING, RawClient
from tests.support.features import COMMAND, ENCODINGS, cut, position

Server = tuple[RawClient, str]
CODES = list(registry.codes())


@pytest.fixture(scope="module", params=ENCODINGS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with RawClient(COMMAND) as client:
        document = {**PULLING["textDocument"], "completion": {}}
        client.initialize({"textDocument": document, "general": {"positionEncodings": [request.param]}})
        yield client, request.param
        assert client.leave() == 0
        assert client.stderr == b""


def complete(server: Server, name: str, marked: str) -> dict[str, str]:
    """What is offered at ⟦, with what the line becomes."""
    client, encoding = server
    uri, text, offset = f"file:///somewhere/{name}", marked.replace("⟦", ""), marked.index("⟦")
    client.open(uri, text)
    params = {"textDocument": {"uri": uri}, "position": position(text, offset, encoding)}
    items: list[Any] = client.ask("textDocument/completion", params)["result"] or []
    shown = {}
    for item in items:
        typed = cut(text, item["textEdit"]["range"], encoding)
        assert text[:offset].endswith(typed)
        line = text[text.rfind("\n", 0, offset) + 1 : offset - len(typed)] + item["textEdit"]["newText"]
        shown[item["label"]] = line
    client.close(uri)
    return shown


@pytest.mark.parametrize(
    ("name", "marked", "wanted"),
    [
        ("pyproject.toml", "[tool.pto-lsp]\n⟦", list(KEYS)),
        ("pto-lsp.toml", "sel⟦", list(KEYS)),
        ("pto-lsp.toml", 'target = "é𝄞"\n⟦\nignore = []', [key for key in KEYS if key not in ("target", "ignore")]),
        ("pto-lsp.toml", 'select = ["PTO1", "⟦', ["ALL", *CODES]),
        ("pyproject.toml", '[tool.pto-lsp]\nignore = [\n  "PTO101", # 𝄞\n  "PTO⟦"\n]\n', ["ALL", *CODES]),
        ("pyproject.toml", "[tool.pto-lsp.severity]\nPTO⟦", CODES),
        ("pyproject.toml", '[tool.pto-lsp.severity]\nPTO101 = "⟦', ["error", "warning", "information", "hint"]),
        ("pto-lsp.toml", '[per-file-ignores]\n"tests/*" = ["⟦', ["ALL", *CODES]),
        ("pto-lsp.toml", "conformance = ⟦", ["extended", "reference"]),
        ("pto-lsp.toml", "compile-on-save = f⟦", ["true", "false"]),
        ("pyproject.toml", "⟦", []),
        ("pyproject.toml", '[project]\nselect = ["⟦', []),
        ("pto-lsp.toml", 'exclude = ["⟦', []),
    ],
)
def test_keys_codes_and_values(server: Server, name: str, marked: str, wanted: list[str]) -> None:
    assert list(complete(server, name, marked)) == wanted


def test_values_are_quoted_once(server: Server) -> None:
    assert complete(server, "pto-lsp.toml", "conformance = ⟦")["reference"] == 'conformance = "reference"'
    assert complete(server, "pto-lsp.toml", 'conformance = "ref⟦')["reference"] == 'conformance = "reference'
    assert complete(server, "pto-lsp.toml", "compile-on-save = f⟦")["false"] == "compile-on-save = false"


def test_a_configuration_file_is_no_python(server: Server) -> None:
    client, _ = server
    uri = "file:///somewhere/pyproject.toml"
    client.open(uri, '[project]\ndependencies = ["pypto"]\n= broken (\n')
    assert client.answer(client.pull(uri))["result"]["items"] == []
    client.close(uri)
