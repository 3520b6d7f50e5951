"""Counterexamples for messages: two calls, the stale value, the right one."""

from __future__ import annotations

import time
from collections.abc import Callable

from pto_lsp.analysis.ir.expressions import Binary, Expr, Op
from pto_lsp.analysis.ir.program import Direction, Function, Param
from pto_lsp.analysis.ir.statements import If, Phi, Stmt
from pto_lsp.analysis.ir.types import INDEX
from pto_lsp.analysis.replay.counterexample import Counterexamples, counterexample
from tests.replay.build import (
    AT,
    T,
    W,
    call,
    carry,
    create,
    expr,
    graph,
    items,
    let,
    loop,
    main,
    param,
    plus,
    program,
    slice_,
    tensor,
    times,
    var,
)

A_C = [param("a", T), param("c", T, Direction.INOUT)]
PARAMS: list[Param] = [*A_C, param("w", W), param("idx", INDEX)]


def layer(*body: Stmt) -> Function:
    return graph(PARAMS, *body)


def caller(*body: Stmt) -> Function:
    return main([*A_C, param("w", W)], *body)


def calls(*args: Expr | int) -> Stmt:
    return let(tensor("c.9"), call("layer", tensor("a"), tensor("c"), tensor("w", W), *args))


BASE = let("base", times(var("idx"), 5120))


def message(body: Function, entry: Function | None, name: str) -> str:
    whole = program(body, entry) if entry is not None else program(body)
    found = counterexample(whole, "layer", name)
    return "" if found is None else found.message


def test_the_loop_of_the_caller_gives_the_values() -> None:
    entry = caller(loop("i", 4, calls(var("i"))))
    assert message(layer(BASE), entry, "base") == "second call: 'base' is still 0, should be 5120"


def test_arguments_computed_by_the_caller() -> None:
    entry = caller(loop("i", 4, let("k", plus(times(var("i"), 2), 3)), calls(var("k"))))
    assert message(layer(BASE), entry, "base") == "second call: 'base' is still 15360, should be 25600"


def test_two_call_sites() -> None:
    entry = caller(calls(7), calls(9))
    assert message(layer(BASE), entry, "base") == "second call: 'base' is still 35840, should be 46080"


def test_an_outer_loop_counts_the_calls_of_the_inner_one() -> None:
    entry = caller(loop("i", 2, loop("j", 10, calls(var("i")))))
    assert message(layer(BASE), entry, "base") == "call 11: 'base' is still 0, should be 5120"


def test_a_value_carried_by_the_caller() -> None:
    stepping = carry("k.1", expr(3), plus(var("k.1"), 4), "k.2", INDEX)
    entry = caller(loop("i", 4, calls(var("k.1")), carries=(stepping,)))
    assert message(layer(BASE), entry, "base") == "second call: 'base' is still 15360, should be 35840"


def test_without_a_caller_scalars_are_assumed() -> None:
    assert message(layer(BASE), None, "base") == "second call: 'base' is still 0, should be 5120 (with idx = 0 then 1)"


def test_a_caller_that_never_varies_leaves_the_assumption() -> None:
    assert (
        message(layer(BASE), caller(loop("i", 4, calls(3))), "base")
        == "second call: 'base' is still 0, should be 5120 (with idx = 0 then 1)"
    )


def test_values_that_survive_a_division_are_tried() -> None:
    body = layer(let("part", times(Op("unknown", ()), 1)), let("half", Binary("//", var("idx"), expr(5))))
    assert message(body, None, "half") == "second call: 'half' is still 0, should be 1 (with idx = 0 then 8)"
    assert message(body, None, "part") == ""


def test_a_window_shows_its_offsets() -> None:
    view = let(tensor("wl"), slice_(tensor("w", W), [64, 64], [plus(times(var("idx"), 64), times(var("j"), 8)), 0]))
    body = layer(loop("j", 4, view, start=2))
    entry = caller(loop("i", 4, calls(var("i"))))
    assert message(body, entry, "wl") == "second call: 'wl' still starts at [16, 0], should start at [80, 0]"


def test_a_view_of_varying_extent_shows_its_shape() -> None:
    size = items(plus(var("idx"), 1), 64)
    view = let(tensor("wl"), Op("tensor.slice", (tensor("w", W), size, items(var("idx"), 0))))
    entry = caller(loop("i", 4, calls(var("i"))))
    assert message(layer(view), entry, "wl") == "second call: 'wl' still has the shape [1, 64], should have [2, 64]"


def test_an_allocation_shows_its_shape() -> None:
    body = layer(let(tensor("m"), create(plus(var("idx"), 1), 8)))
    assert message(body, caller(loop("i", 2, calls(var("i")))), "m") == (
        "second call: 'm' still has the shape [1, 8], should have [2, 8]"
    )


def test_branches_follow_the_values_of_their_call() -> None:
    phi = If(
        Binary(">", var("idx"), expr(1)),
        (let("x.1", 5),),
        (let("x.2", 6),),
        AT,
        phis=(Phi(var("x.3"), var("x.1"), var("x.2")),),
    )
    entry = caller(loop("i", 4, calls(var("i"))))
    assert message(layer(phi), entry, "x.3") == "third call: 'x' is still 6, should be 5"


def test_data_of_the_device_is_assumed_to_change() -> None:
    body = layer(let("n", Op("tensor.read", (tensor("a"), items(0, 0)))), let("m", plus(var("n"), var("idx"))))
    found = counterexample(program(body, caller(loop("i", 4, calls(5)))), "layer", "n")
    assert found is not None and found.stale != found.right


def test_a_named_extent_of_the_boundary_never_changes() -> None:
    body = layer(let("n", Op("tensor.dim", (tensor("a"), expr(0)))))
    assert counterexample(program(body, caller(loop("i", 4, calls(var("i"))))), "layer", "n") is None


def test_an_expression_without_a_name() -> None:
    finder = Counterexamples(program(layer(), caller(loop("i", 4, calls(var("i"))))), "layer")
    found = finder.of_expression(times(var("idx"), 128))
    assert found is not None and found.message == "second call: 'idx * 128' is still 0, should be 128"


def test_it_costs_far_less_than_a_millisecond_a_finding() -> None:
    body: list[Stmt] = [let(f"s{k}", times(var("idx"), k + 1)) for k in range(300)]
    whole = program(layer(*body), caller(loop("i", 4, calls(var("i")))))
    best = min(_timed(lambda: [counterexample(whole, "layer", "s299")]) for _ in range(5))
    assert best < 0.005
    finder = Counterexamples(whole, "layer")
    best = min(_timed(lambda: [finder.of(f"s{k}") for k in range(300)]) for _ in range(3))
    assert best < 0.3


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
