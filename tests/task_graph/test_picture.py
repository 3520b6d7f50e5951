"""What pictures show beside launches and waits: boxes, opt-outs, guards, bars, clouds and the longest chain."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from pto_lsp.analysis.task_graph import dot_view, mermaid_view, svg_view, text_view
from pto_lsp.analysis.task_graph.critical import critical
from pto_lsp.analysis.task_graph.document import document
from pto_lsp.analysis.task_graph.drawing import Box, boxes, label_of, lines
from pto_lsp.analysis.task_graph.nesting import GroupKind
from pto_lsp.analysis.task_graph.picture import Cloud, Picture
from pto_lsp.analysis.task_graph.reduction import EdgeMode, shown_edges
from pto_lsp.analysis.task_graph.sitegraph import fold
from pto_lsp.analysis.task_graph.svg_layout import UNLAYERED, Rect, place, sites_in
from pto_lsp.analysis.task_graph.walk import VIEW_LIMIT
from tests.task_graph.build import Source, jit
from tests.task_graph.everything import TEXT
from tests.task_graph.random_orchestrations import bodies
from tests.task_graph.variants import variants


@pytest.fixture(scope="module")
def source() -> Source:
    return Source(TEXT)


@pytest.fixture(scope="module")
def found(source: Source) -> dict[str, Any]:
    return document(source.graph(), source.locate)


def named(found: dict[str, Any], entries: list[dict[str, Any]]) -> list[tuple[str, str]]:
    names = {node["id"]: node["name"] for node in found["nodes"]}
    return [(names[each["pred"]], names[each["succ"]]) for each in entries]


def test_groups_are_what_is_around_a_launch(found: dict[str, Any]) -> None:
    titles = {group["id"]: (group["kind"], group["title"]) for group in found["groups"]}
    around = [(node["name"], [titles[group] for group in node["groups"]]) for node in found["nodes"]]
    assert around == [
        ("count", []),
        ("band", [("loop", "pl.parallel i ×2")]),
        ("put", [("then", "if n > 4")]),
        ("other", [("else", "else of: if n > 4")]),
        ("put", [("inline", "twice()")]),
        ("second", [("inline", "twice()")]),
        ("grid", []),
        ("m1", [("manual", "pl.manual_scope")]),
        ("m2", [("manual", "pl.manual_scope")]),
    ]
    assert [group["loop"] for group in found["groups"]] == ["l1", None, None, None, None]


def test_boxes_nest_as_the_text_does() -> None:
    body = """\
for i in pl.range(3):
    if i > n:
        for j in pl.parallel(2):
            s = put(x, s)
        y = bump(x, y)
s = twice(x, s)
s = twice(x, s)
"""
    text = jit(body).replace("y: pl.InOut[", "n: pl.Scalar[pl.INDEX],\n    y: pl.InOut[")
    helper = "@pl.jit.inline\ndef twice(a: pl.Tensor[[32, 64], pl.FP32], o: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):\n"
    helper += "    o = put(a, o)\n    o = put(a, o)\n    return o\n\n\n"
    source = Source(text.replace("@pl.jit\ndef main", f"{helper}@pl.jit\ndef main"))
    found = document(source.graph(), source.locate)
    titles = {group["id"]: group["title"] for group in found["groups"]}
    parents = {group["title"]: titles.get(group["parent"]) for group in found["groups"]}
    assert parents["pl.parallel j ×2"] == "if i > n" and parents["if i > n"] == "pl.range i ×3"
    nests = [node["groups"] for node in found["nodes"]]
    assert nests[0][:2] == nests[1] and len(nests[0]) == 3
    # Two calls of one helper are two boxes, each with both of its launches.
    assert nests[2] == nests[3] and nests[4] == nests[5] and nests[2] != nests[4]


def test_untracked_pairs_say_what_became_of_the_claim(found: dict[str, Any]) -> None:
    claims = dict(zip(named(found, found["opted_out"]), found["opted_out"]))
    assert claims["band", "band"]["claim"] == "claim verified: never the same data"
    assert claims["band", "m2"]["claim"] == "claim not checkable"
    assert claims["band", "m1"]["claim"] == "claim wrong"
    assert ("band", "m1") in named(found, found["missing"])
    assert not {("count", "grid"), ("put", "second")} & claims.keys()


def test_what_other_waits_order_is_a_verified_claim() -> None:
    body = """\
with pl.manual_scope():
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="one") as one:
        s[:, :] = pl.add(x[:, :], x[:, :])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="two", deps=[one]):
        y[:, :] = pl.add(s[:, :], x[:, :])
"""
    source = Source(jit(body))
    (claim,) = document(source.graph(), source.locate)["opted_out"]
    assert (claim["hazard"], claim["claim"]) == ("RAW", "claim verified: ordered by other waits")


def test_a_guard_comes_from_who_writes_the_element_it_reads(found: dict[str, Any]) -> None:
    assert named(found, found["guards"]) == [("count", "grid")] and found["guards"][0]["ordered"]
    other = Source(TEXT.replace("flags[0] > 0", "flags[1] > 0"))
    assert document(other.graph(), other.locate)["guards"] == []
    unordered = Source(TEXT.replace("    limit = pl.read(flags, [0])\n", ""))
    (guard,) = document(unordered.graph(), unordered.locate)["guards"]
    assert not guard["ordered"]


def test_a_control_core_read_is_a_bar(source: Source, found: dict[str, Any]) -> None:
    (stall,) = found["stalls"]
    assert (stall["access"], stall["waits"], stall["after"], stall["groups"]) == ("read", ["n1"], 4, [])
    line = TEXT[: TEXT.index("pl.read(flags")].count("\n") + 1
    assert stall["range"][0][0] == line
    assert f"--- read flags  control core at L{line}   waits: [1] count" in text_view.render(
        source.graph(), source.locate
    )
    unwritten = Source(TEXT.replace("pl.read(flags, [0])", "pl.read(x, [0, 0])"))
    assert document(unwritten.graph(), unwritten.locate)["stalls"] == []


def test_what_is_not_understood_is_a_cloud_where_it_stands() -> None:
    body = "s = put(x, s)\nfor i in pl.range(2):\n    del x\n    y = put(s, y)\n"
    source = Source(jit(body))
    graph = source.graph()
    found = document(graph, source.locate)
    assert {(each["after"], len(each["groups"]), each["why"]) for each in found["unknown"]} == {(1, 1, "del")}
    (inner,) = [item for item in boxes(Picture(fold(graph))).items if isinstance(item, Box)]
    assert isinstance(inner.items[0], Cloud)
    for text in (dot_view.render(graph), mermaid_view.render(graph), svg_view.render(graph)):
        assert text.count("? del") == 1


def test_launches_in_what_is_not_understood_are_in_a_box() -> None:
    source = Source(jit("with open(s):\n    s = put(x, s)\ndel x\n"))
    shown = Picture(fold(source.graph()))
    box = boxes(shown).items[0]
    assert isinstance(box, Box) and box.group is not None and box.group.kind is GroupKind.UNKNOWN
    assert [cloud.why for cloud in shown.lone_clouds] == ["del"]


def test_a_launch_that_is_not_fully_known_is_no_cloud_but_dotted() -> None:
    graph = Source(jit("y = mystery(s, y)\ns = put(y, s)\n")).graph()
    assert graph.walk.unknown and not Picture(fold(graph)).lone_clouds
    assert "style=dotted" in dot_view.render(graph) and "1.5 3" in svg_view.render(graph)


def test_longest_chain(found: dict[str, Any]) -> None:
    names = {node["id"]: node["name"] for node in found["nodes"]}
    assert [names[each] for each in found["critical"]["path"]] == ["put", "put", "second", "grid"]
    assert found["critical"]["text"] == "longest chain <=4 of <=10 tasks, width <=7"
    slack = {node["name"]: node["slack"] for node in found["nodes"]}
    assert slack["second"] == slack["grid"] == 0 and slack["m2"] == 3
    critical_edges = named(found, [edge for edge in found["edges"] if edge["critical"]])
    assert critical_edges == [("put", "put"), ("put", "second"), ("second", "grid")]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(bodies())
def test_chain_and_slack_are_those_of_all_chains(body: str) -> None:
    graph = Source(jit(body)).graph()
    found = critical(graph)
    assert len(found.path) == graph.depth
    assert all(pair in graph.pairs for pair in zip(found.path, found.path[1:]))
    longest: dict[int, int] = {}

    def below(task: int) -> int:
        if task not in longest:
            longest[task] = 1 + max((below(succ) for succ in graph.successors[task]), default=0)
        return longest[task]

    for task in graph.walk.tasks:
        through = graph.levels[task.index] + below(task.index) - 1
        assert found.slack[task.site.index] <= graph.depth - through
    assert all(found.slack[graph.walk.tasks[task].site.index] == 0 for task in found.path)


CHAIN = """\
s = put(x, s)
y = bump(s, y)
y = bump(s, y)
w[0:32, :] = y
"""


def test_edge_modes_are_those_of_deps_viewer() -> None:
    body = CHAIN.replace("w[0:32, :] = y\n", "")
    sites = fold(Source(jit(body)).graph())
    by_mode = {mode: [(e.pred.index, e.succ.index) for e in shown_edges(sites, mode)] for mode in EdgeMode}
    assert by_mode[EdgeMode.REDUCED] == [(0, 1), (1, 2)]
    assert by_mode[EdgeMode.OMITTED] == [(0, 2)]
    # ``s`` comes to the third task from the first alone.
    assert sorted(by_mode[EdgeMode.REDUCED_DATAFLOW]) == sorted(by_mode[EdgeMode.FULL])
    assert by_mode[EdgeMode.OMITTED_DATAFLOW] == []


@pytest.mark.parametrize("text", [TEXT, *(each.text for each in list(variants())[::9])])
def test_every_mode_and_its_complement_are_everything(text: str) -> None:
    for graph in Source(text).graphs():
        sites = fold(graph)
        for mode, rest in (
            (EdgeMode.REDUCED, EdgeMode.OMITTED),
            (EdgeMode.REDUCED_DATAFLOW, EdgeMode.OMITTED_DATAFLOW),
        ):
            both = shown_edges(sites, mode) + shown_edges(sites, rest)
            assert sorted(map(id, both)) == sorted(map(id, sites.edges))


def test_drawn_forms_hold_all_of_it(source: Source) -> None:
    graph = source.graph()
    dot, mermaid, svg = dot_view.render(graph), mermaid_view.render(graph), svg_view.render(graph)
    for title in ("pl.parallel i ×2", "if n > 4", "else of: if n > 4", "twice()", "pl.manual_scope"):
        assert title in dot and title in mermaid and title.replace(">", "&gt;") in svg
    for text in ("guard flags", "w not tracked ?", "read flags"):
        assert text in dot and text in mermaid and text in svg
    assert dot.count("{") == dot.count("}") and len(re.findall("subgraph", mermaid)) == mermaid.count("end\n") == 5
    assert "n1 -> s1" in dot and "n1 --> s1" in mermaid
    # What follows the bar hangs on it: launches that already wait for one of those do not.
    assert re.findall(r"s1 -\.- (n\d)", mermaid) == ["n5", "n8", "n9"]


def overlap(a: Rect, b: Rect) -> bool:
    return a.x < b.right and b.x < a.right and a.y < b.bottom and b.y < a.bottom


@pytest.mark.parametrize("text", [TEXT, *(each.text for each in list(variants())[::5])])
def test_places(text: str) -> None:
    for graph in Source(text).graphs():
        ElementTree.fromstring(svg_view.render(graph))
        shown = Picture(fold(graph))
        arrows = lines(shown)
        placed = place(boxes(shown), arrows, {site.index: label_of(shown, site) for site in shown.sites.sites})
        assert placed.sites.keys() == {site.index for site in shown.sites.sites}
        rects = [*placed.sites.values(), *(rect for _, rect in placed.clouds)]
        assert not any(overlap(a, b) for number, a in enumerate(rects) for b in rects[:number])
        for box, frame in placed.frames:
            inside = sites_in(box)
            for index, rect in placed.sites.items():
                within = frame.x <= rect.x and rect.right <= frame.right
                within = within and frame.y <= rect.y and rect.bottom <= frame.bottom
                assert within if index in inside else not overlap(rect, frame)
        assert sorted(id(route.line) for route in placed.routes) == sorted(map(id, arrows))
        for route in placed.routes:
            line = route.line
            if line.pred.index < line.succ.index and line.kind not in UNLAYERED and not line.carried:
                assert placed.sites[line.pred.index].right <= placed.sites[line.succ.index].x
        for bar, rect in placed.bars:
            for site in shown.sites.sites:
                if shown.nest(site)[: len(bar.spot.nest)] == bar.spot.nest:
                    behind = placed.sites[site.index].x > rect.right
                    assert behind == (site.index >= bar.spot.after)


@pytest.mark.parametrize("trips", [3, 5000])
def test_counts_of_loops_too_long_to_walk_are_not_those_of_two_iterations(trips: int) -> None:
    source = Source(jit(f"for i in pl.range({trips}):\n    s = put(x, s)\n"))
    counts = document(source.graph(VIEW_LIMIT), source.locate)["summary"]
    assert counts["tasks"] == trips and counts["depth"] in (trips, "?")
