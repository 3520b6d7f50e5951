"""Section I: what is the same in every replay."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.graph_boundary.region import Region
from pto_lsp.analysis.graph_boundary.replay_invariant import ReplayInvariantSet, trip_count
from pto_lsp.analysis.ir.expressions import Call, Var
from pto_lsp.analysis.ir.program import Direction, Param
from pto_lsp.analysis.ir.statements import Assign
from tests.graph_boundary.cases import layer
from tests.graph_boundary.harness import analysed, program_of
from tests.graph_boundary.naming import rules

CTL = "ctl: pl.Tensor[[4], pl.INDEX], n: IDX"


def standing(body: str, extra: str = CTL, conformance: Conformance = "extended", hoisted: str = "") -> bool | None:
    """What the set says about the scalar that the last ``shift`` of ``body`` is passed. ``hoisted`` names a value
    that is already a parameter."""
    program = analysed(program_of(layer(body, extra)), conformance)
    function = program.graph().function
    region = Region(function)
    extra_params = tuple(
        Param(d.var.name, d.var.type, Direction.IN, function.at)
        for d in region.definitions.values()
        if hoisted and d.var.label == hoisted
    )
    invariants = ReplayInvariantSet((*function.params, *extra_params), function.body or (), conformance)
    call = [e.stmt.value for e in region.entries if isinstance(e.stmt, Assign) and isinstance(e.stmt.value, Call)][-1]
    return invariants.holds(call.args[2])


def both(body: str, extra: str = CTL) -> tuple[bool | None, bool | None]:
    return standing(body, extra, "reference"), standing(body, extra, "extended")


SHIFT = "c = self.shift(a, c, {x})\nreturn c"


@rules("I1", "L1")
@pytest.mark.parametrize("text", ["64", "-3", "pl.min(3, 4) * 2"])
def test_literals_are_invariant(text: str) -> None:
    assert both(SHIFT.format(x=text)) == (True, True)


@rules("I2")
@pytest.mark.parametrize(
    "loop", ["range(4)", "range(1, 9, 2)", "range(8, 0, -2)", "parallel(4)", "pipeline(4, stage=2)"]
)
def test_the_index_of_a_counted_loop_is_invariant(loop: str) -> None:
    assert both(f"for i in pl.{loop}:\n    c = self.shift(a, c, i)\nreturn c") == (True, True)


@rules("I7")
def test_the_index_of_a_run_time_loop_is_not() -> None:
    assert both("for i in pl.range(n):\n    c = self.shift(a, c, i)\nreturn c") == (False, False)


@rules("I3")
def test_the_extent_of_a_boundary_tensor_is_invariant() -> None:
    assert both("x = pl.tensor.dim(a, 1)\n" + SHIFT.format(x="x")) == (True, True)
    assert both(SHIFT.format(x="pl.tensor.dim(a, 1) * 2 + 1")) == (True, True)


@rules("I6")
def test_bare_renames_of_a_boundary_tensor_count_and_in_place_results_do_not() -> None:
    assert both("b = a\ne = b\nx = pl.tensor.dim(e, 0)\n" + SHIFT.format(x="x")) == (True, True)
    written = "d = self.bump(a, c)\nx = pl.tensor.dim(d, 0)\nd = self.shift(a, d, x)\nreturn d"
    assert both(written) == (False, False)


@rules("I7")
def test_the_extent_along_a_varying_axis_or_of_a_view_is_not() -> None:
    assert both("x = pl.tensor.dim(a, n)\n" + SHIFT.format(x="x")) == (False, False)
    view = "v = pl.slice(a, [64, 128], [0, 0])\nx = pl.tensor.dim(v, 0)\n"
    assert both(view + SHIFT.format(x="x")) == (False, False)


@rules("I8")
def test_after_hoisting_the_extent_of_a_hoisted_view_is_one_of_a_boundary_tensor() -> None:
    view = "v = pl.slice(a, [64, 128], [0, 0])\nx = pl.tensor.dim(v, 0)\n"
    assert standing(view + SHIFT.format(x="x"), hoisted="v") is True


@rules("I8")
def test_after_hoisting_a_hoisted_scalar_leaves_the_set() -> None:
    body = "for i in pl.range(4):\n    t = 32\n    x = t * i\n    c = self.shift(a, c, x)\nreturn c"
    assert standing(body, conformance="reference") is True
    assert standing(body, conformance="reference", hoisted="t") is False


@rules("I4", "I5")
def test_closure_over_operators_and_names() -> None:
    body = "for i in pl.range(4):\n    x = {x}\n    c = self.shift(a, c, x)\nreturn c"
    for text in (
        "-i",
        "i * 3 + 1",
        "i // 2",
        "i % 3",
        "pl.min(i, 2)",
        "pl.max(i, pl.tensor.dim(a, 0))",
        "pl.cast(i, pl.INDEX)",
    ):
        assert both(body.format(x=text)) == (True, True), text
    assert both("for i in pl.range(4):\n    j = i\n    k = j + j\n    c = self.shift(a, c, k)\nreturn c") == (
        True,
        True,
    )
    assert both(body.format(x="i + n")) == (False, False)


@rules("I7")
def test_boundary_scalars_and_values_read_are_not_invariant() -> None:
    assert both(SHIFT.format(x="n")) == (False, False)
    assert both("x = pl.tensor.read(ctl, [0])\n" + SHIFT.format(x="x")) == (False, False)


@rules("I7", "X4")
def test_carries_over_invariants_are_invariant_in_the_extended_mode() -> None:
    body = "x = {start}\nfor i in pl.range(4):\n    c = self.shift(a, c, x)\n    x = x + {step}\nreturn c"
    assert both(body.format(start="0", step="32")) == (False, True)
    assert both(body.format(start="0", step="i")) == (False, True)
    assert both(body.format(start="n", step="32")) == (False, False)
    assert both(body.format(start="0", step="n")) == (False, False)


@rules("X4")
def test_a_carry_spoilt_by_another_takes_back_all_that_was_concluded_from_it() -> None:
    body = (
        "x = 0\ny = 0\nfor i in pl.range(4):\n    z = x * 2\n    c = self.shift(a, c, z)\n"
        "    x = x + y\n    y = y + n\nreturn c"
    )
    assert standing(body) is False
    assert standing(body.replace("y + n", "y + 1")) is True


@rules("X4")
def test_a_carry_out_of_a_run_time_loop_is_not_invariant() -> None:
    body = "x = 0\nfor i in pl.range({bound}):\n    x = x + 8\n" + SHIFT.format(x="x")
    assert standing(body.replace("{bound}", "4")) is True
    assert standing(body.replace("{bound}", "n")) is False


@rules("I7", "X4")
def test_phis_of_invariants_need_a_steady_condition_or_equal_arms() -> None:
    body = "x = 4\nif {condition}:\n    x = {value}\n" + SHIFT.format(x="x")
    assert both(body.format(condition="n > 0", value="8")) == (False, False)
    assert both(body.format(condition="n > 0", value="n")) == (False, False)
    looped = "for i in pl.range(4):\n    x = 4\n    if i > 2:\n        x = 8\n    c = self.shift(a, c, x)\nreturn c"
    assert both(looped) == (False, True)


@rules("I7", "X2")
def test_symbols_of_boundary_shapes_are_invariant_in_the_extended_mode() -> None:
    extra = "x: pl.Tensor[[pl.dynamic('M'), 128], pl.FP32]"
    body = "m = pl.tensor.dim(x, 0)\n" + SHIFT.format(x="m")
    assert both(body, extra) == (False, True)


@rules("I7")
def test_triangular_loops_count_in_the_extended_mode() -> None:
    body = "for i in pl.range(4):\n    for j in pl.range(i):\n        c = self.shift(a, c, j)\nreturn c"
    assert both(body) == (False, True)
    assert both(body.replace("range(4)", "range(n)")) == (False, False)


@rules("I7")
def test_loops_over_a_static_extent_count_in_the_extended_mode() -> None:
    assert both("for i in pl.range(pl.tensor.dim(a, 0)):\n    c = self.shift(a, c, i)\nreturn c") == (False, True)


def test_unknown_is_neither() -> None:
    body = "x = mystery(n)\ny = x * 2\n" + SHIFT.format(x="y + 1")
    assert both(body) == (None, None)


@rules("X2")
def test_a_symbol_that_no_boundary_shape_mentions_is_not_known() -> None:
    inline = (
        "@pl.function(type=pl.FunctionType.Inline)\ndef helper(self, a: pl.Tensor[[pl.dynamic('M'), 128], pl.FP32], "
        "c: pl.InOut[T]) -> T:\n    m = pl.tensor.dim(a, 0)\n    c = self.shift(c, c, m * 2)\n    return c\n\n"
    )
    for mode in ("reference", "extended"):
        program = analysed(program_of(inline + layer("c = self.helper(a, c)\nreturn c")), mode)
        assert program.refusals == [] and program.violations == ()


def test_a_loop_that_can_be_left_early_has_no_counted_index() -> None:
    body = "for i in pl.range(4):\n    if n > i:\n        break\n    x = i * 2\n" + SHIFT.format(x="1")
    program = analysed(program_of(layer(body, CTL)))
    function = program.graph().function
    region = Region(function)
    index = next(d.var for d in region.definitions.values() if d.var.label == "i")
    assert ReplayInvariantSet(function.params, function.body or ()).holds(Var(index.name, "i")) is False


@rules("N3")
@pytest.mark.parametrize("bounds", [(0, 4, 1), (10, 0, -3), (0, 10, 3), (5, 5, 1), (3, 9, -1), (-4, 4, 3)])
def test_trip_count_is_that_of_a_python_range(bounds: tuple[int, int, int]) -> None:
    assert trip_count(*bounds) == len(range(*bounds))


@rules("N3")
def test_trip_counts_do_not_overflow() -> None:
    assert trip_count(0, 10**30, 1) == 10**30
