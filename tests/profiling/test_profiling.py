"""``PTO_PROFILE``: phases above a threshold on standard error, and nothing without it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pto_lsp.profiling import Filter
from tests.cli.command import EXAMPLES
from tests.support.client import REAL, RawClient

DECODER = EXAMPLES / "decoder" / "decoder_layer.py"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("0", None),
        ("50", Filter(None, 100, 50.0)),
        ("1.5", Filter(None, 100, 1.5)),
        ("*", Filter(None, 100, 0.0)),
        ("*>50", Filter(None, 100, 50.0)),
        ("*@2>10", Filter(None, 2, 10.0)),
        ("check|edit>5", Filter(frozenset({"check", "edit"}), 100, 5.0)),
        ("*>lots", Filter(None, 100, 0.0)),
    ],
)
def test_filters(text: str, expected: Filter | None) -> None:
    assert Filter.read(text) == expected


def profile(value: str | None) -> str:
    environment = {key: text for key, text in os.environ.items() if key != "PTO_PROFILE"}
    if value is not None:
        environment["PTO_PROFILE"] = value
    words = [sys.executable, "-m", "pto_lsp", "check", "--no-cache", "--exit-zero", str(DECODER)]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=Path(__file__).parents[2])
    assert done.returncode == 0
    return done.stderr


def names(printed: str) -> list[str]:
    return re.findall(r"^ *[\d.]+ ms  ( *\w+)", printed, re.MULTILINE)


def test_the_command_line_prints_what_takes_longer() -> None:
    assert profile(None) == ""
    printed = names(profile("*"))
    assert {"import", "check", "    parse", "    lower", "    link", "    passes", "    tasks", "    plan"} <= set(
        printed
    )
    assert set(names(profile("check@1"))) == {"check"}
    assert names(profile("*>100000")) == []
    for line in profile("5").splitlines():
        assert float(line.split()[0]) >= 5  # as it is rounded


def test_the_server_prints_to_its_log() -> None:
    environment = {**os.environ, "PTO_PROFILE": "*"}
    root = Path(__file__).parents[2]
    with RawClient(REAL, env=environment, cwd=root, from_start=True) as client:
        client.initialize()
        client.open("file:///a.py", DECODER.read_text())
        client.published("file:///a.py", 1)
        client.change("file:///a.py", 2, DECODER.read_text() + "\nx = 1\n")
        client.published("file:///a.py", 2)
        assert client.leave() == 0
        printed = set(names(client.stderr.decode()))
    assert {"edit", "check", "    passes", "publish"} <= printed
