from __future__ import annotations

import textwrap

import pytest

from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.program import Param, Program
from pto_lsp.analysis.ir.statements import Assign, Evaluate, For, If, Unpack
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.passes import convert_to_ssa
from pto_lsp.analysis.passes.derive_call_directions import ArgumentDirection, CallDirection, Reason, call_directions
from tests.passes.build import program

K = """
@incore
def put(a: T, o: Out[T]) -> T:
    return o

@incore
def bump(a: T, o: InOut[T]) -> T:
    return o

@incore
def shift(a: T, o: Out[T], n: Index) -> T:
    return o

"""


def derived(body: str, params: str = "x: T, s: Out[T], y: InOut[T], n: Index") -> list[ArgumentDirection]:
    """Direction of the written argument of every launch, in source order."""
    return [entries[1] for entries in launches(body, params)]


def launches(body: str, params: str = "x: T, s: Out[T], y: InOut[T], n: Index") -> list[tuple[ArgumentDirection, ...]]:
    indented = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    p: Program = convert_to_ssa.run(program(f"{K}def main({params}) -> T:\n{indented}\n    return y\n"))
    function = p.functions["main"]
    found = call_directions(p, function)
    assert function.body is not None
    return [
        found[stmt.value]
        for stmt in walk_block(function.body)
        if isinstance(stmt, (Assign, Unpack, Evaluate)) and isinstance(stmt.value, (Call, Submit))
    ]


def shown(body: str) -> list[str]:
    return [f"{d.direction.value} {d.reason.value}" for d in derived(body)]


FIRST = "output_existing first write"
PRIOR = "inout R-prior"
SEQ = "inout R-seq"
ENCLOSING = "inout R-enclosing"
DECLARED = "inout declared"
AMBIGUOUS = "inout ambiguous"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s = put(x, s)\ns = put(x, s)", [FIRST, PRIOR]),
        ("put(x, s)\nput(x, s)", [FIRST, PRIOR]),
        ("s = bump(x, s)\ns = put(x, s)", [DECLARED, PRIOR]),
        ("y = put(x, y)", [ENCLOSING]),
        ("t = pl.create_tensor([64, 64])\nt = put(x, t)\nt = put(x, t)", [FIRST, PRIOR]),
        # Slices are roots of their own, reshaped tensors have none (2.15, 2.16).
        ("v = pl.slice(s, [8, 8], [0, 0])\nv = put(x, v)\nw = pl.slice(s, [8, 8], [0, 0])\nput(x, w)", [FIRST, FIRST]),
        ("s = put(x, s)\nr = pl.reshape(s, [4096])\nput(x, r)", [FIRST, FIRST]),
        ("s[0:8, :] = x\ns = put(x, s)\ns[0:8, :] = x\nput(x, s)", [FIRST, PRIOR]),
        # Loops and branches (2.11-2.14).
        ("for i in pl.range(4):\n    s = put(x, s)", [SEQ]),
        ("for i in pl.pipeline(4):\n    put(x, s)", [SEQ]),
        ("for i in pl.parallel(4):\n    s = put(x, s)", [FIRST]),
        ("for i in pl.parallel(4):\n    put(x, s)\nfor j in pl.parallel(4):\n    put(x, s)", [FIRST, PRIOR]),
        ("for i in pl.parallel(4):\n    for j in pl.range(2):\n        put(x, s)", [SEQ]),
        ("for i in pl.range(4):\n    for j in pl.parallel(2):\n        put(x, s)", [SEQ]),
        ("while n > 0:\n    put(x, s)", [SEQ]),
        ("if n > 0:\n    put(x, s)\nelse:\n    put(x, s)\nput(x, s)", [FIRST, FIRST, PRIOR]),
        ("if n > 0:\n    put(x, s)\n    put(x, s)", [FIRST, PRIOR]),
        ("with pl.manual_scope():\n    put(x, s)\nput(x, s)", [FIRST, PRIOR]),
        # Which buffer it is depends on the path.
        ("if n > 0:\n    s = y\nput(x, s)", [AMBIGUOUS]),
        ("for i in pl.range(n):\n    s = y\nput(x, s)", [AMBIGUOUS]),
        ("for i in pl.range(2):\n    s = y\nput(x, s)", [ENCLOSING]),
        # Results stand for the argument they came from.
        ("t = put(x, s)\nu = t\nput(x, u)", [FIRST, PRIOR]),
        ("t, i = pl.submit(put, x, s)\nput(x, t)", [FIRST, PRIOR]),
    ],
)
def test_out_arguments(body: str, expected: list[str]) -> None:
    assert shown(body) == expected


def test_scalars_inputs_and_opt_outs() -> None:
    (entries,) = launches("s = shift(pl.no_dep(x), s, n * 2)")
    assert [e.direction for e in entries] == [
        CallDirection.NO_DEP,
        CallDirection.OUTPUT_EXISTING,
        CallDirection.SCALAR,
    ]
    assert entries[0].reason is Reason.OPTED_OUT and entries[0].derived is CallDirection.INPUT


def test_omitted_output_is_made_by_the_runtime() -> None:
    (entries,) = launches("r, t = pl.submit(put, x)")
    assert [e.direction for e in entries] == [CallDirection.INPUT, CallDirection.OUTPUT]
    assert entries[1].reason is Reason.OMITTED


def test_causes() -> None:
    loop = derived("for i in pl.range(4):\n    for j in pl.range(2):\n        put(x, s)")[0].cause
    assert isinstance(loop, For) and loop.var.label == "j"
    unit = derived("for i in pl.parallel(4):\n    put(x, s)\nput(x, s)")[1].cause
    assert isinstance(unit, For) and unit.var.label == "i"
    branch = derived("if n > 0:\n    put(x, s)\nput(x, s)")[1].cause
    assert isinstance(branch, If)
    earlier = derived("s = put(x, s)\ns = put(x, s)")[1].cause
    assert isinstance(earlier, Assign) and earlier.target.name == "s.1"
    owner = derived("y = put(x, y)")[0].cause
    assert isinstance(owner, Param) and owner.name == "y"


def test_unknown_callee_has_no_directions() -> None:
    p = convert_to_ssa.run(program(K + "def main(x: T, y: InOut[T]) -> T:\n    y = bump(x, y)\n    return y\n"))
    without = Program({"main": p.functions["main"]})
    assert call_directions(without, without.functions["main"]) == {}
