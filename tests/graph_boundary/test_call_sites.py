"""Calls of Graphs: locals and arguments, refusals, and what the runtime silently does not replay."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.ir.printer import print_expr
from tests.graph_boundary.cases import BUMP, CREATE, W_IDX, layer, looped
from tests.graph_boundary.harness import Analysed, analysed, program_of
from tests.graph_boundary.naming import rules

SHIFT = layer("base = idx * 8\nc = self.shift(a, c, base)\nreturn c", "idx: IDX")


def main(body: str, extra: str = "", name: str = "main") -> str:
    more = f", {extra}" if extra else ""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"@ORCH\ndef {name}(self, a: T, c: pl.InOut[T]{more}) -> T:\n{lines}    return c\n"


def of(graph: str, caller: str) -> Analysed:
    return analysed(program_of(graph, caller))


def locals_of(program: Analysed) -> list[tuple[str, str]]:
    return [(local.var.name, print_expr(local.value)) for site in program.plan.call_sites for local in site.locals]


@rules("C1", "C4")
def test_every_call_in_every_function_gets_its_own_locals() -> None:
    callers = main("c = self.layer(a, c, p)\nc = self.layer(a, c, p + 1)", "p: IDX", "zeta")
    program = of(SHIFT, callers + "\n" + main("c = self.layer(a, c, 3)", name="alpha"))
    assert locals_of(program) == [
        ("base__graph_arg0", "3 * 8"),
        ("base__graph_arg1", "p * 8"),
        ("base__graph_arg2", "(p + 1) * 8"),
    ]
    assert program.violations == ()


@rules("C3", "F9")
def test_locals_come_directly_before_the_launch_in_definition_order() -> None:
    graph = layer(
        f"base = idx * 8\ntmp = {CREATE}\nwl = pl.slice(w, [128, 128], [base, 0])\ntmp = self.mix(a, wl, tmp)\n"
        "c = self.shift(tmp, c, base)\nreturn c",
        W_IDX,
    )
    program = of(graph, looped("a, c, w, i", "w: W"))
    loop = (program.legal.functions["main"].body or ())[0]
    names = [stmt.target.label for stmt in loop.body]  # type: ignore[union-attr]
    assert names == ["base__graph_arg0", "tmp__graph_arg1", "wl__graph_arg2", "c"]


@rules("C2", "A15")
def test_new_arguments_are_creates_then_views_then_scalars() -> None:
    graph = layer(
        f"base = idx * 8\nwl = pl.slice(w, [128, 128], [base, 0])\ntmp = {CREATE}\ntmp = self.mix(a, wl, tmp)\n"
        "c = self.shift(tmp, c, base)\nreturn c",
        "idx: IDX, w: W",
    )
    program = of(graph, looped("a, c, i, w", "w: W"))
    (site,) = program.plan.call_sites
    assert [print_expr(a) for a in site.arguments] == [
        "a", "c", "i", "w", "tmp__graph_arg2", "wl__graph_arg1", "base__graph_arg0",
    ]  # fmt: skip


def test_a_nested_create_is_made_once() -> None:
    graph = layer("v = pl.slice(w, [128, 128], [idx, 0])\nw = self.touch(v, w)\n" + BUMP, "w: pl.InOut[W], idx: IDX")
    program = of(graph, main("c = self.layer(a, c, pl.create_tensor([1024, 128], dtype=pl.FP32), 4)"))
    creates = [v for name, v in locals_of(program) if "create" in v]
    assert creates == [] and program.refusals == [] and program.violations == ()


@rules("A16", "C12")
def test_callers_may_compute_and_branch_as_they_like() -> None:
    body = (
        "x = n\nwhile x > 0:\n    if x > 2:\n        c = self.layer(a, c, pl.tensor.read(ctl, [0]) + x)\n    x = x - 1"
    )
    program = of(SHIFT, main(body, "n: IDX, ctl: pl.Tensor[[4], pl.INDEX]"))
    assert program.refusals == [] and program.violations == ()


@rules("C5", "E5")
def test_argument_counts_include_what_hoisting_adds() -> None:
    program = of(SHIFT, main("c = self.layer(a, c)"))
    message = program.finding("PTO414").message
    assert "3 arguments" in message and "4 parameters" in message
    assert "'main'" in message and "'layer'" in message
    assert not program.plan.call_sites[0].applicable
    assert program.legal.functions["main"] is program.program.functions["main"]


@rules("C5", "D7", "C14")
def test_a_graph_caller_is_a_nested_graph_not_an_arity_error() -> None:
    inner = layer("c = self.shift(a, c, idx)\nreturn c", "idx: IDX", name="inner")
    program = of(f"{inner}\n{layer('c = self.inner(a, c)' + chr(10) + 'return c')}", main("c = self.layer(a, c)"))
    assert program.refusals == ["PTO413"]


@rules("D7")
def test_a_graph_that_calls_itself() -> None:
    program = of(layer("c = self.bump(a, c)\nc = self.layer(a, c)\nreturn c"), main("c = self.layer(a, c)"))
    finding = program.finding("PTO413")
    assert "itself" in finding.message and program.text_at(finding.place) == "self.layer(a, c)"


@rules("C6")
def test_empty_deps_are_no_deps() -> None:
    program = of(layer(BUMP), main("c, t = pl.submit(self.layer, a, c, deps=[])"))
    assert program.refusals == []


@rules("C7")
def test_the_predicate_of_a_launch_is_refused() -> None:
    program = of(
        layer(BUMP), main("c, t = pl.submit(self.layer, a, c, predicate=(n[0] > 0))", "n: pl.Tensor[[4], pl.INT32]")
    )
    assert program.refusals == ["PTO416"]


@rules("C15", "V13")
@pytest.mark.parametrize("kind", ["InCore", "AIV", "Group"])
def test_only_orchestration_may_launch_a_graph(kind: str) -> None:
    kernel = f"@pl.function(type=pl.FunctionType.{kind})\ndef work(self, a: T, c: pl.InOut[T]) -> T:\n"
    program = of(kernel + "    c = self.layer(a, c)\n    return c\n\n" + layer(BUMP), main("c = self.work(a, c)"))
    assert program.refusals == ["PTO417"]
    assert "'work'" in program.finding("PTO417").message


@rules("X13")
@pytest.mark.parametrize(
    ("option", "reported"),
    [("core_num=4", True), ("allow_early_resolve=True", True), ("allow_early_resolve=False", False)],
)
def test_options_that_a_graph_launch_ignores(option: str, reported: bool) -> None:
    form = "spmd_submit" if "core_num" in option else "submit"
    program = of(layer(BUMP), main(f"c, t = pl.{form}(self.layer, a, c, {option})"))
    assert ("PTO418" in program.codes) is reported
    if reported:
        assert program.text_at(program.finding("PTO418").place) == option


@rules("X11", "C13")
@pytest.mark.parametrize("count", [16, 17])
def test_more_than_sixteen_graphs(count: int) -> None:
    graphs = "\n".join(layer(BUMP, name=f"g{i:02}") for i in range(count))
    program = of(graphs, main("\n".join(f"c = self.g{i:02}(a, c)" for i in range(count))))
    assert ("PTO419" in program.codes) is (count > 16)
    if count > 16:
        finding = program.finding("PTO419")
        assert finding.subject == "g16" and program.text_at(finding.place) == "g16"


def test_graphs_that_nobody_calls_do_not_count() -> None:
    graphs = "\n".join(layer(BUMP, name=f"g{i:02}") for i in range(17))
    program = of(graphs, main("c = self.g00(a, c)"))
    assert "PTO419" not in program.codes


TWO = layer("c = self.mix(a, b, c)\nreturn c", "b: T")


@rules("X12")
def test_calls_that_disagree_about_sharing_a_buffer() -> None:
    program = of(TWO, main("c = self.layer(a, c, a)\nc = self.layer(a, c, d)", "d: T"))
    finding = program.finding("PTO420")
    assert program.line_of(finding.place) == program.text[: program.text.index("self.layer(a, c, d)")].count("\n") + 1
    assert program.finding("PTO424").subject == "b"


def test_views_of_one_buffer_share_it() -> None:
    halves = "l = pl.slice(w, [128, 128], [0, 0])\nr = pl.slice(w, [128, 128], [128, 0])\n"
    graph = layer("c = self.mix(l, r, c)\nreturn c", "l: T, r: T")
    program = of(graph, main(halves + "c = self.layer(a, c, l, r)\nc = self.layer(a, c, l, d)", "w: W, d: T"))
    assert "PTO420" in program.codes and "PTO424" in program.codes


def test_calls_that_all_share_alike_agree() -> None:
    program = of(TWO, main("c = self.layer(a, c, a)\nc = self.layer(a, c, a)"))
    assert "PTO420" not in program.codes and "PTO424" not in program.codes


def test_a_buffer_passed_twice_of_which_a_view_is_taken() -> None:
    graph = layer("v = pl.slice(x, [128, 128], [idx, 0])\nc = self.mix(v, y, c)\nreturn c", "x: W, y: W, idx: IDX")
    kernel = graph.replace("self.mix(v, y, c)", "self.mix(a, v, c)")
    program = of(kernel, main("c = self.layer(a, c, w, w, 3)", "w: W"))
    finding = program.finding("PTO424")
    assert finding.subject == "y" and "'x'" in finding.message


def test_buffers_that_are_not_known_are_not_compared() -> None:
    merged = "b = a\nif n > 0:\n    b = d\nc = self.layer(a, c, b)\nc = self.layer(a, c, a)"
    program = of(TWO, main(merged, "d: T, n: IDX"))
    assert "PTO420" not in program.codes and "PTO424" not in program.codes


@rules("X12")
def test_calls_that_disagree_about_a_shape() -> None:
    graph = layer("c = self.bump(a, c)\nreturn c", "x: pl.Tensor[[pl.dynamic('M'), 128], pl.FP32]")
    program = of(graph, main("c = self.layer(a, c, s)\nc = self.layer(a, c, l)", "s: T, l: W"))
    finding = program.finding("PTO420")
    assert program.text_at(finding.place) == "l" and "[1024, 128]" in finding.message
    same = of(graph, main("c = self.layer(a, c, s)\nc = self.layer(a, c, d)", "s: T, d: T"))
    assert "PTO420" not in same.codes


def test_a_launch_in_a_manual_scope() -> None:
    program = of(layer(BUMP), main("with pl.manual_scope():\n    c = self.layer(a, c)"))
    assert program.codes == ["PTO422"]
    automatic = of(layer(BUMP), main("with pl.scope():\n    c = self.layer(a, c)"))
    assert automatic.codes == []


def test_an_input_that_the_region_writes() -> None:
    graph = "@GRAPH\ndef layer(self, a: T, ⟦X:w: W⟧, c: pl.InOut[T]) -> T:\n    w2 = self.touch(a, w)\n"
    program = of(graph + "    c = self.bump(a, c)\n    return c\n", main("c = self.layer(a, w, c)", "w: W"))
    finding = program.finding("PTO423")
    (mark,) = program.marks
    assert finding.subject == "w" and program.span(finding.place) == (mark.start, mark.end)
    assert "'touch'" in finding.notes[0].message
    through_view = (
        "@GRAPH\ndef layer(self, a: T, w: W, c: pl.InOut[T]) -> T:\n    v = pl.slice(w, [128, 128], [0, 0])\n"
        "    v = self.bump(a, v)\n    c = self.bump(a, c)\n    return c\n"
    )
    assert "PTO423" in of(through_view, main("c = self.layer(a, w, c)", "w: W")).codes
    assert "PTO423" not in of(layer(BUMP), main("c = self.layer(a, c)")).codes


@rules("G1")
def test_a_program_without_graphs_is_not_looked_at() -> None:
    program = of("", main("for i in pl.range(n):\n    c = self.shift(a, c, i * 8)", "n: IDX"))
    assert program.plan.graphs == {} and program.plan.findings == ()
    assert program.legal is program.program


@rules("E1", "E2", "E4")
def test_all_findings_are_there_whatever_the_reference_reports_first() -> None:
    graph = layer(
        "c = self.shift(a, c, idx * 2)\nfor i in pl.range(2000):\n    c = self.bump(a, c)\nr = self.fill(a)\nreturn r",
        "idx: IDX",
    )
    program = of(graph, main("c = self.layer(a, c)"))
    assert program.refusals == ["PTO407", "PTO104", "PTO409", "PTO414"]
