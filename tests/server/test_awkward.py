"""The real server and what real clients did to other servers: each row is a bug report against one of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.client import CAPABILITIES, PULLING, Message, RawClient

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "pto_lsp"]
BAD = "import pypto; x = = 1"
COLUMN = 18
"""Of the second ``=``, which Python cannot read."""


@pytest.fixture(scope="module")
def server() -> Iterator[RawClient]:
    with RawClient(COMMAND, cwd=ROOT) as client:
        client.initialize()
        yield client
        assert client.leave() == 0
        assert client.stderr == b""
        assert not [m for m in client.received if m.get("method") in ("window/showMessage", "window/logMessage")]


def places(found: list[Message], code: str = "PTO001") -> list[tuple[int, int]]:
    starts = [each["range"]["start"] for each in found if each["code"] == code]
    return [(start["line"], start["character"]) for start in starts]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\r\n" + BAD + "\r\n", 1),
        ("x = 1\r" + BAD + "\r", 1),
        ("\ufeffx = 1\n" + BAD + "\n", 1),
        ("x = 1\n\x0c\n" + BAD + "\n", 2),
        ("x = 1  # \u2028 \x85 \x0b\n" + BAD + "\n", 1),
        ("if True:\n\tx = 1\n" + BAD + "\n", 2),
        ("x = 1\n" + BAD, 1),
    ],
)
def test_lines_are_those_of_the_client(server: RawClient, text: str, line: int) -> None:
    uri = f"file:///lines_{abs(hash(text))}.py"
    server.open(uri, text)
    assert places(server.published(uri, 1)) == [(line, COLUMN)]
    server.close(uri)
    assert server.published(uri) == []


@pytest.mark.parametrize("prefix", ['q = "张量中文"; ', 'q = "\U0001f600\U0001f680"; ', "q = '\t'; "])
@pytest.mark.parametrize(
    ("encoding", "codec", "width"), [("utf-8", "utf-8", 1), ("utf-16", "utf-16-le", 2), ("utf-32", "utf-32-le", 4)]
)
def test_columns_are_those_of_the_client(prefix: str, encoding: str, codec: str, width: int) -> None:
    with RawClient(COMMAND, cwd=ROOT) as client:
        chosen = client.initialize({**CAPABILITIES, "general": {"positionEncodings": [encoding]}})
        assert chosen["positionEncoding"] == encoding
        client.open("file:///columns.py", prefix + BAD)
        expected = len((prefix + BAD[:COLUMN]).encode(codec)) // width
        assert places(client.published("file:///columns.py", 1)) == [(0, expected)]


@pytest.mark.parametrize(
    ("expression", "too_deep"),
    [
        ("(" * 90 + "1" + ")" * 90, False),
        ("(" * 250 + "1" + ")" * 250, True),
        ("-" * 3000 + "1", True),
        ("+".join(["a"] * 5000), True),
        ("[" * 20_000, True),
        ("'" + "x" * 1_000_000 + "'", False),
    ],
)
def test_bombs_cost_themselves_only(server: RawClient, expression: str, too_deep: bool) -> None:
    uri = f"file:///deep_{abs(hash(expression))}.py"
    server.open(uri, f"{BAD}\nx = {expression}\n")
    found = server.published(uri, 1)
    assert (0, COLUMN) in places(found)
    assert bool(places(found, "PTO008")) is too_deep
    server.open("file:///next.py", BAD)
    assert places(server.published("file:///next.py", 1)) == [(0, COLUMN)]
    server.close("file:///next.py")
    server.published("file:///next.py")


def test_what_is_known_stays_while_another_line_is_being_typed(server: RawClient) -> None:
    uri = "file:///typing.py"
    server.open(uri, BAD + "\n")
    assert places(server.published(uri, 1)) == [(0, COLUMN)]
    for version, typed in enumerate(("def broken(", "def broken(:", "def broken():", "def broken(): pass"), start=2):
        server.change(uri, version, f"{BAD}\n{typed}\n")
        assert (0, COLUMN) in places(server.published(uri, version))


def test_a_pull_right_behind_a_change_describes_the_new_text() -> None:
    uri = "file:///pulled.py"
    with RawClient(COMMAND, cwd=ROOT) as client:
        client.initialize(PULLING)
        client.open(uri, "import pypto\n")
        for version in range(2, 102):
            client.change(uri, version, (BAD if version % 2 else "import pypto") + "\n" * version)
            report = client.answer(client.pull(uri))["result"]
            assert bool(report["items"]) is bool(version % 2)
