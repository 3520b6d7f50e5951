"""What hovering over a word says, where, in each encoding, and that it is silent elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.client import RawClient
from tests.support.features import ENCODINGS, GRAPH, HEADER, TASKS, URI, at, cut, serving

GRAPH_URI = "file:///graph.py"
Server = tuple[RawClient, str]


@pytest.fixture(scope="module", params=ENCODINGS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with serving(request.param, (URI, TASKS), (GRAPH_URI, GRAPH)) as client:
        yield client, request.param


def hover(server: Server, marked: str, uri: str = URI, text: str = TASKS) -> tuple[str, str] | None:
    """The word it is about and what is said."""
    client, encoding = server
    params = {"textDocument": {"uri": uri}, "position": at(text, marked, encoding)}
    result = client.ask("textDocument/hover", params)["result"]
    if result is None:
        return None
    assert result["contents"]["kind"] == "markdown"
    return cut(text, result["range"], encoding), result["contents"]["value"]


@pytest.mark.parametrize(
    ("marked", "word", "wanted"),
    [
        ("no_dep_args=[⟦w]", "w", "opted out of tracking by 'é𝄞band'; all of 'w'; verified disjoint"),
        ("w[i * 64 : i * 64 + 64, :] = pl.add(⟦w", "w", "verified disjoint"),
        ("pl.add(⟦y[:", "y", "`y: pl.Tensor[[32, 64], pl.FP32]`\n\n'y' is read and written by 'sum𝄞'"),
        ("s = put(x, ⟦s)", "s", "'s' is read and written by 'put'; all of 's'\n\nfollowed by: put (WAW s)"),
        ("z = put(x, s⟦)", "s", "all of 's'\n\nwaits for: put (WAW s)"),
        ("as ⟦t:", "t", "`t` is the task id of 'é𝄞band', of one of its 2 tasks"),
        ("ids[i] = t⟦", "t", "`t` is the task id of 'é𝄞band'"),
        ("deps=[i⟦ds]", "ids", "`ids` stands for 2 tasks of 'é𝄞band'"),
        ("z = p⟦ut(", "put", "`put` waits for: put (WAW s)"),
        ('name_hint="é𝄞ba⟦nd', "é𝄞band", "`é𝄞band` waits for nothing · followed by: 1 · ×2"),
        ("⟦ids = pl", "ids", "`ids: pl.Array[2, pl.TASK_ID]`"),
        ("⟦y: pl.Out", "y", "written by 'main'"),
    ],
)
def test_words_of_launches(server: Server, marked: str, word: str, wanted: str) -> None:
    found = hover(server, marked)
    assert found is not None
    assert wanted in found[1]
    assert found[0] in word


@pytest.mark.parametrize("marked", ["pl.⟦store", "def ⟦main", "# 𝄞⟦", "import ⟦pypto", "return⟦ y, z"])
def test_silent_about_the_rest(server: Server, marked: str) -> None:
    assert hover(server, marked) is None


@pytest.mark.parametrize("marked", ["def ⟦layer", "s = la⟦yer("])
def test_a_graph_says_what_a_replay_does(server: Server, marked: str) -> None:
    found = hover(server, marked, GRAPH_URI, GRAPH)
    assert found is not None and found[0] == "layer"
    assert "tensors 2/128, scalars 1/64, tasks 3/1024" in found[1]
    assert "patches the addresses of `x`, `s` and the values of `n`" in found[1]
    assert "freezes which tasks run" in found[1]


@pytest.mark.parametrize(
    ("marked", "wanted"),
    [
        ("def layer(⟦x", "a replay patches its address"),
        ("FP32]], ⟦n: pl.Scalar[pl.INDEX]):\n    for i", "a replay passes the value of its call"),
    ],
)
def test_a_parameter_of_a_graph_says_what_becomes_of_it(server: Server, marked: str, wanted: str) -> None:
    found = hover(server, marked, GRAPH_URI, GRAPH)
    assert found is not None and wanted in found[1]


def test_hoisted_values_count(server: Server) -> None:
    client, _ = server
    text = (
        HEADER
        + """\
@pl.jit.graph(name="scoped")
def layer(x: pl.Tensor[[256, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):
    rows = x[n * 2 : n * 2 + 128, :]
    s = put(rows, s)
    return s
"""
    )
    client.open("file:///hoisted.py", text)
    found = hover(server, "def ⟦layer", "file:///hoisted.py", text)
    assert found is not None
    assert "tensors 3/128" in found[1] and "computed anew by each call: `rows`." in found[1]
    variable = hover(server, "put(⟦rows", "file:///hoisted.py", text)
    assert variable is not None and "moved by the compiler to the call site of Graph 'layer'" in variable[1]
    scalar = hover(server, "rows = x[⟦n", "file:///hoisted.py", text)
    assert scalar is not None and "boundary scalar of Graph 'layer'" in scalar[1]


INLINED = (
    HEADER
    + """\
@pl.jit.inline
def both(x: pl.Tensor[[128, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]]):
    s = put(x, s)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale"):
        s[:, :] = pl.mul(s[:, :], 2.0)
    return s


@pl.jit
def main(x: pl.Tensor[[128, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="zero𝄞"):
        s[:, :] = pl.mul(s[:, :], 0.0)
    s = both(x, s)
    return s


@pl.jit
def other(x: pl.Tensor[[128, 64], pl.FP32], s: pl.InOut[pl.Tensor[[128, 64], pl.FP32]]):
    s = both(x, s)
    return s
"""
)
SPLICED = "2 tasks: put, scale · waits for: zero𝄞 (WAW s)"


def test_a_call_of_an_inline_function_says_what_it_stands_for(server: Server) -> None:
    client, encoding = server
    uri = "file:///inlined.py"
    client.open(uri, INLINED)
    found = hover(server, "0.0)\n    s = bo⟦th(x", uri, INLINED)
    assert found == ("both", f"`both` is spliced in here: {SPLICED}")
    lenses = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})["result"]
    shown = [(cut(INLINED, lens["range"], encoding), lens["command"]["title"]) for lens in lenses]
    assert ("both(x, s)", SPLICED) in shown and ("both(x, s)", "2 tasks: put, scale · waits for nothing") in shown
    # What says something else in each function names it.
    inside = [title for text, title in shown if text == "s = put(x, s)"]
    assert inside == [
        "main: waits for: zero𝄞 (WAW s) · followed by: 1",
        "other: waits for nothing · followed by: 1",
    ]
    scale = [title for text, title in shown if 'name_hint="scale"' in text]
    assert scale == ["waits for: put (WAW s)"]
    words = hover(server, "s = pu⟦t(x", uri, INLINED)
    assert words is not None
    assert words[1].startswith("In `main`: `put` waits for: zero𝄞 (WAW s)") and "In `other`: `put` waits" in words[1]


def test_regions_are_no_markup(server: Server) -> None:
    text = TASKS.replace("y[:, :] = pl.add(y[:, :], w[0:32, :])", "y[:, :] = pl.add(y[:, :], y[:, :])").replace(
        "    z = put(x, s)",
        "    for k in pl.range(n):\n        part_ = x[k * 8 : k * 8 + 8, :]\n        z = put(part_, s)",
    )
    text = text.replace("def main(\n", "def main(\n    n: pl.Scalar[pl.INDEX],\n")
    server[0].open("file:///markup.py", text)
    found = hover(server, "put(part⟦_, s)", "file:///markup.py", text)
    assert found is not None and found[0] == "part_"
    assert "`part_: pl.Tensor[[8, 64], pl.FP32]`" in found[1]
    assert "'x' is read by 'put'; x\\[k\\*8 : k\\*8 + 8, 0 : 64\\]" in found[1]
    assert "*" not in found[1].replace("\\*", "")


def test_edits_change_the_answer(server: Server) -> None:
    client, encoding = server
    uri = f"file:///edited-{encoding}.py"
    client.open(uri, TASKS)
    text = TASKS
    for version, shape in enumerate(("[64, 32]", "[16, 8]"), 2):
        text = TASKS.replace("[32, 64], pl.FP32]],\n    s:", f"{shape}, pl.FP32]],\n    s:")
        client.change(uri, version, text)
        found = hover(server, "⟦y: pl.Out", uri, text)
        assert found is not None and f"pl.Tensor[{shape}, pl.FP32]" in found[1]
    broken = text.replace("    z = put(x, s)\n", "    z = put(x, s\n")
    client.change(uri, 4, broken)
    assert hover(server, "z = put(⟦x, s\n", uri, broken) is None
    found = hover(server, "⟦y: pl.Out", uri, broken)
    assert found is not None and "written by 'main'" in found[1]
