"""Legalization rewrites what the plan says and nothing else."""

from __future__ import annotations

from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.graph_boundary.plan import plan_program
from pto_lsp.analysis.ir.expressions import Expr, Var
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.ir.statements import Assign, For, If, Stmt, While
from pto_lsp.analysis.ir.visitor import statement_exprs, variables, walk_block
from tests.graph_boundary.cases import BUMP, CREATE, W_IDX, layer, looped
from tests.graph_boundary.harness import analysed, program_of
from tests.graph_boundary.naming import rules


def used(program: Program, function: str) -> set[str]:
    names: set[str] = set()
    for stmt in walk_block(program.functions[function].body or ()):
        exprs: list[Expr] = list(statement_exprs(stmt))
        if isinstance(stmt, (For, While)):
            exprs += [carry.update for carry in stmt.carries]
        elif isinstance(stmt, If):
            exprs += [side for phi in stmt.phis for side in (phi.then, phi.orelse)]
        names.update(var.name for expr in exprs for var in variables(expr))
    return names


def bound(program: Program, function: str) -> list[str]:
    return [s.target.label for s in walk_block(program.functions[function].body or ()) if isinstance(s, Assign)]


def statements(program: Program, function: str) -> list[Stmt]:
    return list(walk_block(program.functions[function].body or ()))


@rules("A5")
def test_a_plan_of_renames_only_leaves_the_calls_alone() -> None:
    program = analysed(program_of(layer("p = idx\nc = self.shift(a, c, p)\nreturn c", "idx: IDX"), looped()))
    assert program.legal.functions["main"] is program.program.functions["main"]
    assert bound(program.legal, "layer") == ["c"]
    assert "idx" in used(program.legal, "layer")


@rules("A3", "A4", "A6")
def test_derived_values_leave_and_renames_are_redirected_to_the_end_of_the_chain() -> None:
    body = "p = idx\nx = p * 8\ny = x\nz = y + p\nc = self.shift(a, c, y)\nc = self.shift(a, c, z)\nreturn c"
    program = analysed(program_of(layer(body, "idx: IDX"), looped()))
    assert program.appended() == ["x: in", "z: in"]
    assert bound(program.legal, "layer") == ["c", "c"]
    assert {"x", "z"} <= used(program.legal, "layer")
    assert not {"p", "y"} & used(program.legal, "layer")


@rules("B16", "C3")
def test_tensor_renames_stay_in_the_region() -> None:
    body = (
        "b = w\nv = pl.slice(b, [128, 128], [idx, 0])\nu = pl.tensor.dim(b, 0)\n"
        "c = self.mix(a, v, c)\nc = self.shift(a, c, u)\nreturn c"
    )
    program = analysed(program_of(layer(body, W_IDX), looped("a, c, w, i", "w: W")))
    assert "b" in bound(program.legal, "layer") and "v" not in bound(program.legal, "layer")
    assert not {"b", "v"} & used(program.legal, "main")


@rules("A17")
def test_a_value_derived_in_a_loop_is_hoisted_once() -> None:
    body = "for i in pl.range(4):\n    base = idx * 8\n    c = self.shift(a, c, base)\nreturn c"
    program = analysed(program_of(layer(body, "idx: IDX")))
    assert program.appended() == ["base: in"]
    (loop,) = [s for s in statements(program.legal, "layer") if isinstance(s, For)]
    assert len(loop.body) == 1


def test_readers_in_bounds_conditions_carries_and_options_are_redirected() -> None:
    body = (
        "n = idx\nm = n\nfor j in pl.range(n):\n    x = j + m\nwhile m > 0:\n    y = pl.tensor.read(ctl, [m])\n"
        "if m > 2:\n    z = pl.tensor.read(ctl, [n])\n" + BUMP
    )
    program = analysed(program_of(layer(body, "ctl: pl.Tensor[[4], pl.INDEX], idx: IDX")))
    assert {r.var.label for r in program.graph().renames} == {"n", "m"}
    assert not {"n", "m"} & used(program.legal, "layer")


def test_unchanged_functions_and_programs_are_the_same_objects() -> None:
    program = analysed(program_of(layer("base = idx * 8\nc = self.shift(a, c, base)\nreturn c", "idx: IDX")))
    assert program.legal.functions["bump"] is program.program.functions["bump"]
    plain = analysed(program_of(layer(BUMP)))
    assert plain.legal is plain.program


def test_a_second_legalization_changes_nothing() -> None:
    body = (
        f"base = idx * 128\nal = base\ntmp = {CREATE}\nwl = pl.slice(w, [128, 128], [al, 0])\n"
        "tmp = self.mix(a, wl, tmp)\nfor i in pl.range(4):\n    t = 32\n    v = pl.slice(w, [128, 128], [i * t, 0])\n"
        "    x = idx * t\n    c = self.shift(v, c, x)\nc = self.bump(tmp, c)\nreturn c"
    )
    program = analysed(program_of(layer(body, W_IDX), looped("a, c, w, i", "w: W")))
    assert program.refusals == []
    again = plan_program(program.legal)
    assert legalize(again) is program.legal
    assert not any(graph.hoisted or graph.renames for graph in again.graphs.values())
    assert [f.code for f in again.findings if f.code in ("PTO101", "PTO102", "PTO201", "PTO301")] == []


@rules("A14", "B14")
def test_parameters_take_over_name_type_and_place() -> None:
    body = "wl = pl.slice(w, [128, 128], [idx, 0])\nc = self.mix(a, wl, c)\nreturn c"
    program = analysed(program_of(layer(body, W_IDX)))
    param = program.legal.functions["layer"].params[-1]
    (hoist,) = program.graph().hoisted
    assert param.name == "wl" and param.hoisted and param.type is hoist.var.type
    assert program.text[program.span_of(param)[0] : program.span_of(param)[1]] == "wl"


def test_names_bound_twice_become_two_parameters_shown_alike() -> None:
    body = "x = idx * 8\nc = self.shift(a, c, x)\nx = x + 1\nc = self.shift(a, c, x)\nreturn c"
    program = analysed(program_of(layer(body, "idx: IDX"), looped()))
    assert program.appended() == ["x: in", "x: in"]
    names = [p.name for p in program.legal.functions["layer"].params]
    assert len(set(names)) == len(names)
    ((first, second),) = [site.locals for site in program.plan.call_sites]
    assert (first.var.name, second.var.name) == ("x__graph_arg0", "x__graph_arg1")
    assert any(isinstance(a, Var) and a.name == "x__graph_arg0" for a in variables(second.value))
