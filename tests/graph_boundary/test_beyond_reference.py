"""Where the project differs from the reference compiler, or warns where that is silent (section X of the rules)."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.graph_boundary.plan import plan_program
from pto_lsp.analysis.ir.printer import print_expr
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.passes.standard import run_standard
from tests.graph_boundary.cases import BUMP, CREATE, W_IDX, layer, looped
from tests.graph_boundary.harness import Analysed, analysed, program_of
from tests.graph_boundary.naming import rules

DYNAMIC = "x: pl.Tensor[[pl.dynamic('M'), 128], pl.FP32]"
CTL = "ctl: pl.Tensor[[4], pl.INDEX]"


def both(functions: str, main: str | None = None) -> tuple[Analysed, Analysed]:
    source = program_of(functions, main)
    return analysed(source, "reference"), analysed(source, "extended")


@rules("X1")
def test_a_literal_bound_in_a_loop_is_a_literal() -> None:
    body = "for i in pl.range(4):\n    t = 32\n    off = i * t\n    c = self.shift(a, c, off)\nreturn c"
    reference, extended = both(layer(body))
    assert reference.refusals == ["PTO103"] and reference.appended() == ["t: in"]
    assert extended.refusals == [] and extended.appended() == [] and extended.codes == []


@rules("X1", "C3")
def test_a_literal_bound_in_a_loop_is_written_out_at_the_call_site() -> None:
    body = "for i in pl.range(4):\n    t = 32\n    off = idx * t\n    c = self.shift(a, c, off)\nreturn c"
    reference, extended = both(layer(body, "idx: IDX"), looped())
    assert reference.appended() == ["t: in", "off: in"]
    assert extended.appended() == ["off: in"]
    ((local,),) = [site.locals for site in extended.plan.call_sites]
    assert (local.var.name, print_expr(local.value)) == ("off__graph_arg0", "i * 32")
    assert extended.violations == () and reference.violations == ()


@rules("X1", "L1")
def test_a_core_count_bound_to_a_literal_in_a_loop_is_one() -> None:
    body = (
        "for i in pl.parallel(4):\n    n = 8\n    with pl.spmd(n):\n        b = pl.tile.get_block_idx()\n"
        "        t = pl.load(a, [b, 0], [16, 128])\n        c = pl.store(t, [b, 0], c)\nreturn c"
    )
    reference, extended = both(layer(body))
    assert reference.refusals == ["PTO412"] and extended.refusals == []


@rules("X2")
def test_a_symbol_of_a_boundary_shape_may_be_passed() -> None:
    reference, extended = both(layer("m = pl.tensor.dim(x, 0)\nc = self.shift(a, c, m)\nreturn c", DYNAMIC))
    assert reference.refusals == ["PTO103"] and extended.refusals == []


@rules("X2")
def test_a_symbol_of_a_boundary_shape_may_be_an_extent_or_a_window() -> None:
    kernel = (
        "@INCORE\ndef rows(self, x: pl.Tensor[[pl.dynamic('M'), 64], pl.FP32], c: pl.InOut[T]) -> T:\n    return c\n\n"
    )
    body = "v = pl.slice(x, [pl.tensor.dim(x, 0), 64], [0, 64])\nc = self.rows(v, c)\nreturn c"
    reference, extended = both(kernel + layer(body, DYNAMIC))
    assert reference.refusals == ["PTO202"]
    assert extended.refusals == [] and extended.appended() == []


@rules("X3", "N2")
def test_a_loop_over_a_dynamic_extent_is_refused_and_its_index_is_not() -> None:
    body = "for i in pl.range(pl.tensor.dim(x, 0)):\n    c = self.shift(a, c, i)\nreturn c"
    reference, extended = both(layer(body, DYNAMIC))
    assert reference.refusals == ["PTO103", "PTO410"]
    assert extended.refusals == ["PTO410"]


@rules("X3")
def test_a_loop_over_a_static_extent_is_counted() -> None:
    body = "for i in pl.range(pl.tensor.dim(a, 0)):\n    c = self.shift(a, c, i)\nreturn c"
    reference, extended = both(layer(body))
    assert reference.refusals == ["PTO103", "PTO410"]
    assert extended.refusals == [] and extended.graph().nodes == 128


@pytest.mark.parametrize(
    ("bounds", "nodes"),
    [("range(0, i)", 6), ("range(i, 4)", 10), ("range(0, 2 * i + 1)", 16), ("range(pl.max(i, 2))", 9)],
)
@rules("N2", "N3")
def test_triangular_loops_are_counted_exactly(bounds: str, nodes: int) -> None:
    body = f"for i in pl.range(4):\n    for j in pl.{bounds}:\n        c = self.shift(a, c, j)\nreturn c"
    reference, extended = both(layer(body))
    assert "PTO410" in reference.refusals
    assert extended.refusals == [] and extended.graph().nodes == nodes
    assert extended.violations == ()


@rules("N8")
def test_a_triangular_loop_can_be_too_long() -> None:
    body = "for i in pl.range(100):\n    for j in pl.range(i):\n        c = self.shift(a, c, j)\nreturn c"
    assert analysed(program_of(layer(body))).finding("PTO409").data == (("graph", "layer"), ("count", 4950))


def test_a_triangle_of_names_is_looked_through() -> None:
    body = "for i in pl.range(4):\n    n = i + 1\n    for j in pl.range(n):\n        c = self.shift(a, c, j)\nreturn c"
    _, extended = both(layer(body))
    assert extended.refusals == [] and extended.graph().nodes == 10


def test_an_immense_triangle_is_not_walked() -> None:
    body = (
        "for h in pl.range(1000):\n    for i in pl.range(h):\n        for j in pl.range(i):\n"
        "            c = self.bump(a, c)\nreturn c"
    )
    program = analysed(program_of(layer(body)))
    assert program.refusals == ["PTO409"] and "at least" in program.finding("PTO409").message
    assert program.graph().nodes is None


@rules("X4")
def test_carries_and_phis_of_invariants_may_be_passed() -> None:
    carried = "off = 0\nfor i in pl.range(4):\n    c = self.shift(a, c, off)\n    off = off + 32\nreturn c"
    reference, extended = both(layer(carried))
    assert reference.refusals == ["PTO103"]
    assert extended.refusals == [] and extended.violations == ()
    chosen = "for i in pl.range(4):\n    x = 4\n    if i > 2:\n        x = 8\n    c = self.shift(a, c, x)\nreturn c"
    reference, extended = both(layer(chosen))
    assert reference.refusals == ["PTO103"] and extended.refusals == []


@pytest.mark.parametrize("mode", ["reference", "extended"])
@pytest.mark.parametrize(
    ("reshape", "window"),
    [
        ("pl.reshape(w, [128 * 1024])", "pl.slice(f, [128], [{offset}])"),
        ("pl.transpose(w, 0, 1)", "pl.slice(f, [128, 128], [0, {offset}])"),
    ],
)
@rules("X5", "B1")
def test_a_moving_window_behind_a_reshape_is_warned_about(reshape: str, window: str, mode: Conformance) -> None:
    body = f"f = {reshape}\nv = {window}\n{BUMP}"
    moving = analysed(program_of(layer(body.replace("{offset}", "idx"), W_IDX)), mode)
    assert moving.refusals == []
    finding = moving.finding("PTO204")
    assert finding.subject == "v" and "'w'" in finding.message and "'idx'" in finding.message
    assert moving.text_at(finding.place) == window.replace("{offset}", "idx")
    still = analysed(program_of(layer(body.replace("{offset}", "64"), W_IDX)), mode)
    assert "PTO204" not in still.codes


@rules("X5")
def test_a_moving_shape_is_warned_about() -> None:
    program = analysed(program_of(layer(f"f = pl.reshape(w, [n, 64])\n{BUMP}", "w: W, n: IDX")))
    assert program.finding("PTO204").subject == "f" and program.refusals == []


@rules("X5")
def test_a_reshape_of_a_hoisted_window_is_fine() -> None:
    body = f"v = pl.slice(w, [128, 128], [idx, 0])\nf = pl.reshape(v, [128 * 128])\nu = pl.slice(f, [64], [64])\n{BUMP}"
    program = analysed(program_of(layer(body, W_IDX)))
    assert program.appended() == ["v: in"] and "PTO204" not in program.codes


CARRIED = (
    "@GRAPH\ndef layer(self, a: T, w: pl.InOut[W], c: pl.InOut[T], idx: IDX) -> T:\n"
    "    for i in pl.range(4):\n        w = self.touch(a, w)\n"
    "        v = pl.slice(w, [128, 128], [{offset}, 0])\n        c = self.mix(a, v, c)\n    return c\n"
)


def test_a_window_of_a_carried_tensor_is_hoisted_where_the_reference_freezes_it() -> None:
    reference, extended = both(CARRIED.format(offset="idx"))
    assert reference.refusals == [] and reference.appended() == [] and "PTO204" in reference.codes
    assert extended.refusals == [] and extended.appended() == ["v: inout"] and "PTO204" not in extended.codes
    assert extended.violations == ()


def test_a_mixed_window_of_a_carried_tensor_is_warned_about() -> None:
    for program in both(CARRIED.format(offset="idx + i * 128")):
        assert program.refusals == [] and program.finding("PTO204").subject == "v"
    for program in both(CARRIED.format(offset="i * 128")):
        assert program.refusals == [] and program.codes == ["PTO106"]


@pytest.mark.parametrize("mode", ["reference", "extended"])
@rules("X6", "A11", "A13")
def test_element_indices_from_boundary_scalars(mode: Conformance) -> None:
    read = layer(f"n = pl.tensor.read(ctl, [idx])\nfor j in pl.range(n):\n    x = j\n{BUMP}", f"{CTL}, idx: IDX")
    finding = analysed(program_of(read), mode).finding("PTO105")
    assert finding.subject == "idx"
    gated = (
        "k = idx + 1\nwith pl.spmd(1, predicate=(ctl[k] > 0)):\n    b = pl.tile.get_block_idx()\n"
        "    t = pl.load(a, [b, 0], [128, 128])\n    c = pl.store(t, [0, 0], c)\nreturn c"
    )
    program = analysed(program_of(layer(gated, "ctl: pl.Tensor[[4], pl.INT32], idx: IDX")), mode)
    assert program.finding("PTO105").subject == "k" and program.refusals == []
    fixed = analysed(
        program_of(layer(gated.replace("ctl[k]", "ctl[1]"), "ctl: pl.Tensor[[4], pl.INT32], idx: IDX")), mode
    )
    assert "PTO105" not in fixed.codes


@rules("X7", "F5")
def test_a_create_under_a_branch_is_hoisted_with_a_note() -> None:
    for program in both(layer(f"if idx > 3:\n    tmp = {CREATE}\n{BUMP}", "idx: IDX")):
        finding = program.finding("PTO301")
        assert "branch" in finding.message
        assert [program.text_at(n.place) for n in finding.notes] == ["if idx > 3:"]


@rules("X9")
def test_a_view_of_a_view_left_in_place_is_looked_at() -> None:
    body = (
        "for i in pl.range(4):\n    v = pl.slice(w, [256, 128], [i * 128, 0])\n"
        "    u = pl.slice(v, [128, 128], [idx, 0])\n    c = self.mix(a, u, c)\nreturn c"
    )
    for program in both(layer(body, W_IDX)):
        assert program.refusals == ["PTO202"] and program.finding("PTO202").subject == "u"


@rules("X10", "B9", "V6")
def test_extents_of_distributed_views_are_checked_alike() -> None:
    distributed = "import pypto.language.distributed as pld\nimport pypto.language as pl"
    body = "v = pl.slice(x, [n, 128], [0, 0])\n" + BUMP
    source = program_of(layer(body, "x: pld.DistributedTensor[[1024, 128], pl.FP32], n: IDX"))
    program = analysed(source.replace("import pypto.language as pl", distributed, 1))
    assert program.refusals == ["PTO203"]


@rules("X15", "A7")
def test_host_accesses_are_warned_about_each() -> None:
    body = f"n = pl.tensor.read(ctl, [0])\npl.tensor.write(ctl, [1], 4)\nif n > 0:\n    x = n\n{BUMP}"
    for program in both(layer(body, CTL)):
        assert [f.subject for f in program.plan.findings if f.code == "PTO421"] == ["ctl", "ctl"]
        assert program.refusals == []


@rules("X16", "L3")
def test_invariant_core_counts_stay_refused_and_the_message_says_why() -> None:
    body = (
        "with pl.spmd(pl.tensor.dim(a, 0) // 16):\n    b = pl.tile.get_block_idx()\n"
        "    t = pl.load(a, [b, 0], [16, 128])\n    c = pl.store(t, [b, 0], c)\nreturn c"
    )
    for program in both(layer(body)):
        assert program.refusals == ["PTO412"]
        assert "cannot change between calls" in program.finding("PTO412").message


@rules("X17", "X14", "D10")
def test_what_other_rules_judge_is_left_alone() -> None:
    deep = "x: pl.Tensor[[2, 2, 2, 2, 2, 2, 2], pl.FP32]"
    for program in both(layer(BUMP, f"{deep}, unused: T")):
        assert program.codes == []


@rules("X18", "B9")
def test_slice_sugar_with_a_constant_difference_has_a_constant_extent() -> None:
    body = "v = w[idx * 128 : (idx + 1) * 128, :]\nc = self.mix(a, v, c)\nreturn c"
    for program in both(layer(body, W_IDX)):
        assert program.refusals == [] and program.appended() == ["v: in"]
    body = "for i in pl.range(8):\n    v = w[i * 128 : (i + 1) * 128, :]\n    c = self.mix(a, v, c)\nreturn c"
    for program in both(layer(body, "w: W")):
        assert program.refusals == [] and program.appended() == []
    for program in both(layer("v = w[idx : idx * 2, :]\n" + BUMP, W_IDX)):
        assert program.refusals == ["PTO203"]


@rules("X19")
def test_an_unused_boundary_scalar_is_a_hint() -> None:
    for program in both(layer(BUMP, "idx: IDX, n: IDX")):
        hints = [f for f in program.plan.findings if f.code == "PTO106"]
        assert [f.subject for f in hints] == ["idx", "n"]
        assert [program.text_at(f.place) for f in hints] == ["idx", "n"]


@rules("X19")
def test_a_derived_value_nobody_uses_takes_no_slot() -> None:
    # Simplification would drop it first, so the plan is made from the program before that.
    source = program_of(
        layer("x = idx * 8\ny = x + 1\nz = x\nu = idx * 2\nc = self.shift(a, c, u)\nreturn c", "idx: IDX")
    )
    unsimplified = run_standard(analysed(source).linked).ssa
    reference = plan_program(unsimplified, "reference").graphs["layer"]
    extended = plan_program(unsimplified, "extended").graphs["layer"]
    assert [hoist.name for hoist in reference.hoisted] == ["x", "y", "u"]
    assert [hoist.name for hoist in extended.hoisted] == ["u"]
    assert [f.subject for f in extended.findings if f.code == "PTO106"] == ["x", "y"]
    legal = legalize(plan_program(unsimplified, "extended")).functions["layer"].body or ()
    assert [s.target.label for s in legal if isinstance(s, Assign)] == ["c"]


@rules("X20", "B15")
def test_equal_views_stay_two_parameters() -> None:
    body = (
        "v = pl.slice(w, [128, 128], [idx, 0])\nu = pl.slice(w, [128, 128], [idx, 0])\nc = self.mix(v, u, c)\nreturn c"
    )
    for program in both(layer(body, W_IDX)):
        assert program.appended() == ["v: in", "u: in"]


def test_unknown_parts_silence_everything_about_them() -> None:
    body = (
        "n = mystery(a)\nv = pl.slice(w, [128, 128], [n, 0])\nu = pl.slice(w, [n, 128], [0, 0])\n"
        "t = pl.create_tensor([n, 128], dtype=pl.FP32)\nfor i in pl.range(n):\n    c = self.shift(a, c, n)\n"
        "c = self.shift(a, c, n * 2)\nc = self.mix(v, u, c)\nreturn n"
    )
    for program in both(layer(body, "w: W", "IDX")):
        assert program.refusals == [] and program.appended() == []
        assert program.graph().nodes is None


def test_a_broken_line_hides_the_count_but_not_the_rest() -> None:
    body = "c = self.shift(a, c, idx * 2)\nfor i in pl.range(2000):\n    c = self.bump(a, c)\nc = BROKEN\nreturn c"
    program = analysed(program_of(layer(body, "idx: IDX")).replace("c = BROKEN", "c = = 1"))
    assert program.refusals == ["PTO104"]
    assert program.graph().nodes is None
