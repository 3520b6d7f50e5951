"""Simulation of whole programs given as IR: recording, replay, fall-back, failure."""

from __future__ import annotations

import time

from pto_lsp.analysis.ir.expressions import Expr, Op
from pto_lsp.analysis.ir.program import Direction
from pto_lsp.analysis.ir.statements import Evaluate, For, Scope, ScopeMode, Stmt
from pto_lsp.analysis.ir.types import INDEX, TASK_ID
from pto_lsp.analysis.replay.compare import Cause
from pto_lsp.analysis.replay.definition import Source
from pto_lsp.analysis.replay.document import replay_document
from pto_lsp.analysis.replay.host import Outcome
from pto_lsp.analysis.replay.simulation import simulate
from tests.replay.build import (
    AT,
    T,
    W,
    call,
    carry,
    create,
    give,
    graph,
    items,
    let,
    loop,
    main,
    param,
    plus,
    program,
    slice_,
    submit,
    tensor,
    times,
    unpack,
    var,
)

A_C = [param("a", T), param("c", T, Direction.INOUT)]
IDX = param("idx", INDEX)


def calling(trips: int, *args: Expr | int) -> For:
    return loop(
        "i",
        trips,
        let(tensor("c.2"), call("layer", tensor("a"), tensor("c.1"), *args)),
        carries=(carry("c.1", tensor("c"), tensor("c.2"), "c.3"),),
    )


def test_a_derived_scalar_is_frozen() -> None:
    layer = graph(
        [*A_C, IDX],
        let("base", times(var("idx"), 5120)),
        let(tensor("c.1"), call("shift", tensor("a"), tensor("c"), var("base"))),
        give(tensor("c")),
    )
    result = simulate(program(layer, main(A_C, calling(3, var("i")))))
    assert [call.outcome for call in result.calls] == [Outcome.RECORDED, Outcome.REPLAYED, Outcome.REPLAYED]
    assert not result.equal
    (second,) = result.calls[1].differences
    assert (second.what, second.variable, second.replayed, second.fresh) == ("scalar 0", "base", 0, 5120)
    (third,) = result.calls[2].differences
    assert (third.replayed, third.fresh, third.cause) == (0, 10240, Cause.FROZEN)


def test_the_slot_itself_is_refreshed_and_a_rename_is_not() -> None:
    layer = graph(
        [*A_C, IDX],
        let("copy", var("idx")),
        let(tensor("c.1"), call("shift", tensor("a"), tensor("c"), var("idx"))),
        let(tensor("c.2"), call("shift", tensor("a"), tensor("c.1"), var("copy"))),
        give(tensor("c")),
    )
    result = simulate(program(layer, main(A_C, calling(2, var("i")))))
    assert [(d.node, d.variable) for d in result.calls[1].differences] == [(1, "copy")]
    document = replay_document(result, result)
    assert [node["scalars"] for node in document["definitions"][0]["nodes"]] == [[{"boundary": 0}], [{"static": 0}]]


def test_a_window_in_the_region_is_frozen_and_one_at_the_call_is_not() -> None:
    inside = graph(
        [*A_C, param("w", W), IDX],
        let("base", times(var("idx"), 64)),
        let(tensor("wl"), slice_(tensor("w", W), [64, 64], [var("base"), 0])),
        let(tensor("c.1"), call("bump", tensor("wl"), tensor("c"))),
        give(tensor("c")),
    )
    entry = main([*A_C, param("w", W)], calling(3, tensor("w", W), var("i")))
    result = simulate(program(inside, entry))
    (difference,) = result.calls[1].differences
    assert (difference.what, difference.variable) == ("tensor 0 offset", "wl")
    assert (difference.replayed, difference.fresh) == (0, 64 * 64)
    assert result.definitions[0].nodes[0].tensors[0].source is Source.BOUNDARY_VIEW

    outside = graph(
        [*A_C, param("wl", T)], let(tensor("c.1"), call("bump", tensor("wl"), tensor("c"))), give(tensor("c"))
    )
    hoisted = loop(
        "i",
        3,
        let("base", times(var("i"), 64)),
        let(tensor("wl"), slice_(tensor("w", W), [64, 64], [var("base"), 0])),
        let(tensor("c.1"), call("layer", tensor("a"), tensor("c"), tensor("wl"))),
    )
    assert simulate(program(outside, main([*A_C, param("w", W)], hoisted))).equal


def test_a_window_clipped_at_the_edge_changes_the_boundary() -> None:
    layer = graph(
        [*A_C, param("wl", T)], let(tensor("c.1"), call("bump", tensor("wl"), tensor("c"))), give(tensor("c"))
    )
    clipped = loop(
        "i",
        2,
        let(tensor("wl"), slice_(tensor("w", W), [64, 64], [times(var("i"), 500), 0])),
        let(tensor("c.1"), call("layer", tensor("a"), tensor("c"), tensor("wl"))),
    )
    result = simulate(program(layer, main([*A_C, param("w", W)], clipped)))
    assert [call.outcome for call in result.calls] == [Outcome.RECORDED, Outcome.ORDINARY]
    assert result.calls[1].reason == "'wl' has another shape than in the recording"
    assert [task.kind for task in result.submissions] == ["graph", "kernel"]
    assert result.submissions[1].fanin == (0,)


def test_allocations_of_one_list_come_first_in_batches_of_sixteen() -> None:
    body: list[Stmt] = [let(tensor("c.0"), call("bump", tensor("a"), tensor("c")))]
    body += [let(tensor(f"m{k}"), create(8, 8)) for k in range(17)]
    layer = graph([param("a", T), param("c", T, Direction.INOUT)], loop("i", 2, *body), give(tensor("c")))
    result = simulate(program(layer, main(A_C, calling(1))), calls=1)
    nodes = result.definitions[0].nodes
    assert [(node.kernel, len(node.tensors)) for node in nodes] == [(None, 16), (None, 1), ("bump", 2)] * 2
    assert result.definitions[0].required_heap == 34 * 1024


def test_an_allocation_shaped_by_a_local_name_stands_where_it_is_written() -> None:
    layer = graph(
        [*A_C],
        loop(
            "i",
            2,
            let(tensor("c.1"), call("bump", tensor("a"), tensor("c"))),
            let("rows", plus(var("i"), 1)),
            let(tensor("m"), create(var("rows"), 8)),
        ),
        give(tensor("c")),
    )
    result = simulate(program(layer, main(A_C, calling(1))), calls=1)
    assert [node.kernel for node in result.definitions[0].nodes] == ["bump", None, "bump", None]


def test_a_runtime_made_output_is_internal_for_later_nodes() -> None:
    layer = graph(
        A_C,
        let(tensor("r"), call("fill", tensor("a"))),
        let(tensor("c.1"), call("bump", tensor("r"), tensor("c"))),
        give(tensor("c")),
    )
    result = simulate(program(layer, main(A_C, calling(2))))
    first, second = result.definitions[0].nodes
    assert [t.source for t in first.tensors] == [Source.BOUNDARY_EXACT, Source.OWN_OUTPUT]
    assert [t.source for t in second.tensors] == [Source.INTERNAL, Source.BOUNDARY_EXACT]
    assert second.fanin == (0,)
    assert result.equal


def test_a_region_whose_task_count_varies_replays_the_first_topology() -> None:
    layer = graph(
        [*A_C, IDX],
        loop("j", plus(var("idx"), 1), let(tensor("c.1"), call("bump", tensor("a"), tensor("c")))),
        give(tensor("c")),
    )
    result = simulate(program(layer, main(A_C, calling(2, var("i")))))
    (difference,) = result.calls[1].differences
    assert (difference.what, difference.replayed, difference.fresh) == ("nodes", 1, 2)


def test_a_graph_without_tasks_fails() -> None:
    result = simulate(program(graph(A_C, give(tensor("c"))), main(A_C, calling(2))))
    assert result.calls[0].outcome is Outcome.FAILED
    assert result.problems == ("layer: no task was recorded",)
    assert result.definitions == ()


def test_an_out_parameter_is_never_recorded() -> None:
    layer = graph(
        [param("a", T), param("c", T, Direction.OUT)],
        let(tensor("c.1"), call("bump", tensor("a"), tensor("c"))),
        give(tensor("c")),
    )
    result = simulate(program(layer, main(A_C, calling(2))))
    assert [call.outcome for call in result.calls] == [Outcome.ORDINARY] * 2
    assert [task.kind for task in result.submissions] == ["kernel", "kernel"]


def test_host_reads_in_the_region_are_frozen() -> None:
    layer = graph(
        [*A_C, param("n", T)],
        let("count", Op("tensor.read", (tensor("n"), items(0, 0)))),
        let(tensor("c.1"), call("shift", tensor("a"), tensor("c"), var("count"))),
        give(tensor("c")),
    )
    values = iter([4, 4, 9, 9, 9])
    seen: dict[int, int] = {}

    def data(buffer: object, element: int, epoch: int) -> int:
        return seen.setdefault(epoch, next(values) if epoch not in seen else 0)

    entry = main([*A_C, param("n", T)], calling(3, tensor("n")))
    result = simulate(program(layer, entry), oracle=data)
    assert [[(d.replayed, d.fresh) for d in c.differences] for c in result.calls] == [[], [], [(4, 9)]]


def test_one_call_per_run_repeats_the_entry_with_other_scalars() -> None:
    layer = graph(
        [*A_C, IDX],
        let("base", times(var("idx"), 8)),
        let(tensor("c.1"), call("shift", tensor("a"), tensor("c"), var("base"))),
        give(tensor("c")),
    )
    once = main([*A_C, IDX], let(tensor("c.1"), call("layer", tensor("a"), tensor("c"), var("idx"))))
    result = simulate(program(layer, once), arguments=[{"idx": 5}, {"idx": 7}])
    assert [[(d.replayed, d.fresh) for d in c.differences] for c in result.calls] == [[], [(40, 56)], [(40, 16)]]
    assert len(result.submissions) == 1
    assert len(simulate(program(layer, once), calls=5).calls) == 5


def test_a_graph_without_a_caller_is_called_directly() -> None:
    layer = graph([*A_C, IDX], let(tensor("c.1"), call("shift", tensor("a"), tensor("c"), times(var("idx"), 8))))
    result = simulate(program(layer), entry="layer")
    assert [[(d.variable, d.replayed, d.fresh) for d in c.differences] for c in result.calls] == [
        [],
        [("idx * 8", 0, 8)],
        [("idx * 8", 0, 16)],
    ]


def test_explicit_dependencies_and_dummies() -> None:
    one, two = var("t1", TASK_ID), var("t2", TASK_ID)
    body = Scope(
        ScopeMode.MANUAL,
        (
            unpack(submit("bump", tensor("a"), tensor("c")), tensor("c.1"), one),
            unpack(submit("bump", tensor("a"), tensor("d")), tensor("d.1"), two),
            unpack(submit("bump", tensor("c.1"), tensor("d.1"), deps=(one, two)), tensor("d.2"), var("t3", TASK_ID)),
            Evaluate(call("bump", tensor("c.1"), tensor("d.2")), AT),
        ),
        AT,
    )
    entry = main([*A_C, param("d", T, Direction.INOUT)], body, Evaluate(call("bump", tensor("d"), tensor("c")), AT))
    assert [task.fanin for task in simulate(program(entry)).submissions] == [(), (), (0, 1), (), ()]


def test_a_graph_in_a_manual_scope_has_no_edges() -> None:
    layer = graph(A_C, let(tensor("c.1"), call("bump", tensor("a"), tensor("c"))), give(tensor("c")))
    entry = main(
        A_C,
        let(tensor("c.1"), call("bump", tensor("a"), tensor("c"))),
        Scope(ScopeMode.MANUAL, (let(tensor("c.2"), call("layer", tensor("a"), tensor("c.1"))),), AT),
        let(tensor("c.3"), call("bump", tensor("a"), tensor("c.2"))),
    )
    result = simulate(program(layer, entry), calls=1)
    assert [(task.kind, task.fanin) for task in result.submissions] == [("kernel", ()), ("graph", ()), ("kernel", (0,))]


def test_endless_programs_end() -> None:
    layer = graph(A_C, let(tensor("c.1"), call("bump", tensor("a"), tensor("c"))), give(tensor("c")))
    entry = main(A_C, loop("i", 1 << 40, let("x", var("i"))))
    result = simulate(program(layer, entry))
    assert result.gaps == ("the program is too large to simulate completely",)
    entry = main(A_C, loop("i", 1 << 40, let(tensor("c.1"), call("bump", tensor("a"), tensor("c")))))
    result = simulate(program(layer, entry))
    assert result.problems == ("more than 16384 tasks in one run",)


def test_endless_recordings_end_long_before_everything_was_recorded() -> None:
    layer = graph(
        A_C, loop("i", 1 << 40, let(tensor("c.1"), call("bump", tensor("a"), tensor("c")))), give(tensor("c"))
    )
    entry = main(A_C, let(tensor("c.2"), call("layer", tensor("a"), tensor("c"))))
    begin = time.process_time()
    result = simulate(program(layer, entry))
    assert result.gaps == ("the program is too large to simulate completely",)
    # Every node costs as much as dozens of other steps.
    assert time.process_time() - begin < 4
