"""Uses and bindings of names in a block, in the order in which the program comes across them."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import (
    Call,
    Const,
    DType,
    Enumerator,
    Expr,
    LaunchOptions,
    ListExpr,
    Op,
    Submit,
    Symbol,
    Var,
)
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, For, If, Region, Unpack, While
from pto_lsp.analysis.ir.types import TensorType, TupleType, Type
from pto_lsp.analysis.ir.visitor import blocks, bound_variables, children, option_exprs, statement_exprs, walk_block

_LAUNCHES = frozenset({Op, Call, Submit})
_LEAVES = frozenset({Var, Const, Symbol, DType, Enumerator})


def ordered_uses(block: Block) -> list[Var]:
    """Every use of a variable, repeats included: a statement before its body, what is handed on at the body's end."""
    found: list[Var] = []
    _add_block(block, found)
    return found


def expression_uses(expr: Expr) -> list[Var]:
    """Uses in an expression, in the order in which it is evaluated: what is nested comes first.

    That is the order the compiler sees, which names nested operators before anything asks for first uses:
    ``pl.add(x, pl.exp(y))`` reads y, then x.
    """
    found: list[Var] = []
    _add_expression(expr, found)
    return found


def option_uses(options: LaunchOptions) -> list[Var]:
    found: list[Var] = []
    _add_options(options, found)
    return found


def _add_block(block: Block, found: list[Var]) -> None:
    for stmt in block:
        kind = type(stmt)
        if kind is Assign or kind is Evaluate or kind is Unpack:
            _add_expression(stmt.value, found)  # type: ignore[union-attr]
        elif isinstance(stmt, (For, While)):
            for expr in statement_exprs(stmt):
                _add_expression(expr, found)
            _add_block(stmt.body, found)
            for carry in stmt.carries:
                _add_expression(carry.update, found)
        elif isinstance(stmt, If):
            _add_expression(stmt.condition, found)
            _add_block(stmt.then, found)
            for phi in stmt.phis:
                _add_expression(phi.then, found)
            _add_block(stmt.orelse, found)
            for phi in stmt.phis:
                _add_expression(phi.orelse, found)
        else:
            if isinstance(stmt, Region):
                _add_options(stmt.options, found)
            else:
                for expr in statement_exprs(stmt):
                    _add_expression(expr, found)
            for body in blocks(stmt):
                _add_block(body, found)


def _add_options(options: LaunchOptions, found: list[Var]) -> None:
    for expr in option_exprs(options):
        _add_expression(expr, found)
    for keyword in options.keywords:
        _add_expression(keyword.value, found)


def _add_expression(expr: Expr, found: list[Var]) -> None:
    if type(expr) is Var:
        found.append(expr)
    elif type(expr) not in _LEAVES:
        operands = _operands(expr)
        _add_nested(operands, found)
        _add_own(operands, found)


def _operands(expr: Expr) -> tuple[Expr, ...]:
    below = children(expr)
    if isinstance(expr, (Call, Submit)) and expr.options.keywords:
        return below + tuple([k.value for k in expr.options.keywords])
    return below


def _add_nested(operands: tuple[Expr, ...], found: list[Var]) -> None:
    """Uses in the calls and operators among ``operands`` and below them."""
    for operand in operands:
        kind = type(operand)
        if kind in _LAUNCHES:
            _add_expression(operand, found)
        elif kind not in _LEAVES:
            _add_nested(_operands(operand), found)


def _add_own(operands: tuple[Expr, ...], found: list[Var]) -> None:
    """Uses in ``operands`` outside of calls and operators."""
    for operand in operands:
        kind = type(operand)
        if kind is Var:
            found.append(operand)  # type: ignore[arg-type]
        elif kind not in _LAUNCHES and kind not in _LEAVES:
            _add_own(_operands(operand), found)


def names_of(expr: Expr) -> set[str]:
    """Names of the variables an expression reads, in kept keywords too."""
    found: set[str] = set()
    add_names(expr, found)
    return found


def add_names(expr: Expr, found: set[str]) -> None:
    """Enter `names_of` an expression into ``found``."""
    if isinstance(expr, Var):
        found.add(expr.name)
        return
    # The common nodes are taken apart here: this is asked of every expression of every function.
    stack: list[Expr] = [expr]
    pop, extend = stack.pop, stack.extend
    while stack:
        current = pop()
        kind = type(current)
        if kind is Const:
            continue
        if isinstance(current, Var):
            found.add(current.name)
        elif isinstance(current, Op):
            extend(current.args)
            if current.keywords:
                extend([k.value for k in current.keywords])
        elif isinstance(current, ListExpr):
            extend(current.items)
        else:
            extend(children(current))
            if isinstance(current, (Call, Submit)) and current.options.keywords:
                extend([k.value for k in current.options.keywords])


def add_extents(type_: Type, found: set[str]) -> None:
    """Enter the names of the variables that the extents of a type consist of into ``found``."""
    if isinstance(type_, TensorType):
        for extent in type_.shape or ():
            if type(extent) is not Const:
                add_names(extent, found)
    elif isinstance(type_, TupleType):
        for item in type_.items:
            add_extents(item, found)


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
