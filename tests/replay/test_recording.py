"""Classification, fan-in, rebinding and the boundary check, on cases that were run on the real runtime."""

from __future__ import annotations

from dataclasses import replace

from pto_lsp.analysis.replay import views
from pto_lsp.analysis.replay.boundary import Boundary, why_mismatched, why_uncacheable
from pto_lsp.analysis.replay.compare import Cause, compare
from pto_lsp.analysis.replay.definition import Source
from pto_lsp.analysis.replay.launches import Launch, NewTensor, ScalarArg, TensorArg
from pto_lsp.analysis.replay.rebind import rebind
from pto_lsp.analysis.replay.recording import Recording
from pto_lsp.analysis.replay.tensor_map import Tag
from pto_lsp.analysis.replay.values import TaskId, Tensor, dense


def boundary(*tensors: Tensor, scalars: tuple[int, ...] = (), tag: Tag = Tag.INOUT) -> Boundary:
    return Boundary(tuple(TensorArg(t, tag, f"b{i}") for i, t in enumerate(tensors)), scalars)


def row(source: Tensor, index: int, slot: int | None = None, count: int = 1) -> Tensor:
    view = views.window(source, (count, *source.shape[1:]), (index, *([0] * (len(source.shape) - 1))))
    assert view is not None
    return Tensor(view.buffer, view.start, view.shape, view.strides, view.dtype, slot=slot)


def launch(*tensors: Tensor, tag: Tag = Tag.INPUT, scalars: tuple[ScalarArg, ...] = ()) -> Launch:
    return Launch("k", tuple(TensorArg(t, tag, f"t{i}") for i, t in enumerate(tensors)), scalars)


W = dense("w", (512, 64), "FP32")


def test_first_exact_match_wins_over_an_earlier_view() -> None:
    recording = Recording("g", boundary(W, row(W, 3)))
    recording.submit(launch(row(W, 3), row(W, 4), W))
    assert [(t.source, t.index, t.offset) for t in recording.nodes[0].tensors] == [
        (Source.BOUNDARY_EXACT, 1, 0),
        (Source.BOUNDARY_VIEW, 0, 256),
        (Source.BOUNDARY_EXACT, 0, 0),
    ]


def test_a_tensor_from_elsewhere_fails_the_run() -> None:
    recording = Recording("g", boundary(W))
    recording.submit(launch(dense("x", (4,), "FP32")))
    assert recording.problems == ["'t0' is not on the boundary"]


def test_a_view_that_starts_before_its_boundary_fails_the_run() -> None:
    recording = Recording("g", boundary(row(W, 3)))
    recording.submit(launch(row(W, 2)))
    assert recording.problems == ["'t0' is not on the boundary"]


def test_memory_of_the_graph_is_packed_per_node() -> None:
    recording = Recording("g", boundary(W))
    news = tuple(TensorArg(NewTensor(n, (4, 4), "FP32"), Tag.OUTPUT, n) for n in "ab")
    first, second = recording.submit(Launch(None, news)).outputs
    recording.submit(launch(second, tag=Tag.NO_DEP))
    recording.submit(launch(first, second, tag=Tag.INOUT))
    nodes = recording.nodes
    assert [(t.source, t.index, t.offset) for t in nodes[0].tensors] == [
        (Source.OWN_OUTPUT, 0, 0),
        (Source.OWN_OUTPUT, 0, 1024),
    ]
    assert [(t.source, t.index, t.offset) for t in nodes[2].tensors] == [
        (Source.INTERNAL, 0, 0),
        (Source.INTERNAL, 0, 1024),
    ]
    assert [node.fanin for node in nodes] == [(), (0,), (0,)]
    assert recording.finish().required_heap == 2048


def test_internal_producers_hold_in_a_manual_scope() -> None:
    recording = Recording("g", boundary(W))
    made = recording.submit(Launch(None, (TensorArg(NewTensor("m", (4,), "FP32"), Tag.OUTPUT, "m"),))).outputs[0]
    recording.submit(Launch("k", (TensorArg(made, Tag.INOUT, "m"), TensorArg(W, Tag.INOUT, "w")), manual=True))
    recording.submit(Launch("k", (TensorArg(W, Tag.INPUT, "w"),)))
    assert [node.fanin for node in recording.nodes] == [(), (0,), ()]


def test_owners_outside_the_recording_give_no_node_edge() -> None:
    owned = Tensor(W.buffer, 0, W.shape, W.strides, W.dtype, TaskId(False, 7))
    recording = Recording("g", boundary(owned))
    recording.submit(launch(owned))
    recording.submit(Launch("k", (TensorArg(owned, Tag.INPUT, "w"),), deps=(TaskId(False, 7),)))
    assert [node.fanin for node in recording.nodes] == [(), ()]
    assert recording.problems == []
    recording.submit(Launch("k", (TensorArg(owned, Tag.INPUT, "w"),), deps=(TaskId(False, 6),)))
    assert recording.problems == ["a task depends on a task outside the Graph"]


def test_an_empty_recording_and_1025_nodes_fail() -> None:
    recording = Recording("g", boundary(W))
    recording.finish()
    assert recording.problems == ["no task was recorded"]
    recording = Recording("g", boundary(W))
    for _ in range(1024):
        recording.submit(launch(W))
    recording.finish()
    assert recording.problems == []
    recording.submit(launch(W))
    recording.finish()
    assert recording.problems == ["1025 tasks were recorded, 1024 at most"]


def fresh(body_launches: list[Launch], bound: Boundary) -> Recording:
    recording = Recording("g", bound)
    for each in body_launches:
        recording.submit(each)
    return recording


def test_alias_identical_then_not() -> None:
    """Slots 0 and 1 hold the same view when recorded: every use is bound to slot 0 (replay.md §2)."""
    first = row(W, 2)
    definition = fresh([launch(first), launch(replace(first, slot=1))], boundary(first, first)).finish()
    a, b = row(W, 2), row(W, 3)
    assert why_mismatched(definition.boundary, 0, boundary(a, b)) == ""
    right = fresh([launch(a), launch(b)], boundary(a, b)).finish()
    (found,) = compare(rebind(definition, boundary(a, b)), right)
    assert (found.what, found.replayed, found.fresh, found.cause) == ("tensor 0 offset", 128, 192, Cause.ALIASED)


def test_alias_view_of_second() -> None:
    """A view of slot 1 is recorded as a view of slot 0, at the distance of the first call."""

    def body(second: int) -> tuple[list[Launch], Boundary]:
        low, high = row(W, 0, count=4), row(W, second, count=4)
        return [launch(row(W, second + 1, slot=1))], boundary(low, high)

    recorded_body, recorded_boundary = body(10)
    definition = fresh(recorded_body, recorded_boundary).finish()
    assert definition.nodes[0].tensors[0].index == 0
    next_body, next_boundary = body(20)
    (found,) = compare(rebind(definition, next_boundary), fresh(next_body, next_boundary).finish())
    assert (found.replayed, found.fresh, found.cause) == (11 * 64, 21 * 64, Cause.ALIASED)


def test_alias_two_views_exact_is_safe() -> None:
    def body(second: int) -> tuple[list[Launch], Boundary]:
        return [launch(row(W, second))], boundary(row(W, 0), row(W, second))

    definition = fresh(*body(10)).finish()
    launches, bound = body(20)
    assert compare(rebind(definition, bound), fresh(launches, bound).finish()) == ()


def test_scalars_are_refreshed_by_slot_and_frozen_otherwise() -> None:
    def body(value: int) -> tuple[list[Launch], Boundary]:
        scalars = (ScalarArg(value, 0, "p"), ScalarArg(value, None, "copy"))
        return [launch(W, scalars=scalars)], boundary(W, scalars=(value,))

    definition = fresh(*body(3)).finish()
    launches, bound = body(5)
    (found,) = compare(rebind(definition, bound), fresh(launches, bound).finish())
    assert (found.what, found.variable, found.replayed, found.fresh) == ("scalar 1", "copy", 3, 5)


def test_boundary_check_compares_what_the_runtime_compares() -> None:
    recorded = boundary(W, row(W, 3)).tensors

    def check(*tensors: Tensor, scalars: tuple[int, ...] = (), tag: Tag = Tag.INOUT) -> str:
        return why_mismatched(recorded, 0, boundary(*tensors, scalars=scalars, tag=tag))

    other = dense("other", (512, 64), "FP32")
    assert check(other, row(other, 9)) == ""
    assert check(W, row(other, 3)) == "the arguments share buffers in another way than in the recording"
    assert check(other, row(other, 9, count=2)) == "'b1' has another shape than in the recording"
    assert check(W) == "another number of arguments"
    assert check(W, row(W, 3), scalars=(1,)) == "another number of arguments"
    assert check(W, row(W, 3), tag=Tag.INPUT) == "'b0' has another direction than in the recording"
    big = dense("big", (1024, 64), "FP32")
    assert check(row(big, 0, count=512), row(big, 3)) == "'b0' has an allocation of another size than in the recording"


def test_what_is_never_recorded() -> None:
    assert why_uncacheable(boundary()) == "no boundary tensor"
    assert why_uncacheable(boundary(W, tag=Tag.OUTPUT)) == "'b0' is an output that the runtime allocates"
    assert why_uncacheable(boundary(*[W] * 128)) == ""
    assert why_uncacheable(boundary(*[W] * 129)) == "129 boundary tensors, 128 at most"
