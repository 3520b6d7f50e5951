"""Edges between the tasks of a run (replay.md §5.1, semantics.md §3, §6)."""

from __future__ import annotations

from pto_lsp.analysis.replay import views
from pto_lsp.analysis.replay.launches import Launch, NewTensor, TensorArg
from pto_lsp.analysis.replay.ring import Ring
from pto_lsp.analysis.replay.tensor_map import Tag
from pto_lsp.analysis.replay.values import TaskId, Tensor, dense


def launch(*args: tuple[Tensor | NewTensor, Tag], deps: tuple[TaskId, ...] = (), manual: bool = False) -> Launch:
    return Launch("k", tuple(TensorArg(t, tag, "t") for t, tag in args), deps=deps, manual=manual)


def fanins(*launches: Launch) -> list[tuple[int, ...]]:
    ring = Ring()
    for each in launches:
        ring.submit(each)
    return [task.fanin for task in ring.tasks]


X = dense("x", (16, 64), "FP32")


def test_reader_waits_for_every_overlapping_writer() -> None:
    top, bottom = views.window(X, (8, 64), (0, 0)), views.window(X, (8, 64), (8, 0))
    assert top is not None and bottom is not None
    assert fanins(launch((top, Tag.INOUT)), launch((bottom, Tag.INOUT)), launch((X, Tag.INPUT))) == [(), (), (1, 0)]


def test_inout_replaces_the_writers_it_covers() -> None:
    write = launch((X, Tag.INOUT))
    assert fanins(write, write, launch((X, Tag.INPUT))) == [(), (0,), (1,)]


def test_a_partial_inout_leaves_the_older_writer() -> None:
    top = views.window(X, (8, 64), (0, 0))
    assert top is not None
    assert fanins(launch((X, Tag.INOUT)), launch((top, Tag.INOUT)), launch((top, Tag.INPUT))) == [(), (0,), (1, 0)]


def test_existing_output_never_waits() -> None:
    write = launch((X, Tag.OUTPUT_EXISTING))
    assert fanins(write, write, launch((X, Tag.INPUT))) == [(), (), (1, 0)]


def test_war_is_not_tracked() -> None:
    assert fanins(launch((X, Tag.INPUT)), launch((X, Tag.INOUT))) == [(), ()]


def test_no_dep_neither_waits_nor_publishes() -> None:
    hidden = launch((X, Tag.NO_DEP))
    assert fanins(launch((X, Tag.INOUT)), hidden, launch((X, Tag.INPUT))) == [(), (), (0,)]


def test_owner_edge_holds_even_for_no_dep_and_manual_dep() -> None:
    ring = Ring()
    made = ring.submit(launch((NewTensor("m", (4,), "FP32", manual_dep=True), Tag.OUTPUT))).outputs[0]
    ring.submit(launch((made, Tag.INOUT)))
    ring.submit(launch((made, Tag.INPUT)))
    ring.submit(launch((made, Tag.NO_DEP)))
    assert [task.fanin for task in ring.tasks] == [(), (0,), (0,), (0,)]


def test_manual_scope_has_explicit_edges_only_and_publishes_nothing() -> None:
    write = launch((X, Tag.INOUT))
    quiet = launch((X, Tag.INOUT), deps=(TaskId(False, 0),), manual=True)
    assert fanins(write, quiet, launch((X, Tag.INPUT), manual=True), launch((X, Tag.INPUT))) == [(), (0,), (), (0,)]


def test_allocations_are_rounded_up() -> None:
    ring = Ring()
    first, second = ring.submit(
        Launch(None, tuple(TensorArg(NewTensor(n, (16, 1), "FP32"), Tag.OUTPUT, n) for n in "ab"))
    ).outputs
    assert (first.buffer.size, second.buffer.size) == (1024, 1024)
    assert first.buffer is not second.buffer


def test_more_than_128_producers_end_the_run() -> None:
    ring = Ring()
    big = dense("big", (200, 64), "FP32")
    for row in range(129):
        part = views.window(big, (1, 64), (row, 0))
        assert part is not None
        ring.submit(launch((part, Tag.OUTPUT_EXISTING)))
    assert ring.problems == []
    ring.submit(launch((big, Tag.INPUT)))
    assert ring.problems == ["a task waits for 129 producers, 128 at most"]
