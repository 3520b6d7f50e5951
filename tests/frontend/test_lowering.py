"""What each form of the DSL becomes in the IR (surface.md §5-§9)."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.ir.expression_printer import print_expr
from pto_lsp.analysis.ir.expressions import Binary, Call, Const, Op, Submit, Symbol, Unknown, Var
from pto_lsp.analysis.ir.program import Direction, FunctionKind
from pto_lsp.analysis.ir.statements import (
    Assign,
    Evaluate,
    For,
    GraphScope,
    If,
    LoopKind,
    Region,
    RegionKind,
    Return,
    Scope,
    ScopeMode,
    Unpack,
    While,
)
from pto_lsp.analysis.ir.types import ArrayType, ScalarType, TensorType
from tests.support.worlds import MemoryWorld, world

T = "pl.Tensor[[128, 64], pl.FP32]"


def body_of(statements: str, extra: str = "", params: str = "") -> tuple:
    """Statements of a ``@pl.jit`` function with tensors x and y, a scalar n and a bool b."""
    indented = "\n".join("    " + line for line in statements.strip("\n").splitlines())
    source = f"""
{extra}
@pl.jit
def main(x: {T}, y: pl.InOut[{T}], n: pl.Scalar[pl.INDEX], b: pl.Scalar[pl.BOOL]{params}):
{indented}
"""
    lowered = world(source).lowered("main.py", "main")
    assert lowered.findings == ()
    assert lowered.lowered.function.complete
    assert lowered.lowered.function.body is not None
    return lowered.lowered.function.body


def value(statements: str, extra: str = "", params: str = "") -> object:
    last = body_of(statements, extra, params)[-1]
    assert isinstance(last, (Assign, Evaluate, Unpack))
    return last.value


@pytest.mark.parametrize(
    ("decorator", "kind"),
    [
        ("@pl.jit", FunctionKind.ORCHESTRATION),
        ("@pl.jit(auto_scope=False)", FunctionKind.ORCHESTRATION),
        ("@pl.jit.host", FunctionKind.HOST),
        ("@pl.jit.incore", FunctionKind.INCORE),
        ("@pl.jit.inline", FunctionKind.INLINE),
        ("@pl.jit.opaque", FunctionKind.OPAQUE),
        ("@pl.jit.graph", FunctionKind.GRAPH),
        ('@pl.jit.extern(core_type="aic", source="k.cpp")', FunctionKind.AIC),
        ('@pl.jit.extern(core_type="mixed", aic_source="a", aiv_source="b")', FunctionKind.GROUP),
        ("@pl.inline", FunctionKind.INLINE),
        ("@pl.function", FunctionKind.OPAQUE),
        ("@pl.function(type=pl.FunctionType.Graph)", FunctionKind.GRAPH),
        ("@pl.function(type=pl.FunctionType.AIV)", FunctionKind.AIV),
        ("@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)", FunctionKind.HOST),
    ],
)
def test_decorators_name_the_kind(decorator: str, kind: FunctionKind) -> None:
    function = world(f"{decorator}\ndef f(x: {T}):\n    return x\n").lowered("main.py", "f").lowered.function
    assert function.kind is kind


def test_decorators_of_other_libraries_are_not_ours() -> None:
    found = world("import numba\n\n@numba.jit\ndef f(x):\n    x += 1\n    return x\n")
    module = found.module("main.py")
    assert module is not None
    assert module.syntax.functions == ()


def test_annotations_give_types_and_directions() -> None:
    source = """
    M = pl.dynamic("M")
    ROWS = 32
    ALIAS = pl.Tensor[[ROWS, 8], pl.BF16]

    @pl.jit
    def f(
        a: pl.Tensor[[M, ROWS * 2], pl.FP32],
        o: pl.Out["pl.Tensor[[4], pl.INT32]"],
        io: pl.InOut[pl.Tensor],
        s: pl.Scalar[pl.INT32],
        d: pl.INDEX,
        t: pl.TaskId,
        ids: pl.Array[4, pl.TASK_ID],
        alias: ALIAS,
    ):
        return a
    """
    params = world(source).lowered("main.py", "f").lowered.function.params
    by_name = {p.name: p for p in params}
    a = by_name["a"].type
    assert isinstance(a, TensorType) and a.shape is not None
    assert isinstance(a.shape[0], Symbol) and a.shape[0].name == "M"
    assert isinstance(a.shape[1], Const) and a.shape[1].value == 64
    assert by_name["o"].direction is Direction.OUT
    assert by_name["io"].direction is Direction.INOUT
    assert isinstance(by_name["io"].type, TensorType) and by_name["io"].type.shape is None
    assert isinstance(by_name["s"].type, ScalarType) and by_name["s"].type.dtype == "INT32"
    assert isinstance(by_name["d"].type, ScalarType) and by_name["d"].type.dtype == "INDEX"
    assert isinstance(by_name["t"].type, ScalarType) and by_name["t"].type.is_task_id
    assert isinstance(by_name["ids"].type, ArrayType) and by_name["ids"].type.extent == 4
    alias = by_name["alias"].type
    assert isinstance(alias, TensorType) and alias.dtype == "BF16"


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("n * 128 + 1", "n * 128 + 1"),
        ("-n", "-n"),
        ("n // 2 % 3", "n // 2 % 3"),
        ("pl.min(n, 7)", "pl.min(n, 7)"),
        ("pl.cast(n, pl.INT32)", "pl.cast(n, pl.INT32)"),
        ("pl.cast(n, target_type=pl.INT32)", "pl.cast(n, pl.INT32)"),
        ("n > 3", "n > 3"),
        ("not b and n == 1", "not b and n == 1"),
        ("SIZE * 2", "64"),
        ("SIZE // 3 + 2 ** 3", "18"),
        ("x.shape[0]", "128"),
        ("pl.tensor.dim(x, -1)", "pl.tensor.dim(x, 1)"),
        ("pl.tensor.read(x, [0, n])", "pl.read(x, [0, n])"),
        ("pl.slice(x, shape=[8, 8], offset=[n, 0])", "pl.slice(x, [8, 8], [n, 0])"),
        ("pl.create_tensor([SIZE, 4], dtype=pl.FP32)", "pl.create_tensor([32, 4], dtype=pl.FP32)"),
    ],
)
def test_expressions(written: str, printed: str) -> None:
    found = value(f"v = {written}", "SIZE = 16 * 2")
    assert print_expr(found) == printed  # type: ignore[arg-type]


def test_a_slice_by_subscript_has_constant_extents() -> None:
    found = value("v = x[n * 16 : (n + 1) * 16, 8:]")
    assert isinstance(found, Op) and found.name == "tensor.slice"
    assert isinstance(found.type, TensorType)
    assert [getattr(e, "value", None) for e in found.type.shape or ()] == [16, 56]


def test_a_scalar_index_drops_its_dimension() -> None:
    found = value("v = x[n]")
    assert isinstance(found, Op) and found.name == "tensor.slice"
    assert isinstance(found.type, TensorType)
    assert [getattr(e, "value", None) for e in found.type.shape or ()] == [64]


def test_a_full_index_is_a_host_read() -> None:
    found = value("v = x[n, 0]")
    assert isinstance(found, Op) and found.name == "tensor.read"
    assert isinstance(found.type, ScalarType) and found.type.dtype == "FP32"


def test_a_subscript_assignment_rebinds_the_tensor() -> None:
    (region,) = body_of('with pl.at(level=pl.Level.CORE_GROUP, name_hint="k"):\n    y[0:8, :] = pl.add(x[0:8, :], 1.0)')
    assert isinstance(region, Region) and region.kind is RegionKind.AT and region.options.name_hint == "k"
    (assign,) = region.body
    assert isinstance(assign, Assign) and assign.target.label == "y"
    assert isinstance(assign.value, Op) and assign.value.name == "tensor.assemble" and assign.value.sugar


@pytest.mark.parametrize("kind", [LoopKind.RANGE, LoopKind.PARALLEL, LoopKind.UNROLL])
def test_loops(kind: LoopKind) -> None:
    (loop,) = body_of(f"for i in pl.{kind.value}(1, n, 2):\n    v = i")
    assert isinstance(loop, For) and loop.kind is kind
    assert isinstance(loop.start, Const) and isinstance(loop.stop, Var) and isinstance(loop.step, Const)


def test_the_carried_form_of_a_loop() -> None:
    (loop,) = body_of("for i, (a,) in pl.range(4, init_values=(n,)):\n    v = a + 1\n    r = pl.yield_(v)")
    assert isinstance(loop, For)
    (carry,) = loop.carries
    assert (carry.inner.label, carry.result.label) == ("a", "r")
    assert isinstance(carry.update, Var) and carry.update.label == "v"


def test_a_while_in_both_spellings() -> None:
    (plain,) = body_of("while n > 0:\n    v = n")
    assert isinstance(plain, While) and isinstance(plain.condition, Binary)
    (called,) = body_of(
        "for (a,) in pl.while_(init_values=(n,)):\n    pl.cond(a > 0)\n    v = a - 1\n    r = pl.yield_(v)"
    )
    assert isinstance(called, While) and isinstance(called.condition, Binary) and len(called.carries) == 1


def test_if_chains_nest_and_yields_become_phis() -> None:
    (branch,) = body_of("if n > 1:\n    v = 1\nelif n > 0:\n    v = 2\nelse:\n    v = 3")
    assert isinstance(branch, If) and len(branch.orelse) == 1 and isinstance(branch.orelse[0], If)
    (yielded,) = body_of("if n > 1:\n    r = pl.yield_(n)\nelse:\n    r = pl.yield_(n + 1)")
    assert isinstance(yielded, If) and [p.result.label for p in yielded.phis] == ["r"]


def test_regions() -> None:
    (spmd,) = body_of('for i in pl.spmd(8, name_hint="mm", allow_early_resolve=True):\n    v = i')
    assert isinstance(spmd, Region) and spmd.kind is RegionKind.SPMD and spmd.index is not None
    assert spmd.options.allow_early_resolve is True
    (task,) = body_of("with pl.spmd(n, deps=[]) as tid:\n    v = pl.tile.get_block_idx()")
    assert isinstance(task, Region) and task.task_id is not None and task.options.deps == ()
    (scope,) = body_of("with pl.manual_scope():\n    v = n")
    assert isinstance(scope, Scope) and scope.mode is ScopeMode.MANUAL
    (graph,) = body_of('with pl.graph("block"):\n    v = n')
    assert isinstance(graph, GraphScope) and graph.name == "block"
    (level,) = body_of("with pl.at(level=pl.Level.HOST):\n    v = n")
    assert isinstance(level, Region) and level.kind is RegionKind.HIERARCHY
    (typing,) = body_of("with pl.at(level=pl.Level.HOS):\n    v = n")
    assert isinstance(typing, Region) and typing.kind is RegionKind.AT


def test_deps_comprehensions_are_unrolled() -> None:
    body = body_of(
        "ids = pl.array.create(3, pl.TASK_ID)\n"
        "bar = pl.system.task_dummy(deps=[ids[i] for i in range(3) if i != 1])\n"
        "with pl.at(level=pl.Level.CORE_GROUP, deps=[ids]):\n"
        "    y[:, :] = x[:, :]"
    )
    dummy, region = body[1].value, body[2]
    assert isinstance(dummy, Op)
    assert print_expr(dummy.keywords[0].value) == "[ids[0], ids[2]]"
    assert isinstance(region, Region) and region.options.deps is not None and len(region.options.deps) == 1


PROGRAM = f"""
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, a: {T}, o: pl.Out[{T}]) -> {T}:
        t = pl.load(a, [0, 0], [128, 64])
        o = pl.store(t, [0, 0], o)
        return o

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: {T}, o: pl.Out[{T}]):
        o = self.k(a, o)
        o, t = pl.submit(self.k, a, o, deps=[None])
        r, u = pl.submit(self.k, pl.no_dep(a), deps=[t])
        return o
"""


def test_launches_of_the_class_style() -> None:
    function = world(PROGRAM).lowered("main.py", "P.main").lowered.function
    assert function.method and [p.name for p in function.params] == ["a", "o"]
    call, submit, omitted, returned = function.body or ()
    assert isinstance(call, Assign) and isinstance(call.value, Call) and call.value.callee == "k"
    assert isinstance(submit, Unpack) and isinstance(submit.value, Submit)
    assert submit.value.options.deps is not None and len(submit.value.options.deps) == 1
    assert isinstance(submit.targets[1].type, ScalarType) and submit.targets[1].type.is_task_id
    assert isinstance(omitted, Unpack) and isinstance(omitted.value, Submit)
    assert omitted.value.no_dep == (0,) and len(omitted.value.args) == 1
    assert isinstance(returned, Return)


def test_helpers_and_kernels_of_other_modules() -> None:
    kernels = """
    from sizes import ROWS

    @pl.jit.inline
    def helper(a: pl.Tensor[[ROWS, 64], pl.FP32], o: pl.Tensor[[ROWS, 64], pl.FP32]):
        with pl.at(level=pl.Level.CORE_GROUP):
            o[:, :] = a[:, :]
        return o
    """
    source = f"""
    from kernels import helper

    @pl.jit
    def main(x: {T}, y: pl.InOut[{T}]):
        y = helper(x, o=y)
        return y
    """
    found = world(source, kernels=kernels, sizes="ROWS = 64 * 2")
    program = found.program("main.py", "main")
    assert sorted(program.functions) == ["helper", "main"]
    shape = program.functions["helper"].params[0].type
    assert isinstance(shape, TensorType) and shape.shape is not None
    assert isinstance(shape.shape[0], Const) and shape.shape[0].value == 128


def test_two_functions_of_one_name_get_two_keys() -> None:
    kernel = f"@pl.jit.inline\ndef inner(x: {T}):\n    return x\n"
    wrapper = f"from {{}} import inner\n\n@pl.jit.inline\ndef {{}}(x: {T}):\n    x = inner(x)\n    return x\n"
    source = f"""
    from one import first
    from two import second

    @pl.jit
    def main(x: {T}):
        x = first(x)
        x = second(x)
        return x
    """
    found = world(
        source, a=kernel, b=kernel, one=wrapper.format("a", "first"), two=wrapper.format("b", "second")
    ).program("main.py", "main")
    assert sorted(found.functions) == ["first", "inner", "inner~2", "main", "second"]
    second = found.functions["second"].body
    assert second is not None and isinstance(second[0], Assign) and isinstance(second[0].value, Call)
    assert second[0].value.callee == "inner~2"


def test_a_dynamic_extent_is_a_symbol() -> None:
    found = value('M = pl.dynamic("M")\nx.bind_dynamic(0, M)\nv = pl.tensor.dim(x, 0)')
    assert isinstance(found, Symbol) and found.name == "M"


def test_unknown_things_are_silent() -> None:
    assert isinstance(value("v = unknown_thing(x)", "from somewhere import unknown_thing"), Unknown)
    assert isinstance(value("v = pl.some_future_op(x, 3)"), Op)
    assert isinstance(value("v = mystery * n", "from somewhere import mystery"), Binary)


def test_an_unchanged_function_is_lowered_once() -> None:
    source = f"""
    SIZE = 16

    @pl.jit
    def first(x: {T}):
        v = x[0:SIZE, :]
        return x

    @pl.jit
    def second(x: {T}):
        return x
    """
    found: MemoryWorld = world(source)
    first, second = found.lowered("main.py", "first"), found.lowered("main.py", "second")
    module = found.module("main.py")
    assert module is not None
    text = module.document.text
    found.edit("main.py", text.index("return x"), text.index("return x"), "w = SIZE\n        ")
    assert found.lowered("main.py", "first") is not first
    assert found.lowered("main.py", "second") is second
    first = found.lowered("main.py", "first")
    at = module.document.text.index("16")
    found.edit("main.py", at, at + 2, "32")
    assert found.lowered("main.py", "first") is not first
    assert found.lowered("main.py", "second") is second


def test_a_yield_inside_a_scope_ends_the_loop() -> None:
    (loop,) = body_of(
        "for i, (a,) in pl.range(4, init_values=(n,)):\n"
        "    with pl.scope():\n        v = a + 1\n        r = pl.yield_(v * 2)"
    )
    assert isinstance(loop, For)
    (carry,) = loop.carries
    assert isinstance(carry.update, Var) and carry.update.label == "r"
    (scope,) = loop.body
    assert isinstance(scope, Scope)
    last = scope.body[-1]
    assert isinstance(last, Assign) and print_expr(last.value) == "v * 2"
