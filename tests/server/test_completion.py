"""Completion over the wire, in each encoding: what is offered where, in code that is being typed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pto_lsp.analysis.rules import registry
from pto_lsp.server.features.cursor_context import context_of, keywords_after
from tests.support.client import PULLING, Message, RawClient
from tests.support.features import COMMAND, ENCODINGS, HEADER, cut, position

HEAD = (
    HEADER
    + """\
@pl.jit
def main(x: pl.Tensor[[32, 64], pl.FP32], s: pl.InOut[pl.Tensor[[32, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    ids = pl.array.create(2, pl.TASK_ID)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="𝄞one") as 名:
        s[:, :] = pl.add(x[:, :], x[:, :])
    for i in pl.range(2):
        with pl.at(level=pl.Level.CORE_GROUP) as inside:
            s[:, :] = pl.add(x[:, :], x[:, :])
    for i in pl.unroll(2):
        with pl.at(level=pl.Level.CORE_GROUP) as copied:
            s[:, :] = pl.add(x[:, :], x[:, :])
"""
)
TAIL = """
        s[:, :] = pl.add(x[:, :], x[:, :])
    with pl.at(level=pl.Level.CORE_GROUP) as later:
        s[:, :] = pl.add(x[:, :], x[:, :])
    return s
"""
Server = tuple[RawClient, str, Any]


@pytest.fixture(scope="module", params=ENCODINGS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    numbers = iter(range(10_000))
    with RawClient(COMMAND) as client:
        item = {"completionItem": {"snippetSupport": True}}
        document = {**PULLING["textDocument"], "completion": item}
        client.initialize({"textDocument": document, "general": {"positionEncodings": [request.param]}})
        yield client, request.param, numbers
        assert client.leave() == 0
        assert not [m for m in client.received if m.get("method") == "window/logMessage"]


def complete(server: Server, typed: str, head: str = HEAD, tail: str = TAIL) -> list[Message]:
    """What is offered at ⟦ of a line between ``head`` and ``tail``."""
    client, encoding, numbers = server
    uri = f"file:///completion{next(numbers)}.py"
    text = head + typed.replace("⟦", "") + tail
    client.open(uri, text)
    params = {"textDocument": {"uri": uri}, "position": position(text, len(head) + typed.index("⟦"), encoding)}
    found: list[Message] = client.ask("textDocument/completion", params)["result"] or []
    before = head + typed[: typed.index("⟦")]
    for item in found:
        replaced = cut(text, item["textEdit"]["range"], encoding)
        assert before.endswith(replaced) and replaced.replace(".", "").isidentifier() == bool(replaced)
    client.close(uri)
    return found


def labels(server: Server, typed: str, **around: str) -> list[str]:
    return [item["label"] for item in complete(server, typed, **around)]


AT = ["level=", "name_hint=", "deps=", "no_dep_args=", "allow_early_resolve=", "optimizations=", "dumps=", "windowize="]


SPMD = ["name_hint=", "sync_start=", "allow_early_resolve=", "optimizations=", "core_num="]


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("    with pl.at(⟦):", [*AT, "role="]),
        ("    with pl.at(⟦", [*AT, "role="]),
        ('    with pl.at(level=pl.Level.CORE_GROUP, name_hint="𝄞", ⟦', [*AT[2:], "role="]),
        ("    with pl.at(\n        level=pl.Level.HOST,\n        # 𝄞 (\n        ⟦\n    ) as t:", [*AT[1:], "role="]),
        ('    with pl.at(pl.Level.CORE_GROUP, ⟦, name_hint="a", deps=[ids]):', ["level=", *AT[3:], "role="]),
        ("    with pl.spmd(4, ⟦", [SPMD[0], "deps=", "predicate=", *SPMD[1:]]),
        ("    for i in pl.spmd(4, ⟦", SPMD),
        ("    for i in pl.range(4, ⟦", ["init_values=", "attrs="]),
        ("    with pl.cluster(⟦", ["name_hint="]),
        ("    y = pl.create_tensor([4, 4], ⟦", ["dtype=", "layout=", "manual_dep=", "init_value="]),
        ("    t = pl.system.task_dummy(⟦", ["deps="]),
    ],
)
def test_keywords_of_the_construct(server: Server, typed: str, wanted: list[str]) -> None:
    assert labels(server, typed) == wanted


def test_what_a_keyword_inserts(server: Server) -> None:
    items = {item["label"]: item for item in complete(server, "    with pl.at(na⟦")}
    assert items["name_hint="]["textEdit"]["newText"] == 'name_hint="$1"'
    assert items["name_hint="]["insertTextFormat"] == 2
    assert (
        items["level="]["textEdit"]["newText"] == "level=pl.Level.CORE_GROUP"
        and "insertTextFormat" not in items["level="]
    )
    renamed = {item["label"]: item for item in complete(server, "    with pl.at(le⟦=pl.Level.CORE_GROUP):")}
    assert renamed["level="]["textEdit"]["newText"] == "level"


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("    with pl.at(level=⟦", ["pl.Level.CORE_GROUP", "pl.Level.HOST"]),
        ("    with pl.at(level=pl.Lev⟦", ["pl.Level.CORE_GROUP", "pl.Level.HOST"]),
        ("    with pl.at(allow_early_resolve=T⟦", ["True", "False"]),
        ("    with pl.scope(mode=⟦", ["pl.ScopeMode.MANUAL", "pl.ScopeMode.AUTO"]),
    ],
)
def test_values_of_keywords(server: Server, typed: str, wanted: list[str]) -> None:
    assert labels(server, typed) == wanted


@pytest.mark.parametrize(
    "typed",
    [
        "    with pl.at(level=pl.Level.CORE_GROUP, deps=[⟦",
        "    with pl.at(deps=[ids, ⟦]):",
        "    t = pl.system.task_dummy(deps=[⟦])",
        '    with pl.at(name_hint="𝄞", deps=[⟦',
    ],
)
def test_task_ids_that_are_visible(server: Server, typed: str) -> None:
    assert labels(server, typed) == ["copied", "名", "ids"]


def test_task_ids_of_the_blocks_around(server: Server) -> None:
    head, loop, tail = HEAD.partition("    for i in pl.unroll(2):\n")
    found = labels(server, "        with pl.at(deps=[i⟦]):\n", head=head, tail=f"            pass\n{loop}{tail}")
    assert found == ["inside", "名", "ids"]


def test_tensors_that_can_be_opted_out(server: Server) -> None:
    assert labels(server, "    with pl.at(level=pl.Level.CORE_GROUP, no_dep_args=[⟦") == ["s", "x"]


@pytest.mark.parametrize(
    "typed",
    [
        "    ⟦",
        "    with pl.at⟦(",
        '    with pl.at(name_hint="⟦',
        "    y = put(⟦",
        "    z = [⟦",
        "    with pl.at(level=pl.Level.CORE_GROUP)⟦:",
        "    y = pl.add(x[⟦",
        "    # pto⟦",
        "    with pl.at(deps=[ids[⟦",
    ],
)
def test_nothing_is_offered_elsewhere(server: Server, typed: str) -> None:
    assert labels(server, typed) == []


def test_rule_codes_in_suppressions(server: Server) -> None:
    wrong = HEAD.replace("ids = pl.array.create(2, pl.TASK_ID)", "s = put(x)  # é𝄞 # pto: ignore[PTO1⟦]").split("⟦")
    items = complete(server, "⟦", head=wrong[0], tail=wrong[1] + TAIL)
    assert min(items, key=lambda item: str(item["sortText"]))["label"] == "PTO005"
    assert {item["label"] for item in items} == set(registry.codes())
    assert items[0]["detail"] and items[0]["documentation"]
    several = labels(server, "    s = put(x, s)  # pto: ignore[PTO101, ⟦")
    assert several == list(registry.codes())
    assert labels(server, "    s = put(x, s)  # pto: ⟦") == ["ignore", "ignore[]", "ignore-file", "ignore-file[]"]
    assert labels(server, "    s = put(x, s)  # pto: ignore[PTO101] ⟦") == []


def test_without_snippets_plain_text_is_offered() -> None:
    with RawClient(COMMAND) as client:
        offered = client.initialize({"textDocument": {"completion": {}}})
        assert offered["completionProvider"]["triggerCharacters"] == ["(", ",", "[", "="]
        text = HEAD + "    with pl.at(" + TAIL
        client.open("file:///plain.py", text)
        place = position(HEAD + "    with pl.at(", len(HEAD) + 15, "utf-16")
        params = {"textDocument": {"uri": "file:///plain.py"}, "position": place}
        items = client.ask("textDocument/completion", params)["result"]
        assert [item["textEdit"]["newText"] for item in items][:3] == [
            "level=pl.Level.CORE_GROUP",
            'name_hint="',
            "deps=[",
        ]
        assert "$" not in json.dumps(items)
        assert client.leave() == 0


@pytest.mark.parametrize(
    ("text", "statement", "heads", "element"),
    [
        ("with pl.at(a, b(c), d", "with", ["pl.at"], "d"),
        ("x = f('(', [1, g(\"]\", ", "x", ["f", "", "g"], ""),
        ("x = f(]})", "x", [], "x = f(]})"),
        ("f(a)(b", "f", [""], "b"),
        ("f('''\n(", "f", ["f"], "'''\n("),
        ("f('\n(a", "f", ["f", ""], "a"),
    ],
)  # fmt: skip
def test_context_of_half_written_code(text: str, statement: str, heads: list[str], element: str) -> None:
    context = context_of(text)
    assert context.statement == statement
    assert [bracket.head for bracket in context.brackets] == heads
    assert context.element == element


def test_keywords_behind_the_cursor() -> None:
    assert keywords_after(", a=1, b=f(c=2), d == 3, e='x=(')  # g=1") == ["a", "b", "e"]
    assert keywords_after("a=1") == ["a"]
    assert keywords_after(") b=1") == []
