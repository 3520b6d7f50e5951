"""Hand-made IR for tests that do not need the front end."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Binary, Call, Const, Expr, Keyword, LaunchOptions, ListExpr, Op, Submit, Var
from pto_lsp.analysis.ir.place import Anchor, LineStart, SourceId
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.statements import Assign, Carry, For, LoopKind, Return, Stmt, Unpack
from pto_lsp.analysis.ir.types import INDEX, TensorType, Type

AT = Anchor(SourceId("t.py", "P", 0), LineStart(0))


def tensor_type(*shape: int, dtype: str = "FP32") -> TensorType:
    return TensorType(tuple(Const(extent) for extent in shape), dtype)


T = tensor_type(64, 64)
W = tensor_type(512, 64)


def param(name: str, type_: Type, direction: Direction = Direction.IN) -> Param:
    return Param(name, type_, direction, AT)


def function(key: str, kind: FunctionKind, params: list[Param], *body: Stmt) -> Function:
    return Function(key, key, kind, tuple(params), (), body, AT)


def var(name: str, type_: Type = INDEX) -> Var:
    return Var(name, name.partition(".")[0], type_)


def tensor(name: str, type_: Type = T) -> Var:
    return var(name, type_)


def expr(value: Expr | int) -> Expr:
    return Const(value) if isinstance(value, int) else value


def times(left: Expr | int, right: Expr | int) -> Expr:
    return Binary("*", expr(left), expr(right))


def plus(left: Expr | int, right: Expr | int) -> Expr:
    return Binary("+", expr(left), expr(right))


def items(*values: Expr | int) -> ListExpr:
    return ListExpr(tuple(expr(value) for value in values))


def slice_(source: Var, size: list[int], offset: list[Expr | int]) -> Op:
    return Op("tensor.slice", (source, items(*size), items(*offset)), (), tensor_type(*size))


def create(*shape: Expr | int) -> Op:
    return Op("tensor.create", (items(*shape),), (Keyword("dtype", Const("FP32")),))


def call(callee: str, *args: Expr | int, no_dep: tuple[int, ...] = ()) -> Call:
    return Call(callee, tuple(expr(arg) for arg in args), no_dep=no_dep)


def submit(callee: str, *args: Expr | int, deps: tuple[Expr, ...] | None = None) -> Submit:
    return Submit(callee, tuple(expr(arg) for arg in args), options=LaunchOptions(deps=deps))


def let(target: Var | str, value: Expr | int) -> Assign:
    return Assign(var(target) if isinstance(target, str) else target, expr(value), AT)


def unpack(value: Expr, *targets: Var) -> Unpack:
    return Unpack(targets, value, AT)


def loop(index: str, stop: Expr | int, *body: Stmt, start: int = 0, carries: tuple[Carry, ...] = ()) -> For:
    return For(LoopKind.RANGE, var(index), Const(start), expr(stop), Const(1), body, AT, carries=carries)


def give(*values: Expr) -> Return:
    return Return(values, AT)


def carry(inner: str, init: Expr, update: Expr, result: str, type_: Type = T) -> Carry:
    return Carry(var(inner, type_), init, update, var(result, type_))


KERNELS = [
    function("bump", FunctionKind.INCORE, [param("a", T), param("c", T, Direction.INOUT)], give(tensor("c"))),
    function(
        "shift",
        FunctionKind.INCORE,
        [param("a", T), param("c", T, Direction.INOUT), param("off", INDEX)],
        give(tensor("c")),
    ),
    function("fill", FunctionKind.INCORE, [param("a", T), param("r", T, Direction.OUT)], give(tensor("r"))),
]


def graph(params: list[Param], *body: Stmt) -> Function:
    return function("layer", FunctionKind.GRAPH, params, *body)


def main(params: list[Param], *body: Stmt) -> Function:
    return function("main", FunctionKind.ORCHESTRATION, params, *body)


def program(*functions: Function, entry: str = "main") -> Program:
    return Program({f.key: f for f in (*KERNELS, *functions)}, entry)
