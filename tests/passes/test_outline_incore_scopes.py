from __future__ import annotations

import textwrap

import pytest

from pto_lsp.analysis.ir.expressions import Submit
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.statements import Evaluate
from pto_lsp.analysis.passes import convert_to_ssa, infer_parameter_directions, outline_incore_scopes
from pto_lsp.analysis.passes.memo import Memo
from tests.passes.build import program
from tests.passes.dump import dump, header

K = """
@incore
def bump(a: T, c: InOut[T]) -> T:
    return c

@incore
def fill(a: T, c: Out[T]) -> T:
    return c

"""


def outlined(text: str) -> Program:
    return outline_incore_scopes.run(convert_to_ssa.run(program(K + textwrap.dedent(text))))


def directed(body: str) -> Program:
    """The program of a ``main(a, c, n)`` with this body after directions are inferred."""
    indented = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    text = f"def main(a: T, c: InOut[T], n: Index) -> T:\n{indented}\n    return c\n"
    return infer_parameter_directions.run(outlined(text))


def main(text: str) -> list[str]:
    return dump(outlined(text).functions["main"])


def test_forms_of_launches() -> None:
    assert main(
        """
        def main(a: T, c: InOut[T], t: TaskId) -> T:
            with pl.at(name_hint="plain"):
                c[:, :] = a[:, :]
            with pl.at(name_hint="named") as u:
                c[:, :] = a[:, :]
            with pl.at(name_hint="waits", deps=[t, u]):
                c[:, :] = a[:, :]
            with pl.at(name_hint="early", allow_early_resolve=True):
                pl.store(a, [0, 0], c)
            for b in pl.spmd(8, name_hint="grid"):
                c[b:64, :] = a[b:64, :]
            with pl.at(name_hint="opted", no_dep_args=[a]) as v:
                pl.store(a, [0, 0], c)
            return c
        """
    ) == [
        'c.1 = plain(a, c, name_hint="plain")',
        'c.2, u = pl.submit(named, a, c.1, name_hint="named")',
        'c.3, _task = pl.submit(waits, a, c.2, deps=[t, u], name_hint="waits")',
        'pl.submit(early, a, c.3, allow_early_resolve=True, name_hint="early")',
        'c.4 = grid_spmd(a, c.3, core_num=8, name_hint="grid")',
        'v = pl.submit(opted, pl.no_dep(a), c.4, no_dep_args=[a], name_hint="opted")',
        "return c.4",
    ]


def test_generated_function() -> None:
    p = outlined(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            for i in pl.range(4):
                for b in pl.spmd(n, name_hint="grid"):
                    x = pl.load(a, [i, b], [8, 8])
                    c[b:64, :] = x
            return c
        """
    )
    kernel = p.functions["grid_spmd"]
    assert header(kernel) == "spmd grid_spmd(a: in, i: in, c: out)"
    assert kernel.name == "grid" and kernel.generated
    assert dump(kernel) == [
        "b = pl.tile.get_block_idx()",
        "x = pl.load(a, [i, b], [8, 8])",
        "c.2 = tensor.assemble(c, x, [b, 0])",
        "return c",
    ]
    assert list(p.functions) == ["bump", "fill", "main", "grid_spmd"]


def test_unnamed_regions_are_numbered_by_kind() -> None:
    p = outlined(
        """
        def main(a: T, c: InOut[T]) -> T:
            with pl.at():
                c[:, :] = a[:, :]
            with pl.cluster():
                with pl.at():
                    c[:, :] = a[:, :]
            with pl.at():
                c[:, :] = a[:, :]
            with pl.spmd(4):
                c = bump(a, c)
            return c
        """
    )
    made = [(f.key, f.name, f.kind) for f in p.functions.values() if f.generated]
    assert made == [
        ("main_incore_0", "main_incore_0", FunctionKind.INCORE),
        ("main_incore_1", "main_incore_1", FunctionKind.INCORE),
        ("main_cluster_0", "main_cluster_0", FunctionKind.GROUP),
        ("main_incore_2", "main_incore_2", FunctionKind.INCORE),
        ("main_spmd_0", "bump", FunctionKind.SPMD),
    ]


def test_named_regions_count_too() -> None:
    region = "    with pl.at({}):\n        c[:, :] = a[:, :]\n"
    text = "".join([region.format(h) for h in ("name_hint='x'", "", "name_hint='y'", "")])
    p = outlined(f"def main(a: T, c: InOut[T]) -> T:\n{text}    return c\n")
    assert [f.key for f in p.functions.values() if f.generated] == ["x", "main_incore_1", "y", "main_incore_3"]


def test_cluster_around_one_grid_has_its_blocks() -> None:
    p = outlined(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            with pl.cluster():
                for b in pl.spmd(n, name_hint="k"):
                    c[b:64, :] = a[b:64, :]
            with pl.cluster():
                with pl.spmd(4):
                    c = bump(a, c)
            return c
        """
    )
    assert dump(p.functions["main"]) == [
        "c.1 = main_cluster_0(a, c, core_num=n)",
        "c.2 = main_cluster_1(a, c.1, core_num=4)",
        "return c.2",
    ]
    assert dump(p.functions["main_cluster_0"])[0] == 'c.1 = k(a, c, name_hint="k")'
    assert dump(p.functions["k"])[0] == "b = pl.tile.get_block_idx()"
    assert dump(p.functions["main_cluster_1"])[0] == "c.2 = bump(a, c)"


def test_names_that_are_taken() -> None:
    region = '    with pl.at(name_hint="k"):\n        c[:, :] = a[:, :]\n'
    p = outlined("".join([f"def {f}(a: T, c: InOut[T]) -> T:\n{region * 2}    return c\n" for f in ("f", "g")]))
    made = [(f.key, f.name) for f in p.functions.values() if f.generated]
    assert made == [("k", "k"), ("k_0", "k"), ("g_k", "k"), ("k_1", "k")]


def test_value_used_afterwards_gets_a_buffer() -> None:
    p = outlined(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            with pl.at(name_hint="make") as t:
                x = pl.add(a, a)
                y = pl.mul(x, x)
            c = bump(y, c)
            return c
        """
    )
    assert dump(p.functions["main"]) == [
        "y.buffer = pl.create_tensor([64, 64], dtype=pl.FP32)",
        'y, t = pl.submit(make, a, y.buffer, name_hint="make")',
        "c.1 = bump(y, c)",
        "return c.1",
    ]
    assert header(p.functions["make"]) == "incore make(a: in, y_out: out)"
    assert dump(p.functions["make"])[-2:] == ["y_out.stored = pl.assemble(y_out, y, [0, 0])", "return y_out"]


def test_branches_inside_a_region_keep_the_buffer() -> None:
    p = outlined(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            with pl.at(name_hint="k"):
                if n > 0:
                    c[0:8, :] = a[0:8, :]
            return c
        """
    )
    assert dump(p.functions["main"]) == ['c.2 = k(n, a, c, name_hint="k")', "return c.2"]
    assert dump(p.functions["k"])[-1] == "return c"


def test_region_carrying_a_region() -> None:
    p = outlined(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            with pl.spmd(8):
                with pl.at(name_hint="k"):
                    c[0:8, :] = a[0:8, :]
            return c
        """
    )
    assert dump(p.functions["main"])[0] == "c.1 = k_spmd(a, c, core_num=8)"
    assert p.functions["k_spmd"].name == "k"
    assert dump(p.functions["k_spmd"])[0] == "c.1 = tensor.assemble(c, a[:8, :], [0, 0])"


def test_cluster_members_are_called_by_the_group() -> None:
    p = outlined(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            with pl.cluster():
                with pl.at(name_hint="cube"):
                    c[0:8, :] = a[0:8, :]
                c = bump(a, c)
            return c
        """
    )
    assert dump(p.functions["main_cluster_0"]) == [
        'c.1 = cube(a, c, name_hint="cube")',
        "c.2 = bump(a, c.1)",
        "return c",
    ]
    assert dump(p.functions["main"])[0] == "c.2 = main_cluster_0(a, c)"


def test_host_level_region_stays_and_its_regions_are_outlined() -> None:
    lines = main(
        """
        def main(a: T, c: InOut[T]) -> T:
            with pl.at(0):
                with pl.at(name_hint="k"):
                    c[0:8, :] = a[0:8, :]
            return c
        """
    )
    assert lines == ["hierarchy():", '  c.1 = k(a, c, name_hint="k")', "return c.1"]


def test_opaque_parent_becomes_an_orchestration() -> None:
    text = "@opaque\ndef main(a: T, c: InOut[T]) -> T:\n    {}\n    return c\n"
    with_region = outlined(text.format("with pl.at():\n        c[0:8, :] = a[0:8, :]"))
    assert with_region.functions["main"].kind is FunctionKind.ORCHESTRATION
    assert outlined(text.format("c = bump(a, c)")).functions["main"].kind is FunctionKind.OPAQUE


def test_submit_without_results_stands_alone() -> None:
    p = outlined(
        "def main(a: T, c: InOut[T]) -> T:\n    with pl.at(deps=[]):\n        pl.store(a, [0, 0], c)\n    return a\n"
    )
    body = p.functions["main"].body
    assert body is not None and isinstance(body[0], Evaluate) and isinstance(body[0].value, Submit)


@pytest.mark.parametrize(
    ("body", "direction"),
    [
        ("x = pl.load(c, [0, 0], [8, 8])", "in"),
        ("c[:, :] = a[:, :]", "out"),
        ("c[0:8, :] = a[0:8, :]\nc[8:16, :] = a[0:8, :]", "out"),
        ("c[:, :] = pl.add(a[:, :], c[:, :])", "inout"),
        ("c[0:8, :] = a[0:8, :]\nx = pl.load(c, [0, 0], [8, 8])", "inout"),
        ("c[0:8, :] = c[8:16, :]", "inout"),
        ("c = pl.assemble(c, a, [0, 0], atomic=1)", "inout"),
        ("c = pl.store(a, [0, 0], c)", "out"),
        ("pl.store(a, [0, 0], c)", "out"),
        ("pl.write(c, [0, n], 1.0)", "out"),
        ("pl.tensor.write(c, [0, n], pl.tensor.read(c, [0, 0]))", "inout"),
        # A device loop is judged by loads and stores alone: what is atomic there does not count (2.5).
        ("for i in pl.range(4):\n    c[i:64, :] = a[i:64, :]", "out"),
        ("for i in pl.range(4):\n    c = pl.assemble(c, a, [i, 0], atomic=1)", "out"),
        ("for i in pl.range(4):\n    c[i:64, :] = c[i:64, :]", "inout"),
        # A straight write followed by a loop: the loop's entry counts as a use (2.6).
        ("c[0:8, :] = a[0:8, :]\nfor i in pl.range(4):\n    c[i:64, :] = a[i:64, :]", "inout"),
        # An unrolled loop is straight-line code.
        ("for i in pl.unroll(4):\n    c[i:64, :] = a[i:64, :]", "out"),
        ("for i in pl.unroll(4):\n    c = pl.assemble(c, a, [i, 0], atomic=1)", "inout"),
        # The untouched arm hands the old contents on.
        ("if n > 0:\n    c[0:8, :] = a[0:8, :]", "inout"),
        ("c = fill(a, c)", "out"),
        ("c = bump(a, c)", "inout"),
        ("x = pl.tensor.dim(c, 0)\nc[0:8, :] = a[0:8, :]", "inout"),
        ("pld.tile.remote_store(a, c, 1, [0, 0])", "out"),
        ("pld.tensor.allreduce(c, a)", "inout"),
    ],
)
def test_directions_of_captures(body: str, direction: str) -> None:
    region = "with pl.at(name_hint='k'):\n" + textwrap.indent(body, "    ")
    params = {p.name: p.direction.value for p in directed(region).functions["k"].params}
    assert params["c"] == direction


def test_declared_directions_are_never_changed() -> None:
    p = infer_parameter_directions.run(
        convert_to_ssa.run(
            program(
                """
                @incore
                def k(a: T, b: T, c: T, d: Out[T], e: InOut[T]) -> T:
                    x = pl.load(d, [0, 0], [8, 8])
                    b[0:8, :] = x
                    c[0:8, :] = c[8:16, :]
                    return d
                """
            )
        )
    )
    assert header(p.functions["k"]) == "incore k(a: in, b: out, c: inout, d: out, e: inout)"


def test_wrappers_take_the_strongest_direction_of_their_calls() -> None:
    p = infer_parameter_directions.run(
        convert_to_ssa.run(
            program(
                K
                + textwrap.dedent(
                    """
                    @spmd
                    def outer(a: T, c: T) -> T:
                        c = inner(a, c)
                        return c

                    @group
                    def inner(a: T, c: T) -> T:
                        d = fill(a, c)
                        bump(a, c)
                        return d
                    """
                )
            )
        )
    )
    assert header(p.functions["inner"]) == "group inner(a: in, c: inout)"
    assert header(p.functions["outer"]) == "spmd outer(a: in, c: inout)"


def test_program_without_regions_is_unchanged() -> None:
    p = convert_to_ssa.run(program(K + "def main(a: T, c: InOut[T]) -> T:\n    c = bump(a, c)\n    return c\n"))
    result = infer_parameter_directions.run(outline_incore_scopes.run(p))
    assert all(result.functions[key] is p.functions[key] for key in p.functions)


def test_memory_gives_names_again() -> None:
    region = '    with pl.at(name_hint="k"):\n        c[:, :] = a[:, :]\n'
    memo: outline_incore_scopes.OutlineMemo = Memo()
    known: dict[tuple[str, int], Function] = {}

    def made(**regions: int) -> list[str]:
        """Names that functions with so many regions get; a function that was there before is the same object."""
        functions: dict[str, Function] = {}
        for name, count in regions.items():
            text = f"def {name}(a: T, c: InOut[T]) -> T:\n{region * count}    return c\n"
            fresh = convert_to_ssa.run(program(text)).functions[name]
            functions[name] = known.setdefault((name, count), fresh)
        result = outline_incore_scopes.run(Program(functions), memo)
        assert all(dump(result.functions[name])[0].startswith("c.1 = ") for name in regions)
        return [f.key for f in result.functions.values() if f.generated]

    assert made(f=1, g=2) == ["k", "g_k", "k_0"]
    assert made(g=2) == ["k", "k_0"]
    assert made(f=1, g=2) == ["k", "g_k", "k_0"]
    assert made(f=2, g=2) == ["k", "k_0", "g_k", "k_1"]
