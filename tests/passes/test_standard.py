from __future__ import annotations

import random
import textwrap

from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.passes.standard import Stages, StandardPasses, run_standard
from tests.passes.build import program
from tests.passes.dump import dump, header

HELPERS = [
    """
    @inline
    def helper(x: T, y: T, n: Index) -> T:
        z = n * {0}
        y = inner(x, y)
        with pl.at(name_hint="h"):
            y[:, :] = pl.add(x[:, :], y[:, :])
        return y
    """,
    """
    @inline
    def inner(x: T, y: T) -> T:
        z = shift(x, y, {0})
        return z
    """,
    """
    @incore
    def shift(a: T, c: InOut[T], off: Index) -> T:
        k = {0} + off
        c = pl.store(pl.load(a, [k, 0], [8, 8]), [0, 0], c)
        return c
    """,
    """
    @graph
    def layer(a: T, c: InOut[T], p: Index) -> T:
        base = p * {0}
        c = helper(a, c, base)
        return c
    """,
    """
    def main(a: T, c: InOut[T], n: Index) -> T:
        c = helper(a, c, {0})
        for i in pl.unroll(2):
            c = layer(a, c, i)
        with pl.graph("region"):
            c = shift(a, c, n)
        return c
    """,
]


def text(numbers: list[int]) -> list[str]:
    return [textwrap.dedent(h).format(n) for h, n in zip(HELPERS, numbers)]


class Linker:
    """Delivers programs in which an unchanged function is the same object, as the project does."""

    def __init__(self) -> None:
        self.known: dict[str, Program] = {}

    def program(self, numbers: list[int]) -> Program:
        functions = {}
        parts = text(numbers)
        whole = program("\n".join(parts))
        for part, (key, function) in zip(parts, whole.functions.items()):
            known = self.known.setdefault(part, Program({key: function}))
            functions[key] = known.functions[key]
        return Program(functions)


def shown(stages: Stages) -> dict[str, tuple[str, list[str]]]:
    return {key: (header(f), dump(f)) for key, f in stages.final.functions.items()}


def test_stages_end_without_regions() -> None:
    stages = run_standard(program("\n".join(text([1, 2, 3, 4, 5]))))
    assert stages.findings == ()
    assert set(stages.inlined.functions) == {"shift", "layer", "main"}
    assert shown(stages) == {
        "shift": (
            "incore shift(a: in, c: inout, off: in)",
            ["k = 3 + off", "c.1 = pl.store(pl.load(a, [k, 0], [8, 8]), [0, 0], c)", "return c"],
        ),
        "layer": (
            "graph layer(a: in, c: inout, p: in)",
            [
                "y@helper = c",
                "z@inner@helper = shift(a, y@helper, 2)",
                "y@helper.1 = z@inner@helper",
                'y@helper.2 = h(a, y@helper.1, name_hint="h")',
                "c.1 = y@helper.2",
                "return c",
            ],
        ),
        "h": ("incore h(a: in, y: inout)", KERNEL),
        "main": (
            "orchestration main(a: in, c: inout, n: in)",
            [
                "y@helper = c",
                "z@inner@helper = shift(a, y@helper, 2)",
                "y@helper.1 = z@inner@helper",
                'y@helper.2 = main_h(a, y@helper.1, name_hint="h")',
                "c.1 = y@helper.2",
                "c.2 = layer(a, c.1, 0)",
                "c.3 = layer(a, c.2, 1)",
                "c.4 = region(a, c.3, n)",
                "return c.4",
            ],
        ),
        "main_h": ("incore main_h(a: in, y: inout)", KERNEL),
        "region": ("graph region(a: in, c: inout, n: in)", ["c.4 = shift(a, c, n)", "return c"]),
    }


KERNEL = ["y@helper.2 = tensor.assemble(y, pl.add(a[:, :], y[:, :]), [0, 0])", "return y"]


def test_memory_changes_nothing() -> None:
    linker, passes = Linker(), StandardPasses()
    choice = random.Random(7)
    numbers = [1, 1, 1, 1, 1]
    for _ in range(60):
        numbers[choice.randrange(5)] = choice.randrange(4)
        p = linker.program(numbers)
        remembered, fresh = passes.run(p), run_standard(p)
        assert shown(remembered) == shown(fresh)
        assert remembered.findings == fresh.findings


def test_unchanged_functions_are_not_touched_again() -> None:
    linker, passes = Linker(), StandardPasses()
    first = passes.run(linker.program([1, 1, 1, 1, 1]))
    second = passes.run(linker.program([1, 1, 1, 1, 2]))
    for key in ("shift", "layer"):
        assert second.flattened.functions[key] is first.flattened.functions[key]
    assert second.flattened.functions["main"] is not first.flattened.functions["main"]
    third = passes.run(linker.program([1, 3, 1, 1, 2]))
    assert third.flattened.functions["layer"] is not first.flattened.functions["layer"]
    assert third.flattened.functions["shift"] is first.flattened.functions["shift"]
