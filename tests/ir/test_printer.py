from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.ir.expressions import Call
from pto_lsp.analysis.ir.printer import print_function, print_program
from pto_lsp.analysis.ir.statements import Assign, Evaluate
from pto_lsp.analysis.passes import convert_to_ssa, simplify
from pto_lsp.project import Project
from tests.ir.structure import read, structure
from tests.passes.build import program
from tests.passes.interpret import Unbound, run
from tests.passes.programs import KERNELS, bodies
from tests.support.effort import examples

HEAD = "import pypto.language as pl\n\n"

KERNEL = """
M = pl.dynamic("M")


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def bump(
        self, a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(a, [0, 0], [64, 64])
        u = pl.load(c, [0, 0], [64, 64])
        c = pl.store(pl.add(t, u), [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.AIV)
    def pair(
        self,
        a: pl.Tensor[[64, 64], pl.FP32],
        c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
        d: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
        n: pl.Scalar[pl.INT32],
    ) -> tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]]:
        c = pl.store(a, [n, 0], c)
        d = pl.store(a, [n, 0], d)
        return c, d

"""

MAIN = """
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[64, 64], pl.FP32],
        w: pl.Tensor[[M, 64], pl.FP32],
        c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
        d: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
        n: pl.Scalar[pl.INT32],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
"""

BODIES = {
    "straight": """
        off = n * 2 + pl.min(n, 7)
        v = pl.slice(w, [64, 64], [off, 0])
        v2 = w[n * 64 : n * 64 + 64, :]
        row = w[n]
        x = a[n, 3]
        c = self.bump(v, c)
        c, d = self.pair(a, c, d, pl.cast(x, pl.INT32))
        self.bump(v2, c)
    """,
    "submits": """
        ids = pl.array.create(4, pl.TASK_ID)
        c, t = pl.submit(self.bump, a, c)
        ids[0] = t
        (c, d), u = pl.submit(self.pair, a, c, d, n, deps=[t, ids[0]], allow_early_resolve=True)
        both, u2 = pl.submit(self.pair, a, c, d, 3, deps=[ids])
        e = both[1]
        done = pl.system.task_dummy(deps=[u, u2])
        c, t2 = pl.spmd_submit(self.bump, pl.no_dep(e), c, core_num=8, deps=[done])
    """,
    "loops": """
        off = n
        for i in pl.range(4):
            for j in pl.parallel(1, n, 2):
                c = self.bump(a, c)
            off = off + i
        while off > 3:
            off = off - 1
            if off == 7:
                break
        for k in pl.pipeline(4):
            c, d = self.pair(a, c, d, off)
    """,
    "carried": """
        for i, (u, m) in pl.range(3, init_values=(c, n)):
            u2 = self.bump(a, u)
            r, o = pl.yield_(u2, m + 1)
        if o > 3:
            s = pl.yield_(r)
        else:
            s = pl.yield_(d)
        c = self.bump(s, c)
    """,
    "branches": """
        if n > 0:
            c = self.bump(a, c)
        elif n < -4:
            c = self.bump(d, c)
        else:
            d = self.bump(a, d)
        c = self.bump(d, c)
    """,
    "regions": """
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="first") as t:
            c[:, :] = pl.add(a[:, :], c[:, :])
        with pl.at(level=pl.Level.CORE_GROUP, deps=[t], no_dep_args=[a], allow_early_resolve=True):
            c[0:8, :] = pl.exp(a[8:16, :])
        for b in pl.spmd(n, name_hint="grid"):
            d[b * 8 : b * 8 + 8, :] = a[b * 8 : b * 8 + 8, :]
        with pl.spmd(4) as t2:
            c = self.bump(a, c)
        with pl.cluster():
            with pl.at(level=pl.Level.CORE_GROUP):
                c[:, :] = a[:, :]
        with pl.manual_scope():
            c = self.bump(a, c)
        with pl.graph("layer"):
            c = self.bump(a, c)
    """,
}


def source(body: str) -> str:
    return HEAD + KERNEL + MAIN + textwrap.indent(textwrap.dedent(body), " " * 8) + "\n        return c\n"


@pytest.mark.parametrize("name", BODIES)
def test_source_reads_in_again(name: str) -> None:
    before = read(source(BODIES[name])).source
    text = print_program(before)
    after = read(text).source
    assert structure(after) == structure(before)
    assert print_program(after) == text


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("stage", ["ssa", "flattened", "final"])
def test_every_stage_reads_in_again(name: str, stage: str) -> None:
    before = getattr(read(source(BODIES[name])), stage)
    after = getattr(read(print_program(before)), stage)
    assert structure(after) == structure(before)


def test_text_of_a_program() -> None:
    text = """\
import pypto.language as pl

M = pl.dynamic("M")


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def bump(
        self,
        a: pl.Tensor[[64, 64], pl.FP32],
        c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(a, [0, 0], [64, 64])
        c = pl.store(t, [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.Graph)
    def layer(
        self,
        a: pl.Tensor[[M, 64], pl.FP32],
        c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]],
        p: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        for i in pl.range(4):
            v = a[p * 64 + i : p * 64 + i + 64, :]
            if p > 3:
                c = self.bump(v, c)
            elif p > 2:
                c = self.bump(c, c)
        return c
"""
    stages = read(text)
    assert print_program(stages.source) == text
    assert print_program(stages.ssa) == text


def test_jit_style() -> None:
    text = """\
import pypto.language as pl


@pl.jit.inline
def helper(x: pl.Tensor[[8, 8], pl.FP32], y: pl.Tensor[[8, 8], pl.FP32]) -> pl.Tensor[[8, 8], pl.FP32]:
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
        y[:, :] = pl.add(x[:, :], y[:, :])
    return y


@pl.jit(auto_scope=False)
def main(x: pl.Tensor[[8, 8], pl.FP32], y: pl.InOut[pl.Tensor[[8, 8], pl.FP32]]) -> pl.Tensor[[8, 8], pl.FP32]:
    y = helper(x, y)
    with pl.scope():
        y = helper(x, y)
    return y
"""
    assert print_program(read(text).source) == text


def test_what_a_passes_result_looks_like() -> None:
    text = source(
        """
        for i in pl.range(2):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):
                c[:, :] = pl.add(a[:, :], c[:, :])
        """
    )
    final = read(text).final
    assert print_function(final.functions["k"], final) == (
        "@pl.function(type=pl.FunctionType.InCore)\n"
        "def k(self, a: pl.Tensor[[64, 64], pl.FP32], c: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]) -> "
        "pl.Tensor[[64, 64], pl.FP32]:\n"
        "    c[:, :] = pl.add(a[:, :], c[:, :])\n"
        "    return c\n"
    )
    assert "        c = self.k(a, c)\n" in print_function(final.functions["main"], final)


def test_versions_that_live_at_the_same_time_get_names_of_their_own() -> None:
    p = convert_to_ssa.run(
        program(
            """
            @incore
            def k(a: T, c: T) -> T:
                return a

            def main(a: T, n: Index) -> T:
                b = a
                a = k(a, b)
                b = k(a, b)
                for i in pl.range(n):
                    b = k(b, a)
                return a, b
            """
        )
    )
    main = p.functions["main"]
    assert main.body is not None
    # The first version of b is used again after the second was bound, as passes may leave it.
    old = main.body[0]
    assert isinstance(old, Assign)
    late = Evaluate(Call("k", (old.target, old.target)), old.at)
    text = print_function(replace(main, body=(*main.body[:3], late, *main.body[3:])), p)
    assert text == textwrap.dedent(
        """\
        @pl.jit
        def main(a: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64, 64], pl.FP32]:
            b = a
            a = k(a, b)
            b_1 = k(a, b)
            k(b, b)
            for i, (b,) in pl.range(n, init_values=(b_1,)):
                b = k(b, a)
                b = pl.yield_(b)
            return a, b
        """
    )


def test_long_lines_break_in_their_last_brackets() -> None:
    arguments = ", ".join([f"pl.slice(w, [64, 64], [n * {i} + {i}, 0])" for i in range(4)])
    text = print_program(read(source(f"t = [{arguments}]\nc = self.bump(a, c)")).source)
    lines = text.split("\n")
    assert max(len(line) for line in lines) <= 120
    assert "        t = [\n            pl.slice(w, [64, 64], [n * 0 + 0, 0])," in text


def test_a_region_named_like_a_parameter() -> None:
    text = """\
import pypto.language as pl

T = pl.Tensor[[64, 64], pl.FP32]

@pl.jit.graph
def layer(x: T, y: pl.InOut[T], scale: pl.Scalar[pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale"):
        y[:, :] = pl.mul(x[:, :], scale)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="x"):
        y[:, :] = pl.add(x[:, :], y[:, :])
    return y

@pl.jit
def main(x: T, y: pl.InOut[T], scale: pl.Scalar[pl.FP32]):
    y = layer(x, y, scale)
    return y
"""
    before = read(text).final
    printed = print_program(before)
    assert "def scale_1(" in printed and "y = scale_1(x, scale, y)" in printed and "y = x_1(x, y)" in printed
    after = read(printed).final
    assert print_program(after) == printed


EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*/*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_examples_read_in_again(path: Path) -> None:
    for one in Project().analysis(str(path)).programs:
        for stage in ("source", "ssa", "final"):
            before = getattr(one.stages, stage)
            after = getattr(read(print_program(before)), stage)
            assert structure(after) == structure(before)


@settings(max_examples=examples(40), deadline=None)
@given(bodies(), st.integers(0, 3), st.integers(-1, 4))
def test_printed_programs_do_the_same(text: str, n: int, a: int) -> None:
    before = simplify.run(convert_to_ssa.run(program(KERNELS + text)))
    arguments: dict[str, object] = {"n": n, "a": a, "b": 7}
    try:
        expected = run(before, "main", arguments)
    except Unbound:
        return
    after = read(print_program(before)).source
    assert run(after, "main", arguments) == expected
