"""Graphs task by task, in the form of those by launches."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from pto_lsp.analysis.task_graph.document import document, unrolled
from pto_lsp.analysis.task_graph.instances import task_document, unrollable
from pto_lsp.analysis.task_graph.picture import Picture
from pto_lsp.analysis.task_graph.sitegraph import fold
from pto_lsp.analysis.task_graph.walk import VIEW_LIMIT
from tests.task_graph.build import Source, jit
from tests.task_graph.everything import TEXT
from tests.task_graph.random_orchestrations import bodies

NESTED = """\
for i in pl.range(1, 7, 2):
    s = put(x, s)
    for j in pl.parallel(2):
        y = bump(s, y)
w[0:32, :] = y
"""


def by_tasks(source: Source, view: str, most: int = 500) -> dict[str, Any]:
    whole = Picture(fold(source.graph(VIEW_LIMIT)))
    shown = Picture(fold(source.graph(0))) if view == "iterations" else whole
    return task_document(shown, whole, source.locate, view, most)


def named(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(node["name"], node["at"]) for node in found["nodes"]]


def around(found: dict[str, Any], number: int) -> list[str]:
    titles = {group["id"]: group["title"] for group in found["groups"]}
    return [titles[group] for group in found["nodes"][number]["groups"]]


def test_unrolled_tasks_say_their_iteration() -> None:
    found = by_tasks(Source(jit(NESTED)), "unrolled")
    first = [("put", "i = 1"), ("bump", "i = 1, j = 0"), ("bump", "i = 1, j = 1")]
    assert named(found)[:4] == [*first, ("put", "i = 3")]
    # An iteration with one task needs no box of its own.
    assert around(found, 1) == ["pl.range i ×3", "i = 1", "pl.parallel j ×2"]
    assert found["nodes"][1]["groups"] == found["nodes"][2]["groups"]
    assert found["nodes"][1]["groups"][2] != found["nodes"][4]["groups"][2]
    assert found["more"] == 0 and {node["of"] for node in found["nodes"][:3]} == {"n1", "n2"}


def test_two_iterations_stand_for_all() -> None:
    found = by_tasks(Source(jit(NESTED)), "iterations")
    assert ("put", "i") in named(found) and ("put", "i + 1") in named(found)
    assert around(found, 0) == ["pl.range i ×3", "i"]
    ids = {(node["name"], node["at"]): node["id"] for node in found["nodes"]}
    edges = {(edge["pred"], edge["succ"]) for edge in found["edges"]}
    assert (ids["put", "i"], ids["put", "i + 1"]) in edges
    # The counts are those of the function, not of what is drawn.
    assert found["summary"]["tasks"] == 9


def test_only_the_first_are_given_and_the_rest_counted() -> None:
    source = Source(jit("for i in pl.range(90):\n    s = put(x, s)"))
    found = by_tasks(source, "unrolled", 64)
    assert (len(found["nodes"]), found["more"]) == (64, 26)
    drawn = {node["id"] for node in found["nodes"]}
    assert all({edge["pred"], edge["succ"]} <= drawn for edge in found["edges"])
    assert set(found["critical"]["path"]) <= drawn


def test_what_cannot_be_unrolled_says_why() -> None:
    assert "not every trip count" in unrollable(Picture(fold(Source(TEXT).graph(VIEW_LIMIT))))
    many = Source(jit("for i in pl.range(600):\n    s = put(x, s)"))
    assert unrollable(Picture(fold(many.graph(VIEW_LIMIT)))).startswith("600 tasks are too many to draw")


def test_everything_that_pictures_show_is_there_task_by_task() -> None:
    found = by_tasks(Source(TEXT), "iterations")
    names = {node["id"]: (node["name"], node["at"]) for node in found["nodes"]}
    ends = [(names[each["pred"]], names[each["succ"]], each["claim"]) for each in found["opted_out"]]
    assert (("band", "i = 0"), ("band", "i = 1"), "claim verified: never the same data") in ends
    assert [(names[each["pred"]][0], names[each["succ"]][0]) for each in found["guards"]] == [("count", "grid")]
    assert [(stall["after"], [names[wait][0] for wait in stall["waits"]]) for stall in found["stalls"]] == [
        (5, ["count"])
    ]
    assert {each["hazard"] for each in found["missing"]} == {"RAW", "WAR", "WAW"}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(bodies())
def test_unrolled_it_is_the_list_of_tasks(body: str) -> None:
    source = Source(jit(body))
    graph = source.graph(VIEW_LIMIT)
    if unrollable(Picture(fold(graph))):
        return
    found, listed = by_tasks(source, "unrolled"), unrolled(graph, source.locate)
    assert [node["name"] for node in found["nodes"]] == [task["kernel"] for task in listed["tasks"]]
    number = {node["id"]: at for at, node in enumerate(found["nodes"])}
    pairs = {(number[edge["pred"]], number[edge["succ"]]) for edge in found["edges"]}
    assert pairs == {(edge["pred"], edge["succ"]) for edge in listed["edges"]}
    parents = {group["id"]: group["parent"] for group in found["groups"]}
    for node in found["nodes"]:
        assert [parents[group] for group in node["groups"]] == [None, *node["groups"]][: len(node["groups"])]


@pytest.mark.parametrize("view", ["iterations", "unrolled"])
def test_the_form_is_that_of_the_graph_by_launches(view: str) -> None:
    source = Source(jit(NESTED))
    plain, found = document(source.graph(), source.locate), by_tasks(source, view)
    assert plain.keys() <= found.keys()
    for name in ("nodes", "edges", "tensors", "loops", "groups"):
        assert plain[name][0].keys() <= found[name][0].keys()
