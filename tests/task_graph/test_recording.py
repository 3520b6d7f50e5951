"""Recorded graphs: reading them, matching their tasks, and what is in both."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from pto_lsp.analysis.task_graph import dot_view, mermaid_view, svg_view, text_view, unrolled_view
from pto_lsp.analysis.task_graph.comparison import Comparison, Seen, compare, fitted
from pto_lsp.analysis.task_graph.document import document
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.recording import Malformed, parse_names, parse_recording
from tests.task_graph.build import Source, jit
from tests.task_graph.recorded import RING, record

BODY = """\
ids = pl.array.create(3, pl.TASK_ID)
for i in pl.parallel(3):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="band", no_dep_args=[w]) as t:
        w[i * 32 : i * 32 + 32, :] = pl.add(w[i * 32 : i * 32 + 32, :], w[i * 32 : i * 32 + 32, :])
    ids[i] = t
join = pl.system.task_dummy(deps=[ids])
with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum", deps=[join]) as total:
    y[:, :] = pl.add(y[:, :], w[0:32, :])
s = put(y, s)
with pl.spmd(2, name_hint="again"):
    b = pl.get_block_idx()
    y[b * 16 : b * 16 + 16, :] = pl.sub(x[b * 16 : b * 16 + 16, :], x[b * 16 : b * 16 + 16, :])
"""


@pytest.fixture(scope="module")
def graph() -> TaskGraph:
    return Source(jit(BODY)).graph()


def compared(graph: TaskGraph, text: str, names: str) -> Comparison:
    return compare(graph, parse_recording(text, parse_names(names)))


def edit(text: str, change: Any) -> str:
    data = json.loads(text)
    change(data)
    return json.dumps(data)


def test_the_same_graph(graph: TaskGraph) -> None:
    found = compared(graph, *record(graph))
    assert (found.count(Seen.BOTH), found.count(Seen.PREDICTED), found.count(Seen.OBSERVED)) == (len(graph.pairs), 0, 0)
    assert found.exact and found.here == () and found.there == ()
    assert {index: task.id - RING for index, task in found.tasks.items()} == {
        task.index: task.index for task in graph.walk.tasks
    }


@pytest.mark.parametrize("number", range(5))
def test_one_wait_is_missing_or_too_many(graph: TaskGraph, number: int) -> None:
    pair = sorted(graph.pairs)[number]
    found = compared(graph, *record(graph, without=[pair], more=[(0, 2)]))
    assert (found.count(Seen.PREDICTED), found.count(Seen.OBSERVED)) == (1, 1)
    assert [key for key, _ in found.only_observed()] == [(0, 0, True)]


def test_a_barrier_of_the_compiler(graph: TaskGraph) -> None:
    """An unknown dummy between two tasks is the same as a wait of the one for the other."""

    def through(data: Any) -> None:
        data["tasks"].append({"task_id": "99", "kernel_ids": [-1, -1, -1]})
        last = data["edges"][-2]
        data["edges"] += [{"pred": last["pred"], "succ": "99"}, {"pred": "99", "succ": last["succ"]}]
        data["edges"].remove(last)

    text, names = record(graph)
    found = compared(graph, edit(text, through), names)
    assert found.count(Seen.BOTH) == len(graph.pairs) and found.count(Seen.OBSERVED) == 0


def test_without_names_tasks_match_in_order(graph: TaskGraph) -> None:
    text, _ = record(graph)
    assert compared(graph, text, "{}").count(Seen.BOTH) == len(graph.pairs)


def test_parts_of_a_mixed_kernel(graph: TaskGraph) -> None:
    """A kernel of cube and vector work is two in the record."""

    def mixed(data: Any) -> None:
        for task in data["tasks"]:
            task["kernel_ids"] = [
                slot * 2 + (number > 0) if slot >= 0 else -1
                for number, slot in enumerate([task["kernel_ids"][1]] * 2 + [-1])
            ]

    text, names = record(graph)
    table = json.loads(names)["callable_id_to_name"]
    both = {str(int(k) * 2 + part): f"{v}_{('aic', 'aiv')[part]}" for k, v in table.items() for part in (0, 1)}
    assert compared(graph, edit(text, mixed), json.dumps(both)).count(Seen.BOTH) == len(graph.pairs)


def test_tasks_that_only_one_side_has(graph: TaskGraph) -> None:
    def other(data: Any) -> None:
        del data["tasks"][0]
        data["tasks"].append({"task_id": "5", "kernel_ids": [9, -1, -1]})

    text, names = record(graph)
    found = compared(graph, edit(text, other), names)
    assert found.here == ("band",) and found.there == ("f9 (r0t5)",)
    assert found.count(Seen.BOTH) == len(graph.pairs) - 1


def test_a_trip_count_of_the_run() -> None:
    text = jit("for i in pl.range(n):\n    s = put(y, s)\n    y = put(s, y)\n")
    source = Source(text.replace("pl.FP32]],\n):\n", "pl.FP32]],\n    n: pl.Scalar[pl.INDEX],\n):\n"))
    graph = source.graph()
    assert not graph.walk.exact
    real = graph.analyser.graph(graph.function, 100, {"n": 5})
    text, names = record(real)
    recording = parse_recording(text, parse_names(names))
    again = fitted(graph, recording, 1000)
    assert again.walk.exact and len(again.walk.tasks) == 10
    assert compare(again, recording).count(Seen.BOTH) == len(real.pairs)
    folded = compare(graph, recording)
    # Both launches have one name, so nothing is said about either.
    assert not folded.exact and folded.waits == {}


def test_launches_of_a_symbolic_loop() -> None:
    text = jit("for i in pl.range(n):\n    s = put(y, s)\n    y = bump(s, y)\n")
    source = Source(text.replace("pl.FP32]],\n):\n", "pl.FP32]],\n    n: pl.Scalar[pl.INDEX],\n):\n"))
    graph = source.graph()
    found = compare(graph, parse_recording(*_parsed(graph.analyser.graph(graph.function, 100, {"n": 3}))))
    assert not found.exact and found.count(Seen.BOTH) == len(found.waits) == 4


def _parsed(graph: TaskGraph) -> tuple[str, dict[int, str]]:
    text, names = record(graph)
    return text, parse_names(names)


def test_every_form_says_so() -> None:
    source = Source(jit(BODY))
    graph = source.graph()
    missing = next(pair for pair in sorted(graph.pairs) if graph.walk.tasks[pair[1]].site.name == "put")
    found = compared(graph, *record(graph, without=[missing], more=[(0, 1)]))
    text = text_view.render(graph, source.locate, found)
    assert "record: 5 waits in both, 1 only predicted, 1 only in the record" in text
    assert "[3] sum (RAW y, not recorded)" in text and "[1] band (only in the record)" in text
    assert "(explicit, recorded)" in text
    tasks = unrolled_view.render(graph, source.locate, found)
    assert "(RAW y, not recorded)" in tasks and "0 (only in the record)" in tasks
    shown = document(graph, source.locate, True, comparison=found)
    assert json.loads(json.dumps(shown)) == shown
    assert {edge["observed"] for edge in shown["edges"]} == {"both", "predicted"}
    assert shown["observed_only"] == [{"pred": "n1", "succ": "n1", "carried": True, "count": 1}]
    assert shown["record"]["both"] == 5 and shown["unrolled"]["tasks"][0]["recorded"] == str(RING)
    assert [edge["observed"] for edge in shown["unrolled"]["edges"]].count(False) == 1
    dot = dot_view.render(graph, found)
    assert "RAW y ⊘ not recorded" in dot and "⊕ only recorded" in dot and "✓" in dot
    mermaid = mermaid_view.render(graph, found)
    assert "⊘ not recorded" in mermaid and re.search(r"n1 -\.->\|\"⊕ only recorded\"\| n1", mermaid)
    svg = ElementTree.fromstring(svg_view.render(graph, found))
    labels = [element.text or "" for element in svg.iter() if element.tag.endswith("text")]
    assert any("⊘ not recorded" in label for label in labels) and "⊕ only recorded" in labels


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no JSON"),
        ("[1, 2]", "no object"),
        ('{"tasks": []}', "no object with a list of edges"),
        ('{"edges": []}', "older runtime"),
        ('{"tasks": [3], "edges": []}', r"tasks\[0\] is no object"),
        ('{"tasks": [{"task_id": "x"}], "edges": []}', r"tasks\[0\].task_id is no task id"),
        ('{"tasks": [{"task_id": "18446744073709551616"}], "edges": []}', r"tasks\[0\].task_id is no task id"),
        ('{"tasks": [{"task_id": "1"}], "edges": []}', r"tasks\[0\].kernel_ids is no list"),
        ('{"tasks": [{"task_id": "1", "kernel_ids": ["a"]}], "edges": []}', "no number"),
        (
            '{"tasks": [{"task_id": 1, "kernel_ids": []}, {"task_id": "1", "kernel_ids": []}], "edges": []}',
            "listed twice",
        ),
        ('{"tasks": [], "edges": [{"pred": "1", "succ": true}]}', r"edges\[0\].succ is no task id"),
        ("[" * 100_000, "no"),
    ],
)
def test_what_is_no_record(text: str, what: str) -> None:
    with pytest.raises(Malformed, match=what):
        parse_recording(text, {})
