"""The drawn and written forms of a graph."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from pto_lsp.analysis.task_graph import dot_view, mermaid_view, svg_view, text_view
from pto_lsp.analysis.task_graph.checks.naming import task_name
from pto_lsp.analysis.task_graph.describe import (
    argument_text,
    launch_summary,
    mentions,
    predecessors,
    successors,
    wait_text,
)
from pto_lsp.analysis.task_graph.document import document
from pto_lsp.analysis.task_graph.opt_outs import claim_of
from pto_lsp.analysis.task_graph.regions import Overlap
from pto_lsp.analysis.task_graph.sitegraph import fold
from tests.task_graph.build import Source, jit

BODY = """\
ids = pl.array.create(3, pl.TASK_ID)
for i in pl.parallel(2):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="band", no_dep_args=[w]) as t:
        w[i * 64 : i * 64 + 64, :] = pl.add(w[i * 64 : i * 64 + 64, :], w[i * 64 : i * 64 + 64, :])
    ids[i] = t
with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum", deps=[ids]) as total:
    y[:, :] = pl.add(y[:, :], w[0:32, :])
s = put(y, s)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="again"):
    y[:, :] = pl.sub(x[:, :], x[:, :])
"""


@pytest.fixture(scope="module")
def source() -> Source:
    return Source(jit(BODY))


def test_document(source: Source) -> None:
    found = document(source.graph(), source.locate, unroll=True)
    assert json.loads(json.dumps(found)) == found
    assert [node["name"] for node in found["nodes"]] == ["band", "sum", "put", "again"]
    assert [node["kind"] for node in found["nodes"]] == ["at", "at", "call", "at"]
    assert found["nodes"][0]["count"] == "2" and found["nodes"][0]["loops"] == ["l1"]
    assert found["loops"] == [
        {"id": "l1", "kind": "parallel", "var": "i", "trips": 2, "title": "pl.parallel i ×2"},
    ]
    argument = found["nodes"][3]["args"][-1]
    assert (argument["dir"], argument["why"], argument["region"]) == ("inout", "R-prior", [[0, 32], [0, 64]])
    edges = {(e["pred"], e["succ"], e["source"], e["hazard"]) for e in found["edges"]}
    assert edges == {
        ("n1", "n2", "explicit", None),
        ("n2", "n3", "tensormap", "RAW"),
        ("n2", "n4", "tensormap", "WAW"),
    }
    assert [(m["pred"], m["succ"], m["hazard"], m["rule"]) for m in found["missing"]] == [("n3", "n4", "WAR", "TG101")]
    assert found["summary"] == {
        "tasks": 5, "dummies": 0, "edges": 4, "depth": 3, "width": 2, "roots": 2, "leaves": 2,
    }  # fmt: skip
    assert [task["kernel"] for task in found["unrolled"]["tasks"]] == ["band", "band", "sum", "put", "again"]
    lines = source.text.split("\n")
    assert all(task["kernel"] in lines[task["line"] - 1] for task in found["unrolled"]["tasks"])
    assert found["unrolled"]["edges"][0] == {"pred": 0, "succ": 2, "source": "explicit", "tensor": None}


def test_text(source: Source) -> None:
    lines = text_view.render(source.graph(), source.locate).split("\n")
    assert lines[0] == "main: 5 tasks (0 dummies), 4 edges, depth 3, width 2, roots 2, leaves 2"
    assert lines[1] == "  longest chain (in tasks, not in time): band → sum → put"
    assert "×2" in lines[2] and "then: [2] sum" in lines[2]
    assert "waits: [2] sum (RAW y)" in lines[4] and "[4] again (none: WAR y)" in lines[4]


def test_drawn_forms_show_the_same_arrows(source: Source) -> None:
    graph = source.graph()
    wanted = {(1, 2), (2, 3), (2, 4), (3, 4)}
    dot = dot_view.render(graph)
    assert {(int(a), int(b)) for a, b in re.findall(r"n(\d+) -> n(\d+)", dot)} == wanted
    assert dot.count("{") == dot.count("}") and "cluster_1" in dot
    mermaid = mermaid_view.render(graph)
    assert {(int(a), int(b)) for a, b in re.findall(r"n(\d+) \S+\|\"[^|]*\"\| n(\d+)", mermaid)} == wanted
    assert mermaid.count("subgraph") == mermaid.count("end\n") == 1 and mermaid_view.fits(graph)
    root = ElementTree.fromstring(svg_view.render(graph))
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}path")) == len(wanted)
    texts = {element.text for element in root.iter(f"{space}text")}
    assert {"band ×2", "sum", "put", "again", "pl.parallel i ×2"} <= texts


def test_orders_that_no_data_needs_are_marked() -> None:
    body = """\
for i in pl.range(4):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="band"):
        w[i * 32 : i * 32 + 32, :] = pl.add(x, x)
"""
    source = Source(jit(body))
    graph = source.graph()
    (edge,) = document(graph, source.locate)["edges"]
    assert (edge["needed"], edge["distance"]) == ("must-not", {"l1": 1})
    assert "WAW w, i→i+1, not needed" in text_view.render(graph, source.locate)
    assert "✂ WAW w" in dot_view.render(graph) and "✂ WAW w" in mermaid_view.render(graph)
    assert "✂ WAW w" in svg_view.render(graph)


def test_awkward_names_are_escaped() -> None:
    graph = Source(jit('with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):\n    s[:, :] = pl.add(x, x)')).graph()
    object.__setattr__(graph.walk.sites[0], "name", 'a"<&\\b')
    ElementTree.fromstring(svg_view.render(graph))
    assert '"a\\"<&\\\\b ×1"' in dot_view.render(graph)
    assert "#quot;" in mermaid_view.render(graph)


def test_editor_texts(source: Source) -> None:
    graph = source.graph()
    folded = fold(graph)
    band, total, put, again = graph.walk.sites
    assert launch_summary(folded, total) == "waits for: band (explicit) · followed by: 2"
    assert launch_summary(folded, band) == "waits for nothing · followed by: 1 · ×2"
    assert list(predecessors(folded, put)) == [total] and list(successors(folded, total)) == [put, again]
    task = graph.walk.tasks[2]
    assert wait_text(graph, task.waits[0]) == "stands for 2 tasks of 'band' · empty: slot 2"
    opted = graph.walk.tasks[0].arguments[0]
    assert argument_text(graph, band, opted).endswith(
        "; verified disjoint: tasks touch other parts of it, or are ordered by other waits"
    )
    written = graph.walk.tasks[4].arguments[-1]
    assert argument_text(graph, again, written) == (
        "'y' is read and written by 'again'; read and written because an earlier statement wrote it already; all of 'y'"
    )
    orders = {
        (mention.site.name, mention.write, mention.order) for mention in mentions(graph, again, written.views[0].buffer)
    }
    assert orders == {
        ("sum", True, "before"),
        ("sum", False, "before"),
        ("put", False, "unordered"),
        ("again", True, "self"),
    }


def test_a_wrong_opt_out_is_no_proof() -> None:
    graph = Source(jit(BODY.replace("i * 64 + 64, :]", "i * 64 + 65, :]"))).graph()
    band = graph.walk.sites[0]
    claim = claim_of(graph, band, graph.walk.tasks[0].arguments[0])
    assert claim is not None and claim.verdict is Overlap.MUST
    assert "the claim is wrong" in argument_text(graph, band, graph.walk.tasks[0].arguments[0])


APART, ORDERED = "verified disjoint: no two tasks touch the same part of it", "is ordered with this one by other waits"
CLAIMS = [
    (
        "for i in pl.parallel(2):\n"
        "    with pl.at(level=pl.Level.CORE_GROUP, name_hint='band', no_dep_args=[w]):\n"
        "        w[i * 64 : i * 64 + 64, :] = pl.add(w[i * 64 : i * 64 + 64, :], w[i * 64 : i * 64 + 64, :])\n",
        "w",
        ("opted out of tracking", APART),
    ),
    (
        "half = pl.slice(w, [32, 64], [0, 0])\nrest = pl.slice(w, [32, 64], [32, 0])\n"
        "half = put(x, pl.no_dep(half))\nrest = put(x, rest)\n",
        "w",
        ("opted out of tracking", APART),
    ),
    (
        "t = pl.create_tensor([128, 64], dtype=pl.FP32, manual_dep=True)\n"
        "for i in pl.parallel(4):\n"
        "    with pl.at(level=pl.Level.CORE_GROUP, name_hint='fill'):\n"
        "        t[i * 32 : i * 32 + 32, :] = pl.add(x, x)\n",
        "t",
        ("not tracked, because 't' is created with manual_dep=True", APART),
    ),
    (
        "with pl.manual_scope():\n"
        "    for i in pl.parallel(4):\n"
        "        with pl.at(level=pl.Level.CORE_GROUP, name_hint='fill'):\n"
        "            w[i * 32 : i * 32 + 32, :] = pl.add(x, x)\n",
        "w",
        ("not tracked in this manual_scope", APART),
    ),
    (
        "with pl.manual_scope():\n"
        "    with pl.at(level=pl.Level.CORE_GROUP, name_hint='first') as first:\n"
        "        s[:, :] = pl.add(x, x)\n"
        "    with pl.at(level=pl.Level.CORE_GROUP, name_hint='next', deps=[first]):\n"
        "        y[:, :] = pl.add(s, s)\n",
        "s",
        ("not tracked in this manual_scope", ORDERED),
    ),
    (
        "s = put(pl.no_dep(x), s)\n",
        "x",
        ("opted out of tracking", "verified disjoint: no other task needs an order with this one because of it"),
    ),
    (
        "n = pl.tensor.read(k, [0])\n"
        "with pl.at(level=pl.Level.CORE_GROUP, name_hint='one', no_dep_args=[w]):\n"
        "    w[n : n + 32, :] = pl.add(x, x)\n"
        "with pl.at(level=pl.Level.CORE_GROUP, name_hint='two', no_dep_args=[w]):\n"
        "    w[0:32, :] = pl.add(x, x)\n",
        "w",
        ("opted out of tracking", "cannot be checked here"),
    ),
]


@pytest.mark.parametrize(("body", "name", "wanted"), CLAIMS)
def test_every_way_to_switch_tracking_off(body: str, name: str, wanted: tuple[str, str]) -> None:
    text = jit(body).replace("pl.FP32]],\n):\n", "pl.FP32]],\n    k: pl.Tensor[[4], pl.INT32],\n):\n")
    graph = Source(text).graph()
    found = [
        argument_text(graph, task.site, argument)
        for task in graph.walk.tasks
        for argument in task.arguments
        if argument.label == name
    ]
    assert found and all(part in found[0] for part in wanted), found


def test_a_graph_scope_is_called_by_its_own_name() -> None:
    source = Source(
        """
import pypto.language as pl

T = pl.Tensor[[128, 128], pl.FP32]


@pl.jit.incore
def bump(a: T, c: pl.InOut[T]):
    c = pl.store(pl.load(a, [0, 0], [64, 128]), [0, 0], c)
    return c


@pl.jit
def main(a: T, c: pl.InOut[T]):
    with pl.graph("layer"):
        c = bump(a, c)
    c = bump(a, c)
    return c
"""
    )
    sites = next(graph for graph in source.graphs() if graph.function.name == "main").walk.tasks
    assert [task_name(task.site) for task in sites] == ["layer", "bump"]
