from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.analysis.ir.expression_printer import print_expr, print_type
from pto_lsp.analysis.ir.expressions import (
    Binary,
    Call,
    Cast,
    Const,
    DType,
    Enumerator,
    Expr,
    Item,
    Keyword,
    LaunchOptions,
    ListExpr,
    Op,
    Submit,
    Symbol,
    TupleExpr,
    Unary,
    Var,
)
from pto_lsp.analysis.ir.types import TASK_ID, ArrayType, ScalarType, TensorType, TupleType

A, X, Y = Var("a.3", "a"), Var("x", "x"), Var("y", "y")
W = Var("w", "w", TensorType((Const(512), Symbol("N")), "FP32"))


def c(value: int | float | str | bool | None) -> Const:
    return Const(value)


def b(op: str, left: Expr, right: Expr) -> Binary:
    return Binary(op, left, right)


def lst(*items: Expr) -> ListExpr:
    return ListExpr(items)


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (b("*", b("+", A, c(1)), c(128)), "(a + 1) * 128"),
        (b("+", A, b("*", c(1), c(128))), "a + 1 * 128"),
        (b("-", A, b("-", X, Y)), "a - (x - y)"),
        (b("-", b("-", A, X), Y), "a - x - y"),
        (b("**", b("**", A, X), Y), "(a ** x) ** y"),
        (b("**", A, b("**", X, Y)), "a ** x ** y"),
        (b("**", c(-2), A), "(-2) ** a"),
        (b("<", b("<", A, X), Y), "(a < x) < y"),
        (Unary("-", b("+", A, X)), "-(a + x)"),
        (Unary("not", b("and", A, X)), "not (a and x)"),
        (b("and", Unary("not", A), b("or", X, Y)), "not a and (x or y)"),
        (b("min", A, b("max", X, c(7))), "pl.min(a, pl.max(x, 7))"),
        (Cast(b("*", A, c(2)), "INT32"), "pl.cast(a * 2, pl.INT32)"),
        (Item(X, 1), "x[1]"),
        (TupleExpr((X,)), "(x,)"),
        (Enumerator("pl.Level.CORE_GROUP"), "pl.Level.CORE_GROUP"),
        (c('say "hi"'), '"say \\"hi\\""'),
        (Op("tensor.slice", (W, lst(c(64), c(64)), lst(b("*", A, c(64)), c(0)))), "pl.slice(w, [64, 64], [a * 64, 0])"),
        (
            Op("tensor.create", (lst(c(64), c(64)),), (Keyword("dtype", DType("FP32")),)),
            "pl.create_tensor([64, 64], dtype=pl.FP32)",
        ),
        (Op("tensor.dim", (W, c(0))), "pl.tensor.dim(w, 0)"),
        (Op("array.create", (c(4),), (Keyword("dtype", DType("TASK_ID")),)), "pl.array.create(4, pl.TASK_ID)"),
        (Op("pld.world_size", ()), "pld.world_size()"),
        (Op("add", (X, Y)), "pl.add(x, y)"),
        (Call("P.k", (X, Y), no_dep=(1,)), "k(x, pl.no_dep(y))"),
        (
            Submit("P.k", (X,), options=LaunchOptions(deps=(Y, c(None)), predicate=b(">", X, c(0)))),
            "pl.submit(k, x, deps=[y, None], predicate=(x > 0))",
        ),
    ],
)
def test_text(expr: Expr, text: str) -> None:
    assert print_expr(expr) == text


@pytest.mark.parametrize(
    ("size", "offset", "drop", "text"),
    [
        ((c(512), Symbol("N")), (c(0), c(0)), (), "w[:, :]"),
        ((c(64), c(64)), (c(16), c(0)), (), "w[16:80, :64]"),
        ((c(64), Symbol("N")), (b("*", A, c(64)), c(0)), (), "w[a * 64 : a * 64 + 64, :]"),
        ((b("-", X, A), c(8)), (A, c(0)), (), "w[a:x, :8]"),
        ((c(1), Symbol("N")), (A, c(0)), (c(0),), "w[a, :]"),
        ((X, c(8)), (A, c(0)), (), "pl.slice(w, [x, 8], [a, 0])"),
    ],
)
def test_subscripts(size: tuple[Expr, ...], offset: tuple[Expr, ...], drop: tuple[Expr, ...], text: str) -> None:
    keywords = (Keyword("drop", ListExpr(drop)),) if drop else ()
    assert print_expr(Op("tensor.slice", (W, ListExpr(size), ListExpr(offset)), keywords, sugar=True)) == text


def test_types() -> None:
    assert print_type(W.type) == "pl.Tensor[[512, N], pl.FP32]"
    assert print_type(ArrayType(4, "TASK_ID")) == "pl.Array[4, pl.TASK_ID]"
    assert print_type(TupleType((W.type, TASK_ID))) == "tuple[pl.Tensor[[512, N], pl.FP32], pl.Scalar[pl.TASK_ID]]"
    assert print_type(TensorType(None, "")) == "pl.Tensor"
    assert print_type(ScalarType("")) == ""


OPS = ["+", "-", "*", "//", "%", "**", "<<", "&", "|", "<", "==", "and", "or"]


def exprs() -> st.SearchStrategy[Expr]:
    leaves: st.SearchStrategy[Expr] = st.one_of(st.integers(-3, 3).map(c), st.sampled_from([X, Y]))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(b, st.sampled_from(OPS), inner, inner),
            st.builds(lambda op, e: Unary(op, e), st.sampled_from(["-", "not", "~"]), inner),
        ),
        max_leaves=8,
    )


def shape(expr: Expr) -> object:
    if isinstance(expr, Binary):
        return (expr.op, shape(expr.left), shape(expr.right))
    if isinstance(expr, Unary):
        return (expr.op, shape(expr.operand))
    if isinstance(expr, Const) and isinstance(expr.value, int) and expr.value < 0:
        return ("-", str(-expr.value))
    return print_expr(expr)


_AST = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<",
    ast.BitAnd: "&", ast.BitOr: "|", ast.Lt: "<", ast.Eq: "==", ast.And: "and", ast.Or: "or",
    ast.USub: "-", ast.Not: "not", ast.Invert: "~",
}  # fmt: skip


def parsed(tree: ast.expr) -> object:
    if isinstance(tree, ast.BinOp):
        return (_AST[type(tree.op)], parsed(tree.left), parsed(tree.right))
    if isinstance(tree, ast.BoolOp):
        # Python flattens a chain of one connective; it groups to the left.
        result = parsed(tree.values[0])
        for value in tree.values[1:]:
            result = (_AST[type(tree.op)], result, parsed(value))
        return result
    if isinstance(tree, ast.Compare):
        assert len(tree.ops) == 1
        return (_AST[type(tree.ops[0])], parsed(tree.left), parsed(tree.comparators[0]))
    if isinstance(tree, ast.UnaryOp):
        return (_AST[type(tree.op)], parsed(tree.operand))
    return ast.unparse(tree)


@settings(max_examples=200, deadline=None)
@given(exprs())
def test_python_reads_the_same_expression(expr: Expr) -> None:
    text = print_expr(expr)
    assert parsed(ast.parse(text, mode="eval").body) == shape(expr)
