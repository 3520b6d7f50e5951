"""Uses and bindings of names in a block, in the order in which the program comes across them."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.ir.expressions import Call, Const, Expr, LaunchOptions, Op, Submit, Var
from pto_lsp.analysis.ir.statements import Block, For, If, Region, Stmt, While
from pto_lsp.analysis.ir.types import TensorType, TupleType, Type
from pto_lsp.analysis.ir.visitor import blocks, bound_variables, children, option_exprs, statement_exprs, walk_block


def ordered_uses(block: Block) -> Iterator[Var]:
    """Every use of a variable, repeats included: a statement before its body, what is handed on at the body's end."""
    for stmt in block:
        yield from statement_uses(stmt)


def statement_uses(stmt: Stmt) -> Iterator[Var]:
    """Every use of a variable in a statement and its bodies."""
    if isinstance(stmt, (For, While)):
        for expr in statement_exprs(stmt):
            yield from expression_uses(expr)
        yield from ordered_uses(stmt.body)
        for carry in stmt.carries:
            yield from expression_uses(carry.update)
        return
    if isinstance(stmt, If):
        yield from expression_uses(stmt.condition)
        yield from ordered_uses(stmt.then)
        for phi in stmt.phis:
            yield from expression_uses(phi.then)
        yield from ordered_uses(stmt.orelse)
        for phi in stmt.phis:
            yield from expression_uses(phi.orelse)
        return
    if isinstance(stmt, Region):
        yield from option_uses(stmt.options)
    else:
        for expr in statement_exprs(stmt):
            yield from expression_uses(expr)
    for body in blocks(stmt):
        yield from ordered_uses(body)


def expression_uses(expr: Expr) -> Iterator[Var]:
    """Uses in an expression, in the order in which it is evaluated: what is nested comes first.

    That is the order the compiler sees, which names nested operators before anything asks for first uses:
    ``pl.add(x, pl.exp(y))`` reads y, then x.
    """
    if isinstance(expr, Var):
        yield expr
        return
    yield from _nested_uses(expr)
    yield from _own_uses(expr)


def _operands(expr: Expr) -> tuple[Expr, ...]:
    below = children(expr)
    if isinstance(expr, (Call, Submit)) and expr.options.keywords:
        return below + tuple([k.value for k in expr.options.keywords])
    return below


def _nested_uses(expr: Expr) -> Iterator[Var]:
    """Uses in the calls and operators below ``expr``."""
    for operand in _operands(expr):
        if isinstance(operand, (Op, Call, Submit)):
            yield from expression_uses(operand)
        elif not isinstance(operand, (Var, Const)):
            yield from _nested_uses(operand)


def _own_uses(expr: Expr) -> Iterator[Var]:
    """Uses in ``expr`` outside of the calls and operators below it."""
    for operand in _operands(expr):
        if isinstance(operand, Var):
            yield operand
        elif not isinstance(operand, (Op, Call, Submit, Const)):
            yield from _own_uses(operand)


def option_uses(options: LaunchOptions) -> Iterator[Var]:
    for expr in option_exprs(options):
        yield from expression_uses(expr)
    for keyword in options.keywords:
        yield from expression_uses(keyword.value)


def type_uses(type_: Type) -> Iterator[Var]:
    """Variables in the extents of a type."""
    if isinstance(type_, TensorType):
        for extent in type_.shape or ():
            yield from expression_uses(extent)
    elif isinstance(type_, TupleType):
        for item in type_.items:
            yield from type_uses(item)


def bound_in(block: Block) -> dict[str, Var]:
    """Every variable bound in ``block`` at any depth, by name, in order of binding."""
    found: dict[str, Var] = {}
    for stmt in walk_block(block):
        for var in bound_variables(stmt):
            found.setdefault(var.name, var)
    return found


def use_counts(block: Block) -> dict[str, int]:
    """How often each name is used in ``block``."""
    counts: dict[str, int] = {}
    for var in ordered_uses(block):
        counts[var.name] = counts.get(var.name, 0) + 1
    return counts
