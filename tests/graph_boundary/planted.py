"""Faults planted into legalized IR, each with the rule that the verifier has to name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pto_lsp.analysis.ir.expressions import Binary, Call, Const, LaunchOptions, ListExpr, Op, Submit, Var
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, For, If, Return, Stmt, Unpack, While
from pto_lsp.analysis.ir.types import INDEX, ArrayType, TensorType
from pto_lsp.analysis.ir.visitor import blocks, with_blocks


def with_graph(program: Program, change: Callable[[Function], Function], name: str = "layer") -> Program:
    functions = dict(program.functions)
    functions[name] = change(functions[name])
    return program.with_functions(functions)


def with_body(program: Program, change: Callable[[Stmt], tuple[Stmt, ...]], name: str = "layer") -> Program:
    """Every statement of a function replaced, innermost first."""

    def block(stmts: Block) -> Block:
        result: list[Stmt] = []
        for stmt in stmts:
            inner = with_blocks(stmt, tuple(block(b) for b in blocks(stmt))) if blocks(stmt) else stmt
            result.extend(change(inner))
        return tuple(result)

    return with_graph(program, lambda f: replace(f, body=block(f.body or ())), name)


def launch(stmt: Stmt, callee: str) -> Call | Submit | None:
    value = stmt.value if isinstance(stmt, (Assign, Unpack, Evaluate)) else None
    return value if isinstance(value, (Call, Submit)) and value.callee == callee else None


def relaunched(callee: str, change: Callable[[Call | Submit], Call | Submit]) -> Callable[[Stmt], tuple[Stmt, ...]]:
    def apply(stmt: Stmt) -> tuple[Stmt, ...]:
        value = launch(stmt, callee)
        if value is None:
            return (stmt,)
        assert isinstance(stmt, (Assign, Unpack, Evaluate))
        return (replace(stmt, value=change(value)),)

    return apply


def plus_one(call: Call | Submit) -> Call | Submit:
    return replace(call, args=(*call.args[:2], Binary("+", call.args[2], Const(1))))


def out_of_range_loop(stmt: Stmt) -> tuple[Stmt, ...]:
    return (replace(stmt, stop=Var("idx", "idx", INDEX)),) if isinstance(stmt, For) else (stmt,)


def in_branch(stmt: Stmt) -> tuple[Stmt, ...]:
    if isinstance(stmt, For):
        return (If(Binary(">", Var("idx", "idx", INDEX), Const(0)), (stmt,), (), stmt.at),)
    return (stmt,)


def in_while(stmt: Stmt) -> tuple[Stmt, ...]:
    return (While(Const(True), (stmt,), stmt.at),) if isinstance(stmt, For) else (stmt,)


def longer_loop(stmt: Stmt) -> tuple[Stmt, ...]:
    return (replace(stmt, stop=Const(2000)),) if isinstance(stmt, For) else (stmt,)


def without_tasks(stmt: Stmt) -> tuple[Stmt, ...]:
    return () if isinstance(stmt, For) or launch(stmt, "mix") or launch(stmt, "bump") else (stmt,)


def moved_window(stmt: Stmt) -> tuple[Stmt, ...]:
    """The view left in place takes its offset from a boundary scalar."""
    if isinstance(stmt, Assign) and isinstance(stmt.value, Op) and stmt.value.name == "tensor.slice":
        offset = ListExpr((Var("idx", "idx", INDEX), Const(0)))
        return (replace(stmt, value=replace(stmt.value, args=(*stmt.value.args[:2], offset))),)
    return (stmt,)


def growing_window(stmt: Stmt) -> tuple[Stmt, ...]:
    if isinstance(stmt, Assign) and isinstance(stmt.value, Op) and stmt.value.name == "tensor.slice":
        shape = (Var("idx", "idx", INDEX), Const(128))
        return (replace(stmt, value=replace(stmt.value, type=TensorType(shape, "FP32"))),)
    return (stmt,)


def before_return(op: Op) -> Callable[[Stmt], tuple[Stmt, ...]]:
    return lambda stmt: (bound(op, stmt.at), stmt) if isinstance(stmt, Return) else (stmt,)


def many(function: Function, count: int, like: str) -> Function:
    model = next(p for p in function.params if p.name == like)
    return replace(function, params=(*function.params, *(replace(model, name=f"x{i}") for i in range(count))))


def nested_graph(program: Program) -> Program:
    inner = replace(program.functions["bump"], key="inner", name="inner", kind=FunctionKind.GRAPH)
    functions = {**program.functions, "inner": inner}
    changed = program.with_functions(functions)
    return with_body(changed, relaunched("bump", lambda call: replace(call, callee="inner")))


def from_kernel(program: Program) -> Program:
    return with_graph(program, lambda f: replace(f, kind=FunctionKind.INCORE), "main")


def with_options(options: LaunchOptions) -> Callable[[Call | Submit], Call | Submit]:
    return lambda call: replace(call, options=options)


TENSOR = TensorType((Const(128), Const(128)), "FP32")
FRESH = Var("z", "z", TENSOR)
SIZE = ListExpr((Var("idx", "idx", INDEX), Const(128)))


def bound(op: Op, at: Anchor) -> Assign:
    return Assign(FRESH, op, at)


def returning_local(stmt: Stmt) -> tuple[Stmt, ...]:
    if isinstance(stmt, Return):
        return (bound(Op("tensor.create", (), (), TENSOR), stmt.at), replace(stmt, values=(FRESH,)))
    return (stmt,)


def _redirected(param: Param, name: str, direction: Direction) -> Param:
    return replace(param, direction=direction) if param.name == name else param


PLANTED: dict[str, tuple[str, Callable[[Program], Program]]] = {
    "scalar parameter written": (
        "D1",
        lambda p: with_graph(
            p, lambda f: replace(f, params=tuple(_redirected(q, "idx", Direction.INOUT) for q in f.params))
        ),
    ),
    "tensor parameter out": (
        "D2",
        lambda p: with_graph(
            p, lambda f: replace(f, params=tuple(_redirected(q, "c", Direction.OUT) for q in f.params))
        ),
    ),
    "parameter of no kind": (
        "V2",
        lambda p: with_graph(
            p, lambda f: replace(f, params=(*f.params, Param("x", ArrayType(4, "INDEX"), Direction.IN, f.at)))
        ),
    ),
    "too many tensors": ("D5", lambda p: with_graph(p, lambda f: many(f, 130, "a"))),
    "too many scalars": ("D6", lambda p: with_graph(p, lambda f: many(f, 70, "idx"))),
    "local returned": (
        "D8",
        lambda p: with_body(p, returning_local),
    ),
    "tensor filled": ("F1", lambda p: with_body(p, before_return(Op("tensor.full", (), (), TENSOR)))),
    "run-time shape": ("F2", lambda p: with_body(p, before_return(Op("tensor.create", (SIZE,), (), TENSOR)))),
    "varying core count": (
        "L2",
        lambda p: with_body(p, relaunched("bump", with_options(LaunchOptions(core_num=Var("idx", "idx", INDEX))))),
    ),
    "window of a scalar": ("V7", lambda p: with_body(p, moved_window)),
    "extent of a scalar": ("V6", lambda p: with_body(p, growing_window)),
    "argument missing": ("V8", lambda p: with_body(p, relaunched("bump", lambda c: replace(c, args=c.args[:1])))),
    "argument too many": (
        "V8",
        lambda p: with_body(p, relaunched("bump", lambda c: replace(c, args=(*c.args, c.args[0])))),
    ),
    "scalar computed in place": ("V9", lambda p: with_body(p, relaunched("shift", plus_one))),
    "run-time loop": ("N2", lambda p: with_body(p, out_of_range_loop)),
    "branch": ("N4", lambda p: with_body(p, in_branch)),
    "while": ("N4", lambda p: with_body(p, in_while)),
    "no task": ("N7", lambda p: with_body(p, without_tasks)),
    "too many tasks": ("N8", lambda p: with_body(p, longer_loop)),
    "nested Graph": ("D7", nested_graph),
    "launched by a kernel": ("V13", from_kernel),
    "hoisted argument missing": (
        "C5",
        lambda p: with_body(p, relaunched("layer", lambda c: replace(c, args=c.args[:-1])), "main"),
    ),
    "launch with deps": (
        "C6",
        lambda p: with_body(p, relaunched("layer", with_options(LaunchOptions(deps=(Var("t", "t"),)))), "main"),
    ),
    "launch with predicate": (
        "C7",
        lambda p: with_body(p, relaunched("layer", with_options(LaunchOptions(predicate=Const(True)))), "main"),
    ),
}
