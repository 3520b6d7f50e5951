"""Exact walks agree with the oracle: same tasks, same wait sets, same waits for allocations."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from pto_lsp.analysis.task_graph.document import unrolled
from tests.support.effort import examples
from tests.task_graph import oracle
from tests.task_graph.build import Source, jit
from tests.task_graph.random_orchestrations import bodies


def agree(text: str) -> None:
    expected = oracle.run(text)
    source = Source(text)
    graph = source.graph(limit=10_000)
    found = unrolled(graph, source.locate)
    assert graph.walk.exact
    assert [task["kernel"] for task in found["tasks"]] == expected.kernels
    pairs = [(edge["pred"], edge["succ"]) for edge in found["edges"]]
    assert pairs == sorted(
        ((pred, succ) for succ, waits in enumerate(expected.waits) for pred in waits), key=lambda p: (p[1], p[0])
    )
    assert found["waits_for_allocation"] == sorted(expected.allocation)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(bodies())
def test_random_orchestrations(body: str) -> None:
    agree(jit(body))


@pytest.mark.parametrize(
    "body",
    [
        "y = bump(x, y)\nfor i in pl.range(3):\n    v = pl.slice(w, [32, 64], [i * 32, 0])\n    v = put(y, v)",
        "r = pl.reshape(w, [64, 128])\nv = pl.slice(r, [16, 128], [0, 0])\ny = bump(x, y)",
        "with pl.manual_scope():\n    s = put(x, s)\ny = bump(s, y)",
        "d = pl.system.task_dummy(deps=[])\ns = put(x, s)",
        "ids = pl.array.create(2, pl.TASK_ID)\nd = pl.system.task_dummy(deps=[ids])\ns = put(x, s)",
    ],
)
def test_chosen_orchestrations(body: str) -> None:
    agree(jit(body))


def test_a_buffer_assembled_into_its_parent_is_a_slice_of_it() -> None:
    body = """\
for i in pl.parallel(4):
    row = pl.create_tensor([32, 64], dtype=pl.FP32)
    row = put(x, row)
    w = pl.assemble(w, row, [i * 32, 0])
v = pl.slice(w, [32, 64], [64, 0])
y = bump(v, y)
"""
    graph = Source(jit(body)).graph()
    assert sorted(graph.pairs) == [(2, 4)]
    assert graph.edges.allocation == frozenset()
    assert [task.arguments[1].views[0].offsets for task in graph.walk.tasks[:4]] == [(0, 0), (32, 0), (64, 0), (96, 0)]
