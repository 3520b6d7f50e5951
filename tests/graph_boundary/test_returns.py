"""Return positions as steps B and C and rule D8 need them (section R of the rules, cases cR*)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Var
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.passes.return_lineage import ReturnLineage, explicit_returned_params, first_return
from tests.graph_boundary.cases import layer
from tests.graph_boundary.harness import Analysed, analysed, program_of
from tests.graph_boundary.naming import rules

D = "d: pl.InOut[T]"


def graph(body: str, extra: str = "", returns: str = "T", before: str = "") -> Analysed:
    return analysed(program_of(before + layer(body, extra, returns)))


def returned(function: Function) -> list[str]:
    stmt = first_return(function)
    assert stmt is not None
    return [value.name for value in stmt.values if isinstance(value, Var)]


@rules("R1", "R2", "R7")
def test_cR01_a_graph_returns_its_parameter_by_name() -> None:
    program = graph("c1 = self.bump(a, c)\nreturn c1")
    assert returned(program.graph().function) == ["c"]
    assert program.refusals == []


@rules("R3", "R4")
def test_cR03_a_kernel_returns_in_parameter_order_and_callers_follow() -> None:
    swapped = (
        "@INCORE\ndef swap(self, a: T, c: pl.InOut[T], d: pl.InOut[T]) -> tuple[T, T]:\n"
        "    t = pl.load(a, [0, 0], [128, 128])\n    c = pl.store(t, [0, 0], c)\n    d = pl.store(t, [0, 0], d)\n"
        "    return d, c\n\n"
    )
    program = graph("d1, c1 = self.swap(a, c, d)\nreturn c1, d1", D, "tuple[T, T]", swapped)
    assert returned(program.graph().function) == ["c", "d"]
    assert program.refusals == []


@rules("R2")
def test_cR04_a_forwarded_tuple_counts_element_by_element() -> None:
    program = graph("t = self.pair(a, c, d)\nreturn t", D, "tuple[T, T]")
    assert program.refusals == []
    assert [lineage.param for lineage in ReturnLineage(program.program).of("layer") or ()] == [1, 2]


@rules("R4", "R11")
def test_cR05_a_submit_keeps_its_task_id_last() -> None:
    program = graph("(c, d), t = pl.submit(self.pair, a, c, d)\nreturn d, c", D, "tuple[T, T]")
    assert returned(program.graph().function) == ["d", "c"]
    assert program.refusals == []


@rules("R8", "B3")
def test_cR06_write_backs_are_seen_through_several_kernels() -> None:
    window = "v = pl.slice(w, [128, 128], [idx * 128, 0])\nc = self.mix(a, v, c)\nreturn c"
    program = graph(f"w = self.touch(a, w)\nw = self.touch(c, w)\n{window}", "w: pl.InOut[W], idx: IDX")
    assert program.appended() == ["v: inout"]


@rules("R5")
def test_results_of_a_graph_are_never_reordered() -> None:
    program = graph("c, d = self.pair(a, c, d)\nreturn d, c", D, "tuple[T, T]")
    assert returned(program.graph().function) == ["d", "c"]
    assert returned(program.legal.functions["layer"]) == ["d", "c"]


@rules("R6")
def test_a_carry_is_traced_when_every_trip_hands_the_same_buffer_on() -> None:
    assert graph("for i in pl.range(4):\n    c = self.bump(a, c)\nreturn c").refusals == []
    other = "for i in pl.range(4):\n    r = self.fill(a)\n    c = self.bump(r, r)\nreturn c"
    assert graph(other).refusals == ["PTO407"]


@rules("R6")
def test_views_and_branches_end_the_trace() -> None:
    assert graph("v = pl.slice(c, [128, 128], [0, 0])\nv = self.bump(a, v)\nreturn v").refusals == ["PTO407"]
    merged = "r = c\nif n > 0:\n    r = d\nc = self.bump(a, c)\nreturn r"
    assert graph(merged, f"{D}, n: IDX").refusals == ["PTO407"]


@rules("R10")
def test_the_explicit_map_reads_identities_only() -> None:
    program = graph("b = c\nb = self.bump(a, b)\nreturn b")
    assert explicit_returned_params(program.graph().function) == (1,)
    source = program.linked.functions["layer"]
    assert explicit_returned_params(source) == (None,)


@rules("R9")
def test_two_inout_tensors_returned_crosswise_stay_apart() -> None:
    body = "c, d = self.pair(a, c, d)\nv = pl.slice(w, [128, 128], [idx * 128, 0])\nc = self.mix(a, v, c)\nreturn d, c"
    program = graph(body, f"{D}, w: W, idx: IDX", "tuple[T, T]")
    assert program.refusals == [] and program.appended() == ["v: in"]
    assert returned(program.legal.functions["layer"]) == ["d", "c"]


def test_a_callee_without_a_body_is_not_judged() -> None:
    extern = (
        "import pypto.language as pl\n\n\n@pl.jit.extern(core_type='aiv', source='k.cpp')\n"
        "def kern(a: pl.Tensor[[4], pl.FP32], c: pl.InOut[pl.Tensor[[4], pl.FP32]]): ...\n\n\n"
        "@pl.jit.graph\ndef layer(a: pl.Tensor[[4], pl.FP32], c: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n"
        "    c = kern(a, c)\n    return c\n\n\n"
        "@pl.jit\ndef main(a: pl.Tensor[[4], pl.FP32], c: pl.InOut[pl.Tensor[[4], pl.FP32]]):\n"
        "    c = layer(a, c)\n    return c\n"
    )
    program = analysed(extern)
    assert [plan.name for plan in program.plan.graphs.values()] == ["layer"]
    assert program.refusals == [] and program.violations == ()
