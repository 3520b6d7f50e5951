"""The shells with the real analysis: the editor shows what the command line prints, also while a text is edited."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.client import PULLING, Message, RawClient, edit

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "pto_lsp"]
FILES = sorted((ROOT / "examples").rglob("*.py"))

Found = tuple[str, str, int, int, int, int]


@pytest.fixture(scope="module")
def server() -> Iterator[RawClient]:
    capabilities = {**PULLING, "general": {"positionEncodings": ["utf-32"]}}
    with RawClient(COMMAND) as client:
        client.initialize(capabilities, rootUri=ROOT.as_uri())
        yield client
        assert client.leave() == 0
        assert client.stderr == b""


def from_editor(items: list[Message]) -> list[Found]:
    found = []
    for item in items:
        start, end = item["range"]["start"], item["range"]["end"]
        place = (start["line"] + 1, start["character"] + 1, end["line"] + 1, end["character"] + 1)
        found.append((item["code"], item["message"], *place))
    return found


def from_command_line(items: list[Message]) -> list[Found]:
    found = []
    for item in items:
        start, end = item["location"], item["end_location"]
        found.append((item["code"], item["message"], start["row"], start["column"], end["row"], end["column"]))
    return found


def test_editor_and_command_line_agree_on_every_example(server: RawClient) -> None:
    command = [*COMMAND, "check", "--output-format", "json", *map(str, FILES)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    printed: dict[str, list[Message]] = {str(path): [] for path in FILES}
    for item in json.loads(done.stdout):
        printed[item["filename"]].append(item)
    for path in FILES:
        server.open(path.as_uri(), path.read_text(encoding="utf-8"))
    for path in FILES:
        report = server.answer(server.pull(path.as_uri()))["result"]
        assert from_editor(report["items"]) == from_command_line(printed[str(path)])
        server.close(path.as_uri())
    assert sum(map(len, printed.values())) > 5


def test_breaking_and_healing_a_line_keeps_the_findings_elsewhere(server: RawClient) -> None:
    path = ROOT / "examples" / "decoder" / "decoder_layer.py"
    uri, text = path.as_uri(), path.read_text(encoding="utf-8")
    server.open(uri, text)
    before = from_editor(server.answer(server.pull(uri))["result"]["items"])
    assert before
    broken = "张量 = (1 +\n"
    for version in range(2, 22, 2):
        server.change(uri, version, edit((0, 0), (0, 0), broken))
        during = from_editor(server.answer(server.pull(uri))["result"]["items"])
        assert during[0][0] == "PTO001"
        assert [(code, message) for code, message, *_ in during[1:]] == [(code, text) for code, text, *_ in before]
        server.change(uri, version + 1, edit((0, 0), (1, 0), ""))
        assert from_editor(server.answer(server.pull(uri))["result"]["items"]) == before
    server.close(uri)


def test_an_edit_of_a_module_changes_the_findings_of_one_that_imports_it(tmp_path: Path) -> None:
    config, layer = tmp_path / "sizes.py", tmp_path / "layer.py"
    config.write_text("STEPS = 4\n")
    layer.write_text(
        """\
import pypto.language as pl
from sizes import STEPS

T = pl.Tensor[[64, 64], pl.FP32]


@pl.jit.incore
def kernel(x: pl.Tensor[[64, 64], pl.FP32], y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    total = pl.add(pl.load(x, [0, 0], [64, 64]), pl.load(y, [0, 0], [64, 64]))
    y = pl.store(total, [0, 0], y)
    return y


@pl.jit.graph
def layer(x: pl.Tensor[[64, 64], pl.FP32], y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):
    for i in pl.range(STEPS):
        y = kernel(x, y)
    return y
"""
    )
    with RawClient(COMMAND) as client:
        client.initialize()
        client.open(layer.as_uri(), layer.read_text())
        assert client.published(layer.as_uri(), 1) == []
        client.open(config.as_uri(), "STEPS = 4000\n")
        assert [d["code"] for d in client.published(layer.as_uri(), 1)] == ["PTO409"]
        client.change(config.as_uri(), 2, "STEPS = 40\n")
        assert client.published(layer.as_uri(), 1) == []
        config.write_text("STEPS = 9999\n")
        client.close(config.as_uri())
        assert [d["code"] for d in client.published(layer.as_uri(), 1)] == ["PTO409"]
        config.write_text("STEPS = 9\n")
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": config.as_uri(), "type": 2}]})
        assert client.published(layer.as_uri(), 1) == []
