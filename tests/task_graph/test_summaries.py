"""Summaries kept from one analysis to the next."""

from __future__ import annotations

from dataclasses import replace
from weakref import ref

from pto_lsp.analysis.ir.program import Function, FunctionKind
from pto_lsp.analysis.task_graph.graph import Analyser
from pto_lsp.analysis.task_graph.summaries import SummaryCache
from pto_lsp.project import Change
from tests.task_graph.build import PATH, Source, jit

TEXT = jit("with pl.spmd(4):\n    y = bump(x, y)")


def wrapper(functions: dict[str, Function]) -> Function:
    return next(f for f in functions.values() if f.kind is FunctionKind.SPMD)


def test_unchanged_functions_are_not_looked_at_again() -> None:
    program = Source(TEXT).programs[0].stages.final
    cache = SummaryCache()
    grid = wrapper(program.functions)
    first = Analyser(program, cache).summaries.of(grid)
    assert {(access.param, access.write) for access in first.accesses} == {(0, False), (1, False), (1, True)}
    again = program.with_functions(dict(program.functions))
    assert Analyser(again, cache).summaries.of(grid) is first
    assert Analyser(again).summaries.of(grid) is not first


def test_a_changed_callee_counts() -> None:
    program = Source(TEXT).programs[0].stages.final
    cache = SummaryCache()
    grid = wrapper(program.functions)
    assert not Analyser(program, cache).summaries.of(grid).vague
    functions = {**program.functions, "bump": replace(program.functions["bump"], body=None)}
    assert Analyser(program.with_functions(functions), cache).summaries.of(grid).vague == {0, 1}


def test_a_summary_goes_with_its_function() -> None:
    program = Source(TEXT).programs[0].stages.final
    cache = SummaryCache()
    kernel = replace(program.functions["bump"])
    functions = {**program.functions, "bump": kernel}
    Analyser(program.with_functions(functions), cache).summaries.of(wrapper(functions))
    assert cache.get(kernel, functions) is not None
    gone = ref(kernel)
    del kernel, functions
    assert gone() is None


def test_edits_give_what_a_fresh_analysis_gives() -> None:
    source = Source(TEXT)
    project = source.project
    for body in (
        "y = put(x, y)",
        "with pl.spmd(4):\n    y = bump(s, y)\ns = put(y, s)",
        "y = bump(x, y)\ns = bump(y, s)",
    ):
        project.change(PATH, [Change(None, jit(body))])
        assert project.check(PATH) == Source(jit(body)).project.check(PATH)
