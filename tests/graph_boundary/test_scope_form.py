"""``with pl.graph("name"):`` under the Graph rules (section O of the rules, cases cO*)."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.graph_boundary.plan import GraphPlan
from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.ir.statements import GraphScope
from pto_lsp.analysis.ir.visitor import walk_block
from tests.graph_boundary.harness import Analysed, analysed, program_of
from tests.graph_boundary.naming import rules

ADD = """\
with pl.at(level=pl.Level.CORE_GROUP):
    x = pl.load(a, [0, 0], [128, 128])
    y = pl.load(c, [0, 0], [128, 128])
    c = pl.store(pl.add(x, y), [0, 0], c)
"""


def indented(text: str, by: int) -> str:
    return "".join(" " * by + line + "\n" for line in text.splitlines())


def main(body: str, extra: str = "", returns: str = "c", kind: str = "ORCH") -> str:
    more = f", {extra}" if extra else ""
    return f"@{kind}\ndef main(self, a: T, c: pl.InOut[T]{more}) -> T:\n{indented(body, 4)}    return {returns}\n"


def region(body: str, name: str = "block") -> str:
    return f'with pl.graph("{name}"):\n{indented(body, 4)}'


def scoped(body: str, extra: str = "", returns: str = "c", before: str = "") -> Analysed:
    return analysed(program_of(before, main(body, extra, returns)))


def errors(program: Analysed) -> list[str]:
    found = (*program.source_findings, *program.pass_findings, *program.plan.findings)
    return [f.code for f in found if f.code.startswith("PTO50") and f.code != "PTO505"]


def boundary(plan: GraphPlan) -> list[str]:
    return [f"{p.name}: {p.direction.value}" for p in plan.parameters]


@rules("O12", "O15", "O16", "O17")
def test_cO01_a_region_becomes_a_graph_and_a_call() -> None:
    program = scoped(region(ADD))
    assert boundary(program.graph("block")) == ["a: in", "c: inout"]
    assert program.graph("block").nodes == 1
    (site,) = program.plan.call_sites
    assert [a.label for a in site.arguments if hasattr(a, "label")] == ["a", "c"]
    assert program.refusals == [] and program.violations == ()


@rules("O20", "O21")
def test_cO02_scope_and_decorator_form_have_the_same_plan() -> None:
    body = (
        "base = idx * 128\nwl = pl.slice(w, [128, 128], [base, 0])\n"
        "c = self.mix(a, wl, c)\nc = self.shift(a, c, base)\n"
    )
    scope = scoped(region(body), "w: W, idx: IDX")
    written = analysed(
        program_of(
            f"@GRAPH\ndef block(self, idx: IDX, w: W, a: T, c: pl.InOut[T]) -> T:\n{indented(body, 4)}    return c\n",
            main("c = self.block(idx, w, a, c)", "w: W, idx: IDX"),
        )
    )
    assert boundary(scope.graph("block")) == boundary(written.graph("block"))
    assert [f.code for f in scope.plan.findings] == [f.code for f in written.plan.findings]
    assert scope.graph("block").nodes == written.graph("block").nodes == 2


@rules("O12")
def test_cO03_the_new_function_is_a_graph() -> None:
    program = scoped(region(ADD))
    assert program.program.functions["block"].kind is FunctionKind.GRAPH
    assert program.program.functions["block"].generated


@rules("O12")
def test_cO04_the_parent_keeps_its_kind() -> None:
    assert scoped(region(ADD)).program.functions["main"].kind is FunctionKind.ORCHESTRATION
    opaque = analysed(program_of("", main(region(ADD)).replace("@ORCH", "@pl.function")))
    assert opaque.program.functions["main"].kind is FunctionKind.OPAQUE
    assert opaque.refusals == []


@rules("O14", "O22")
def test_cO08_a_region_named_like_a_local_gets_a_number_and_says_so() -> None:
    program = scoped("block = pl.create_tensor([128, 128], dtype=pl.FP32)\n" + region(ADD))
    assert [plan.name for plan in program.plan.graphs.values()] == ["block_0"]
    (renamed,) = [f for f in program.pass_findings if f.code == "PTO505"]
    assert renamed.subject == "block"


@rules("O14")
def test_two_regions_of_one_name_become_two_graphs() -> None:
    program = scoped(region(ADD) + region(ADD))
    assert [plan.name for plan in program.plan.graphs.values()] == ["block", "block_0"]


@rules("O17")
def test_cO09_a_captured_tensor_that_a_kernel_reads_and_writes_is_inout() -> None:
    program = scoped(region("c = self.bump(a, c)\n"))
    assert boundary(program.graph("block")) == ["a: in", "c: inout"]


@rules("O17", "C8")
def test_cO10_a_predicate_reads_the_tensor_it_looks_at() -> None:
    kernel = "@INCORE\ndef emit(self, r: pl.Out[pl.Tensor[[4], pl.INT32]]) -> pl.Tensor[[4], pl.INT32]:\n    return r\n"
    body = region("with pl.spmd(1, predicate=(ctl[0] > 0)):\n    ctl = self.emit(ctl)\nc = self.bump(a, c)\n")
    program = analysed(program_of(kernel, main(body, "ctl: pl.InOut[pl.Tensor[[4], pl.INT32]]"), prelude=PRELUDE_BUMP))
    assert "ctl: inout" in boundary(program.graph("block"))
    assert program.refusals == []


PRELUDE_BUMP = """\
@INCORE
def bump(self, a: T, c: pl.InOut[T]) -> T:
    t = pl.load(a, [0, 0], [128, 128])
    c = pl.store(t, [0, 0], c)
    return c

"""


@rules("O10")
def test_cO12_regions_nested_by_inlining_are_refused() -> None:
    inline = (
        "@pl.function(type=pl.FunctionType.Inline)\ndef helper(self, a: T, c: pl.InOut[T]) -> T:\n"
        f"{indented(region('c = self.bump(a, c)' + chr(10), 'inner'), 4)}    return c\n"
    )
    program = analysed(program_of(inline, main(region("c = self.helper(a, c)\n", "outer"))))
    (nested,) = [f for f in program.pass_findings if f.code == "PTO504"]
    assert nested.subject == "inner"
    assert "'outer'" in nested.message and "'main'" in nested.message


@rules("O4")
def test_cO13_a_region_in_a_region_is_refused() -> None:
    assert errors(scoped(region(region("c = self.bump(a, c)\n", "b"), "a"))) == ["PTO504"]


@rules("O1", "O2", "O3")
@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("pl.graph()", "PTO501"),
        ("pl.graph(5)", "PTO501"),
        ('pl.graph("")', "PTO501"),
        ('pl.graph("a b")', "PTO501"),
        ('pl.graph("a") as g', "PTO502"),
        ('pl.graph(name="a")', "PTO501"),
        ('pl.graph("a", "b")', "PTO501"),
        ('pl.graph(f"a")', "PTO501"),
    ],
)
def test_cO14_the_header_has_one_form(header: str, code: str) -> None:
    program = scoped(f"with {header}:\n    c = self.bump(a, c)\n")
    assert errors(program) == [code]


@rules("O4", "O5", "O9")
@pytest.mark.parametrize(
    "outer",
    ["pl.at(level=pl.Level.CORE_GROUP)", "pl.at(level=pl.Level.HOST)", "pl.cluster()", "pl.spmd(4)"],
)
def test_cO15_a_region_has_no_place_in_a_device_region(outer: str) -> None:
    assert errors(scoped(f"with {outer}:\n{indented(region('c = self.bump(a, c)' + chr(10)), 4)}")) == ["PTO503"]


@rules("O5", "O11")
def test_cO15_nor_in_a_device_function() -> None:
    inner = indented(region("c = self.bump(a, c)"), 4)
    kernel = f"@INCORE\ndef work(self, a: T, c: pl.InOut[T]) -> T:\n{inner}    return c\n"
    assert errors(analysed(program_of(kernel, main("c = self.work(a, c)")))) == ["PTO503"]


@rules("O6")
def test_cO16_a_region_of_an_inline_function_is_outlined_from_its_caller() -> None:
    inline = (
        "@pl.function(type=pl.FunctionType.Inline)\ndef helper(self, a: T, c: pl.InOut[T]) -> T:\n"
        f"{indented(region('c = self.bump(a, c)'), 4)}    return c\n"
    )
    program = analysed(program_of(inline, main("c = self.helper(a, c)")))
    assert errors(program) == []
    assert boundary(program.graph("block")) == ["a: in", "c: inout"]


@rules("O19")
def test_cO17_what_a_region_makes_does_not_leave_it() -> None:
    made = "t = pl.create_tensor([128, 128], dtype=pl.FP32)\nt = self.bump(a, t)\n"
    inside = scoped(region(made) + "c = self.bump(t, c)\n")
    assert inside.refusals == ["PTO407"]
    assert inside.finding("PTO407").function == "block"
    create, use = made.splitlines()
    outside = scoped(f"{create}\n" + region(use) + "c = self.bump(t, c)\n")
    assert outside.refusals == []
    assert boundary(outside.graph("block")) == ["a: in", "t: inout"]


@rules("O15")
def test_cO19_a_module_constant_is_no_parameter() -> None:
    source = program_of("", main(region("c = self.shift(a, c, ROWS)\n")))
    program = analysed(source.replace("\n\n\n@pl.program", "\n\nROWS = 128\n\n\n@pl.program"))
    assert boundary(program.graph("block")) == ["a: in", "c: inout"]
    assert program.refusals == []


def test_cO20_a_program_without_regions_has_no_graph() -> None:
    program = scoped("c = self.bump(a, c)\n")
    assert program.plan.graphs == {} and program.plan.findings == ()


@rules("O8")
def test_cO21_regions_that_differ_in_name_are_different_graphs() -> None:
    names = [plan.name for name in ("one", "two") for plan in scoped(region(ADD, name)).plan.graphs.values()]
    assert names == ["one", "two"]
    left = scoped(region(ADD)).program
    assert not any(isinstance(s, GraphScope) for f in left.functions.values() for s in walk_block(f.body or ()))


@rules("O15")
def test_cO22_only_what_the_region_reads_is_captured() -> None:
    program = scoped(region(ADD), "unused: T")
    assert boundary(program.graph("block")) == ["a: in", "c: inout"]


@rules("O2")
@pytest.mark.parametrize("name", ["class", "a-b"])
def test_cO23_the_name_is_an_identifier(name: str) -> None:
    assert errors(scoped(region("c = self.bump(a, c)\n", name))) == ["PTO501"]


@rules("O7", "C12")
def test_a_region_may_stand_in_loops_and_branches_of_its_caller() -> None:
    inner = indented(region("base = i * 128\nc = self.shift(a, c, base)"), 8)
    body = f"for i in pl.range(n):\n    if i > 2:\n{inner}"
    program = scoped(body, "n: IDX")
    assert program.refusals == []
    assert program.codes == ["PTO101"]
    ((local,),) = [site.locals for site in program.plan.call_sites]
    assert local.var.name == "base__graph_arg0"


@rules("O13", "O15", "O20")
def test_a_captured_loop_index_is_a_boundary_scalar() -> None:
    program = scoped(f"for i in pl.range(4):\n{indented(region('c = self.shift(a, c, i)'), 4)}")
    assert boundary(program.graph("block")) == ["a: in", "c: inout", "i: in"]
    assert len(program.plan.graphs) == 1


@rules("O18", "X8")
def test_a_write_only_capture_is_inout_unless_the_reference_is_followed() -> None:
    body = region("c = self.fill(a, c)\n")
    source = program_of("", main(body))
    extended = analysed(source)
    assert boundary(extended.graph("block")) == ["a: in", "c: inout"]
    assert extended.refusals == []
    reference = analysed(source, "reference")
    assert boundary(reference.graph("block")) == ["a: in", "c: out"]
    assert reference.refusals == ["PTO405"]


@rules("O22")
def test_findings_name_the_region() -> None:
    program = scoped(region("c = self.shift(a, c, idx * 2)\n"), "idx: IDX")
    finding: Finding = program.finding("PTO104")
    assert finding.function == "block" and "'block'" in finding.message
    assert program.text_at(finding.place) == "idx * 2"
