from __future__ import annotations

import textwrap

import pytest

from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.passes import convert_to_ssa, normalize_return_order
from pto_lsp.analysis.passes.return_lineage import FRESH, Lineage, ReturnLineage, explicit_returned_params
from tests.passes.build import program
from tests.passes.dump import dump

KERNELS = """
@incore
def bump(a: T, c: InOut[T]) -> T:
    t = pl.load(a, [0, 0], [64, 64])
    c = pl.store(t, [0, 0], c)
    return c

@incore
def fill(a: T, r: Out[T]) -> T:
    r = pl.store(a, [0, 0], r)
    return r

@incore
def pair(a: T, c: InOut[T], d: InOut[T]) -> (T, T):
    c = pl.store(a, [0, 0], c)
    d = pl.store(a, [0, 0], d)
    return c, d

@incore
@extern
def outside(a: T, c: InOut[T]) -> T:
    return c

"""


def ssa(text: str) -> Program:
    return convert_to_ssa.run(program(KERNELS + textwrap.dedent(text)))


def lineage_of(body: str, returns: str = "T") -> tuple[Lineage, ...] | None:
    indented = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    text = f"@graph\ndef layer(a: T, c: InOut[T], d: InOut[T], n: Index) -> {returns}:\n{indented}\n"
    return ReturnLineage(ssa(text)).of("layer")


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ("return c", 1),
        ("return a", 0),
        ("return n", 3),
        ("return n + 1", None),
        ("x = c\ny = x\nreturn y", 1),
        ("c = bump(a, c)\nreturn c", 1),
        ("x = bump(a, c)\nreturn x", 1),
        ("return bump(a, d)", 2),
        ("r = fill(a)\nreturn r", None),
        ("x, y = pair(a, d, c)\nreturn y", 1),
        ("t = pair(a, d, c)\nreturn t[0]", 2),
        ("x, t = pl.submit(bump, a, c)\nreturn x", 1),
        ("(x, y), t = pl.submit(pair, a, c, d)\nreturn y", 2),
        ("r, t = pl.submit(pair, a, c, d)\nreturn r[1]", 2),
        ("r, t = pl.submit(fill, a)\nreturn r", None),
        ("v = pl.slice(c, [8, 8], [0, 0])\nreturn v", None),
        ("v = pl.create_tensor([8, 8])\nv = bump(a, v)\nreturn v", None),
        ("if n > 0:\n    r = c\nelse:\n    r = d\nreturn r", None),
        ("for i in pl.range(4):\n    c = bump(a, c)\nreturn c", 1),
        ("for i in pl.range(4):\n    r = bump(a, c)\nreturn r", 1),
        ("for i in pl.range(4):\n    c = pl.create_tensor([64, 64])\nreturn c", None),
        ("for i in pl.range(4):\n    c, d = pair(a, d, c)\nreturn c", None),
        ("for i in pl.range(4):\n    n = n + 1\nreturn n", None),
        ("c[0:8, :] = a\nreturn c", 1),
        ("with pl.manual_scope():\n    c = bump(a, c)\nreturn c", 1),
        ("", ()),
    ],
)
def test_lineage(body: str, param: int | tuple[()] | None) -> None:
    found = lineage_of(body or "bump(a, c)")
    assert found == (() if param == () else (FRESH if param is None else Lineage(param),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "body",
    [
        "x = outside(a, c)\nreturn x",
        "del x\nreturn x",
        "for i in pl.range(4):\n    c = outside(a, c)\nreturn c",
    ],
)
def test_what_cannot_be_known_is_said_to_be_unknown(body: str) -> None:
    assert lineage_of(body) == (Lineage(None, False),)


def test_recursion_ends() -> None:
    p = ssa("@graph\ndef layer(a: T, c: InOut[T]) -> T:\n    c = layer(a, c)\n    return c\n")
    assert ReturnLineage(p).of("layer") == (Lineage(None, False),)


def test_long_chains_do_not_recurse() -> None:
    body = "\n".join(["c = bump(a, c)"] * 3000)
    assert lineage_of(body + "\nreturn c") == (Lineage(1),)


def test_explicit_reading_does_not_trace() -> None:
    p = ssa("@graph\ndef layer(a: T, c: InOut[T]) -> (T, T):\n    x = bump(a, c)\n    return x, c\n")
    assert explicit_returned_params(p.functions["layer"]) == (None, 1)
    assert explicit_returned_params(p.functions["outside"]) is None


def normalized(text: str) -> Program:
    return normalize_return_order.run(ssa(text))


def test_graph_returns_become_explicit_and_keep_their_order() -> None:
    p = normalized(
        """
        @graph
        def layer(a: T, c: InOut[T], d: InOut[T]) -> (T, T):
            c, d = pair(a, c, d)
            return d, c
        """
    )
    assert dump(p.functions["layer"]) == ["c.1, d.1 = pair(a, c, d)", "return d, c"]
    assert dump(p.functions["bump"])[-1] == "return c"


def test_forwarded_tuple_is_expanded_when_its_elements_are_declared() -> None:
    text = """
        @graph
        def layer(a: T, c: InOut[T], d: InOut[T]) -> {}:
            t = pair(a, c, d)
            return t
        """
    assert dump(normalized(text.format("(T, T)")).functions["layer"])[-1] == "return c, d"
    assert dump(normalized(text.format("X")).functions["layer"])[-1] == "return t"


SWAPPED = """
@incore
def swapped(a: T, c: InOut[T], d: InOut[T]) -> (T, T):
    c = pl.store(a, [0, 0], c)
    d = pl.store(a, [0, 0], d)
    return d, c

"""


def test_kernel_results_follow_the_parameters() -> None:
    p = normalized(
        SWAPPED
        + textwrap.dedent(
            """
            def main(a: T, c: InOut[T], d: InOut[T]) -> T:
                x, y = swapped(a, c, d)
                t = swapped(a, c, d)
                u = t
                z = u[0]
                (p, q), tid = pl.submit(swapped, a, c, d)
                both, tid2 = pl.submit(swapped, a, c, d)
                r = both[1]
                return x, y, z, p, q, r
            """
        )
    )
    assert dump(p.functions["swapped"])[-1] == "return c, d"
    assert dump(p.functions["main"]) == [
        "y, x = swapped(a, c, d)",
        "t = swapped(a, c, d)",
        "u = t",
        "z = u[1]",
        "q, p, tid = pl.submit(swapped, a, c, d)",
        "both, tid2 = pl.submit(swapped, a, c, d)",
        "r = both[0]",
        "return x, y, z, p, q, r",
    ]


def test_tuple_handed_on_keeps_the_declared_order() -> None:
    p = normalized(
        SWAPPED
        + textwrap.dedent(
            """
            def main(a: T, c: InOut[T], d: InOut[T]) -> (T, T):
                t = swapped(a, c, d)
                return t
            """
        )
    )
    assert dump(p.functions["main"])[-1] == "return t[1], t[0]"


def test_nothing_to_do_is_the_same_object() -> None:
    before = ssa("def main(a: T, c: InOut[T]) -> T:\n    c = bump(a, c)\n    return c\n")
    after = normalize_return_order.run(before)
    assert after.functions["main"] is before.functions["main"]
    assert after.functions["outside"] is before.functions["outside"]
