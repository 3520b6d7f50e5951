from __future__ import annotations

import textwrap

import pytest

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.program import FunctionKind, Program
from pto_lsp.analysis.passes import convert_to_ssa, flatten_call_expr, inline_functions, outline_graph_scopes
from tests.passes.build import program
from tests.passes.dump import dump, header

K = """
@incore
def bump(a: T, c: InOut[T]) -> T:
    return c

@incore
def fill(a: T, c: Out[T]) -> T:
    return c

@incore
def shift(a: T, c: InOut[T], off: Index) -> T:
    return c

"""


def outlined(text: str, conformance: str = "extended") -> tuple[Program, tuple[Finding, ...]]:
    inlined, _ = inline_functions.run(program(K + textwrap.dedent(text)))
    return outline_graph_scopes.run(flatten_call_expr.run(convert_to_ssa.run(inlined)), conformance)


def graph(text: str, name: str = "block") -> tuple[str, list[str], list[str]]:
    """Header and body of the outlined Graph, and the body of ``main``."""
    result, findings = outlined(text)
    assert not findings
    return header(result.functions[name]), dump(result.functions[name]), dump(result.functions["main"])


def test_region_becomes_a_function_and_a_call() -> None:
    head, body, main = graph(
        """
        def main(a: T, c: InOut[T]) -> T:
            with pl.graph("block"):
                with pl.at():
                    x = pl.load(a, [0, 0], [64, 64])
                    y = pl.load(c, [0, 0], [64, 64])
                    c = pl.store(pl.add(x, y), [0, 0], c)
            return c
        """
    )
    assert head == "graph block(a: in, c: inout)"
    assert body[-1] == "return c"
    assert main == ["c.1 = block(a, c)", "return c.1"]


def test_parameters_in_order_of_first_read() -> None:
    head, body, main = graph(
        """
        def main(a: T, w: T, c: InOut[T], n: Index) -> T:
            for i in pl.range(4):
                with pl.graph("block"):
                    c = shift(w, c, i)
                    c = shift(a, c, n)
            return c
        """
    )
    assert head == "graph block(w: in, c: inout, i: in, a: in, n: in)"
    assert body == ["c.2 = shift(w, c, i)", "c.3 = shift(a, c.2, n)", "return c"]
    assert main[1] == "  c.3 = block(w, c.1, i, a, n)"


def test_results_in_order_of_definition() -> None:
    _, body, main = graph(
        """
        def main(a: T, c: InOut[T], d: InOut[T], n: Index) -> T:
            with pl.graph("block"):
                m = n * 2
                d = bump(a, d)
                c = shift(d, c, m)
                t = pl.create_tensor([64, 64])
                t = bump(a, t)
            bump(t, c)
            d = shift(a, d, m)
            return c, d
        """
    )
    assert body[-1] == "return m, d, c, t.1"
    assert main[0] == "m, d.1, c.1, t.1 = block(n, a, d, c)"


def test_loop_carried_values_are_boundary_values() -> None:
    head, body, _ = graph(
        """
        def main(a: T, c: InOut[T], n: Index) -> T:
            with pl.graph("block"):
                for i in pl.range(4):
                    c = shift(a, c, i)
            return c
        """
    )
    assert head == "graph block(c: inout, a: in)"
    assert body[-1] == "return c"


@pytest.mark.parametrize(
    ("body", "direction"),
    [
        ("bump(c, d)", "in"),
        ("fill(a, c)", "inout"),
        ("x = fill(a, c)\nbump(x, d)", "inout"),
        ("with pl.at():\n    c[0:8, :] = a[0:8, :]", "inout"),
        ("with pl.at(predicate=c[0, 0] > 0):\n    d[0:8, :] = a[0:8, :]", "in"),
        ("x, t = pl.submit(bump, a, d, predicate=c[0, 0] > 0)", "in"),
        ("for i in pl.range(4):\n    with pl.at():\n        c[i:64, :] = a[i:64, :]", "inout"),
        ("v = pl.slice(c, [8, 8], [0, 0])\nfill(a, v)", "inout"),
    ],
)
def test_directions(body: str, direction: str) -> None:
    head = 'def main(a: T, c: InOut[T], d: InOut[T]) -> T:\n    with pl.graph("block"):\n'
    result, _ = outlined(head + textwrap.indent(body, " " * 8) + "\n    return d\n")
    params = {p.name: p.direction.value for p in result.functions["block"].params}
    assert params["c"] == direction


def test_write_only_capture_in_both_conformances() -> None:
    text = """
        def main(a: T, c: InOut[T]) -> T:
            with pl.graph("block"):
                c = fill(a, c)
            return c
        """
    assert header(outlined(text)[0].functions["block"]) == "graph block(a: in, c: inout)"
    assert header(outlined(text, "reference")[0].functions["block"]) == "graph block(a: in, c: out)"


def test_kind_of_the_parent_stays() -> None:
    result, _ = outlined(
        """
        @opaque
        def main(a: T, c: InOut[T]) -> T:
            with pl.graph("block"):
                c = bump(a, c)
            return c
        """
    )
    assert result.functions["main"].kind is FunctionKind.OPAQUE
    made = result.functions["block"]
    assert made.kind is FunctionKind.GRAPH and made.generated and made.name == "block"


def names(text: str) -> tuple[set[str], list[tuple[str, str]]]:
    result, findings = outlined(text)
    return set(result.functions) - {"bump", "fill", "shift"}, [(f.code, f.subject) for f in findings]


def test_names_that_are_taken() -> None:
    region = '    with pl.graph("{}"):\n        c = bump(a, c)\n'
    twice = "def main(a: T, c: InOut[T]) -> T:\n" + region.format("x") * 3 + "    return c\n"
    assert names(twice) == ({"main", "x", "x_0", "x_1"}, [("PTO505", "x"), ("PTO505", "x")])
    local = "def main(a: T, c: InOut[T]) -> T:\n    y = a\n" + region.format("y") + "    return y\n"
    assert names(local) == ({"main", "y_0"}, [("PTO505", "y")])
    function = "def main(a: T, c: InOut[T]) -> T:\n" + region.format("fill") + "    return c\n"
    assert names(function) == ({"main", "main_fill"}, [("PTO505", "fill")])
    other = "".join([f"def {f}(a: T, c: InOut[T]) -> T:\n{region.format('z')}    return c\n" for f in ("f", "g")])
    assert names(other) == ({"f", "g", "z", "g_z"}, [("PTO505", "z")])


def test_nested_by_inlining() -> None:
    result, findings = outlined(
        """
        @inline
        def helper(x: T, y: T) -> T:
            with pl.graph("inner"):
                z = bump(x, y)
            return z

        def main(a: T, c: InOut[T]) -> T:
            with pl.graph("outer"):
                c = helper(a, c)
            return c
        """
    )
    assert [(f.code, f.subject, f.function) for f in findings] == [("PTO504", "inner", "main")]
    assert "'outer'" in findings[0].message
    assert "inner" not in result.functions
    assert dump(result.functions["outer"])[0] == "z@helper = bump(a, c)"


def test_spliced_into_a_graph_or_a_kernel() -> None:
    helper = '@inline\ndef h(x: T, y: T) -> T:\n    with pl.graph("g"):\n        z = bump(x, y)\n    return z\n\n'
    for kind, code in (("graph", "PTO504"), ("incore", "PTO503")):
        _, findings = outlined(helper + f"@{kind}\ndef main(a: T, c: InOut[T]) -> T:\n    c = h(a, c)\n    return c\n")
        assert [(f.code, f.subject, f.function) for f in findings] == [(code, "g", "main")]


def test_program_without_regions_is_unchanged() -> None:
    p = convert_to_ssa.run(program(K + "def main(a: T, c: InOut[T]) -> T:\n    c = bump(a, c)\n    return c\n"))
    result, findings = outline_graph_scopes.run(p)
    assert not findings
    assert all(result.functions[key] is p.functions[key] for key in p.functions)


def test_two_versions_of_one_name() -> None:
    head, body, main = graph(
        """
        def main(a: T, c: InOut[T], p: Index) -> T:
            d = c
            p2 = p
            p = p + 1
            with pl.graph("block"):
                c = shift(a, c, p)
                c = shift(a, c, p2)
            return c, d
        """
    )
    assert head == "graph block(a: in, c: inout, p: in, p2: in)"
    assert body[:2] == ["c.1 = shift(a, c, p)", "c.2 = shift(a, c.1, p2)"]
    assert main[-2:] == ["c.2 = block(a, c, p.1, p2)", "return c.2, d"]
