"""Lines to IR statements (surface.md §5)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from pto_lsp.analysis.frontend.blocks import Line
from pto_lsp.analysis.frontend.conditions import check_condition
from pto_lsp.analysis.frontend.constants.values import DynamicSymbol
from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.decorators import dotted
from pto_lsp.analysis.frontend.half_typed import bound_by
from pto_lsp.analysis.frontend.lower_loops import for_loop, while_loop
from pto_lsp.analysis.frontend.lower_regions import with_block
from pto_lsp.analysis.frontend.lower_subscripts import assignment
from pto_lsp.analysis.frontend.result_types import type_of
from pto_lsp.analysis.frontend.values import evaluate_in
from pto_lsp.analysis.frontend.yields import split_yield
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.expressions import Symbol
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.statements import (
    BROKEN_WITH,
    Assign,
    Block,
    Evaluate,
    If,
    Jump,
    Opaque,
    Phi,
    Return,
    Stmt,
    Unpack,
    Yield,
)
from pto_lsp.analysis.ir.types import UNKNOWN, TensorType, TupleType, Type
from pto_lsp.analysis.source import syntax

_WITH = re.compile(r"with\b")
_CLAUSES = ("except", "finally")
"""Part of a statement that was refused as a whole."""


def block(ctx: Context, lines: tuple[Line, ...]) -> Block:
    """The statements of one block; an ``if`` takes its ``elif``/``else`` lines with it."""
    statements: list[Stmt] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        tail = index + 1
        if _starts(line, "if"):
            while tail < len(lines) and _continues(lines[tail]):
                tail += 1
            lower = partial(_conditional, ctx, lines[index:tail])
        else:
            lower = partial(_line, ctx, line)
        if ctx.known is not None and (ctx.known.edited or not ctx.device):
            statements.extend(ctx.known.statements(ctx, lines[index:tail], lower))
        else:
            statements.extend(lower())
        index = tail
    return tuple(statements)


def _starts(line: Line, word: str) -> bool:
    first = line.unit.statements[0] if line.unit.statements else None
    return isinstance(first, syntax.Conditional) and first.word == word


def _continues(line: Line) -> bool:
    first = line.unit.statements[0] if line.unit.statements else None
    return isinstance(first, syntax.Else) or (isinstance(first, syntax.Conditional) and first.word == "elif")


def _line(ctx: Context, line: Line) -> list[Stmt]:
    outer = ctx.anchor
    ctx.anchor = Anchor(outer.source, line.start)
    try:
        return _statements(ctx, line)
    finally:
        ctx.anchor = outer


def _statements(ctx: Context, line: Line) -> list[Stmt]:
    broken = line.unit.broken
    if broken is not None:
        ctx.complete = False
        binds = bound_by(line.unit.text)
        for var in binds:
            ctx.scope[var.name] = UNKNOWN
        what = BROKEN_WITH if _WITH.match(line.unit.text) else "broken line"
        return [Opaque(what, binds, ctx.anchor, broken.span, block(ctx, line.body))]
    found: list[Stmt] = []
    statements = line.unit.statements
    for position, statement in enumerate(statements):
        if isinstance(statement, (syntax.For, syntax.With, syntax.Conditional)):
            body = _body(ctx, statements[position + 1 :], line)
            found.extend(_compound(ctx, statement, body))
            break
        found.extend(_simple(ctx, statement, line))
    return found


def _body(ctx: Context, inline: tuple[syntax.Statement, ...], line: Line) -> Callable[[], Block]:
    """The body of a compound statement, on the header's line or below it; lowered when the header is done."""

    def lower() -> Block:
        if not inline:
            return block(ctx, line.body)
        found: list[Stmt] = []
        for statement in inline:
            found.extend(_simple(ctx, statement, line))
        return tuple(found)

    return lower


def _compound(
    ctx: Context, statement: syntax.For | syntax.With | syntax.Conditional, body: Callable[[], Block]
) -> list[Stmt]:
    if isinstance(statement, syntax.For):
        return for_loop(ctx, statement, body)
    if isinstance(statement, syntax.With):
        return with_block(ctx, statement, body)
    if statement.word == "while":
        return while_loop(ctx, statement, body)
    return [_if(ctx, statement, body, lambda: ())]


def _conditional(ctx: Context, lines: tuple[Line, ...]) -> list[Stmt]:
    """``lines`` are an ``if`` header, its ``elif`` headers and an ``else``."""
    head, rest = lines[0], lines[1:]
    outer = ctx.anchor
    ctx.anchor = Anchor(outer.source, head.start)
    try:
        first = head.unit.statements[0]
        if isinstance(first, syntax.Else):
            return list(_body(ctx, head.unit.statements[1:], head)())
        assert isinstance(first, syntax.Conditional)
        body = _body(ctx, head.unit.statements[1:], head)
        return [_if(ctx, first, body, lambda: tuple(_conditional(ctx, rest)) if rest else ())]
    finally:
        ctx.anchor = outer


def _if(ctx: Context, head: syntax.Conditional, body: Callable[[], Block], orelse: Callable[[], Block]) -> If:
    anchor = ctx.anchor
    condition = ctx.expr(head.condition)
    check_condition(ctx, condition, head)
    then_block, else_block = body(), orelse()
    then_yield, then_rest = split_yield(then_block)
    else_yield, else_rest = split_yield(else_block)
    if then_yield is None or else_yield is None or len(then_yield.values) != len(else_yield.values):
        return If(condition, then_block, else_block, anchor, head.span)
    targets = then_yield.targets or else_yield.targets
    phis = tuple(Phi(t, a, b) for t, a, b in zip(targets, then_yield.values, else_yield.values))
    return If(condition, then_rest, else_rest, anchor, head.span, phis)


def _simple(ctx: Context, statement: syntax.Statement, line: Line) -> list[Stmt]:
    if isinstance(statement, syntax.Assign):
        return _assign(ctx, statement)
    if isinstance(statement, syntax.ExprStmt):
        return _expression(ctx, statement)
    if isinstance(statement, syntax.Return):
        return [_return(ctx, statement)]
    if isinstance(statement, syntax.Keyword):
        return [] if statement.word == "pass" else [Jump(statement.word, ctx.anchor, statement.span)]
    if isinstance(statement, syntax.AugAssign):
        target = statement.target.id if isinstance(statement.target, syntax.Name) else "this target"
        written = f"{target} = {target} {statement.op.removesuffix('=')} …"
        ctx.unsupported(
            target, statement.span, f"augmented assignment to '{target}' is not part of the DSL: write '{written}'"
        )
        value = ctx.expr(statement.value)
        return [Opaque("augmented assignment", (), ctx.anchor, statement.span, ())] if value else []
    return _refused(ctx, statement, line)


def _refused(ctx: Context, statement: syntax.Statement, line: Line) -> list[Stmt]:
    if isinstance(statement, syntax.DefHead):
        subject, message = statement.name, f"the nested function '{statement.name}' is not part of the DSL"
    elif isinstance(statement, syntax.ClassHead):
        subject, message = statement.name, f"the nested class '{statement.name}' is not part of the DSL"
    elif isinstance(statement, syntax.OtherStmt):
        subject, message = statement.what, f"the statement '{statement.what}' is not part of the DSL"
    else:
        # A decorator belongs to the nested function below it, an else to a header that was refused already.
        return []
    ctx.complete = False
    if subject not in _CLAUSES:
        ctx.unsupported(subject, statement.span, message)
    return [Opaque(subject, (), ctx.anchor, statement.span, ())]


def _assign(ctx: Context, statement: syntax.Assign) -> list[Stmt]:
    if statement.value is None:
        return []
    if len(statement.targets) > 1:
        ctx.unsupported("=", statement.span, "a chained '=' is not part of the DSL: assign one name at a time")
        return _each_target(ctx, statement)
    target = statement.targets[0]
    if isinstance(target, syntax.Name):
        return _assign_name(ctx, target, statement)
    if isinstance(target, (syntax.TupleDisplay, syntax.ListDisplay)):
        return _assign_tuple(ctx, target, statement)
    value = ctx.expr(statement.value)
    if isinstance(target, syntax.Subscript):
        assign = assignment(ctx, target, value, statement.span)
        return [assign] if assign is not None else [Opaque("assignment", (), ctx.anchor, statement.span)]
    ctx.unsupported(
        "assignment", target.span, "this 'assignment' is not part of the DSL: only names and subscripts can be assigned"
    )
    return [Opaque("assignment", (), ctx.anchor, statement.span)]


def _each_target(ctx: Context, statement: syntax.Assign) -> list[Stmt]:
    assert statement.value is not None
    value = ctx.expr(statement.value)
    found: list[Stmt] = []
    for target in statement.targets:
        if isinstance(target, syntax.Name):
            found.append(Assign(bind(ctx, target, type_of(value)), value, ctx.anchor, statement.span))
    return found


def bind(ctx: Context, target: syntax.Name, type_: Type) -> ir.Var:
    """Bind a DSL name; a better known earlier type survives a rebinding to something unknown."""
    if type_ is UNKNOWN:
        type_ = ctx.scope.get(target.id, UNKNOWN)
    ctx.scope[target.id] = type_
    ctx.symbols.pop(target.id, None)
    return ir.Var(target.id, target.id, type_, target.span)


def _assign_name(ctx: Context, target: syntax.Name, statement: syntax.Assign) -> list[Stmt]:
    assert statement.value is not None
    if _is_call(statement.value, "yield_"):
        values = _yielded(ctx, statement.value)
        var = bind(ctx, target, type_of(values[0]) if values else UNKNOWN)
        return [Yield((var,), values, ctx.anchor, statement.span)]
    if _is_call(statement.value, "dynamic"):
        symbol = evaluate_in(ctx, statement.value)
        if isinstance(symbol, DynamicSymbol):
            ctx.symbols[target.id] = symbol
            ctx.scope.pop(target.id, None)
            return []
    value = ctx.expr(statement.value)
    type_ = type_of(value)
    if isinstance(value, ir.DType):
        return []
    var = bind(ctx, target, type_)
    return [Assign(var, value, ctx.anchor, statement.span, statement.annotation is not None)]


def _assign_tuple(
    ctx: Context, target: syntax.TupleDisplay | syntax.ListDisplay, statement: syntax.Assign
) -> list[Stmt]:
    assert statement.value is not None
    names: list[syntax.Name] = []
    nested = False
    for item in target.items:
        if isinstance(item, (syntax.TupleDisplay, syntax.ListDisplay)):
            nested = True
            names.extend(i for i in item.items if isinstance(i, syntax.Name))
        elif isinstance(item, syntax.Name):
            names.append(item)
        else:
            ctx.unsupported(
                "assignment",
                item.span,
                "this 'assignment' is not part of the DSL: only plain names can be unpacked into",
            )
    if _is_call(statement.value, "yield_"):
        values = _yielded(ctx, statement.value)
        targets = tuple(bind(ctx, n, type_of(v)) for n, v in zip(names, values))
        return [Yield(targets, values, ctx.anchor, statement.span)]
    value = ctx.expr(statement.value)
    if isinstance(value, ir.TupleExpr) and len(value.items) == len(names) and not nested:
        return [Assign(bind(ctx, n, type_of(v)), v, ctx.anchor, statement.span) for n, v in zip(names, value.items)]
    if nested and not isinstance(value, (ir.Submit, ir.Unknown)):
        ctx.unsupported(
            "assignment",
            target.span,
            "this 'assignment' is not part of the DSL: only the results of a submit have a nested target",
        )
    types = _result_types(value, len(names))
    targets = tuple(bind(ctx, n, t) for n, t in zip(names, types))
    return [Unpack(targets, value, ctx.anchor, statement.span)]


def _result_types(value: ir.Expr, count: int) -> tuple[Type, ...]:
    type_ = type_of(value)
    if isinstance(type_, TupleType):
        if len(type_.items) == count:
            return type_.items
        if isinstance(value, ir.Submit) and count == 2 and len(type_.items) > 2:
            # ``results, tid = pl.submit(...)`` of a kernel with several results: the first name is the tuple.
            return (TupleType(type_.items[:-1]), type_.items[-1])
    return (UNKNOWN,) * count


def _is_call(expr: syntax.Expr, name: str) -> bool:
    if not isinstance(expr, syntax.Call):
        return False
    path = dotted(expr.func)
    return path is not None and path[-1] == name and len(path) <= 2


def _yielded(ctx: Context, expr: syntax.Expr) -> tuple[ir.Expr, ...]:
    assert isinstance(expr, syntax.Call)
    return tuple([ctx.expr(a.value) for a in expr.args])


_COMPILE_TIME = ("static_print", "static_assert", "func_attr")


def _expression(ctx: Context, statement: syntax.ExprStmt) -> list[Stmt]:
    value = statement.value
    if isinstance(value, syntax.Literal):
        return []
    if isinstance(value, syntax.Call):
        path = dotted(value.func)
        if path is not None:
            if path[-1] == "bind_dynamic" and len(path) == 2:
                _bind_dynamic(ctx, path[0], value)
                return []
            if path[-1] in _COMPILE_TIME and len(path) <= 2:
                return []
            if path == ("cond",):
                condition = tuple([ctx.expr(a.value) for a in value.args])
                return [Evaluate(ir.Op("cond", condition, (), UNKNOWN, value.span), ctx.anchor, statement.span)]
            if path[-1] == "yield_" and len(path) <= 2:
                return [Yield((), _yielded(ctx, value), ctx.anchor, statement.span)]
    return [Evaluate(ctx.expr(value), ctx.anchor, statement.span)]


def _bind_dynamic(ctx: Context, name: str, call: syntax.Call) -> None:
    """``a.bind_dynamic(axis, M)`` makes extent ``axis`` of parameter ``a`` the symbol ``M`` (surface.md §3)."""
    type_ = ctx.scope.get(name)
    if len(call.args) != 2 or not isinstance(type_, TensorType) or type_.shape is None:
        return
    axis, symbol = evaluate_in(ctx, call.args[0].value), evaluate_in(ctx, call.args[1].value)
    if isinstance(axis, int) and isinstance(symbol, DynamicSymbol) and 0 <= axis < len(type_.shape):
        shape = list(type_.shape)
        shape[axis] = Symbol(symbol.name)
        ctx.scope[name] = TensorType(tuple(shape), type_.dtype, type_.distributed)


def _return(ctx: Context, statement: syntax.Return) -> Return:
    if statement.value is None:
        return Return((), ctx.anchor, statement.span)
    value = ctx.expr(statement.value)
    values = value.items if isinstance(value, ir.TupleExpr) else (value,)
    return Return(values, ctx.anchor, statement.span)


def names_assigned(lines: tuple[Line, ...]) -> frozenset[str]:
    """Every name the function binds anywhere, so that a use before the binding is not called undefined."""
    found: set[str] = set()
    stack = list(lines)
    while stack:
        line = stack.pop()
        if line.body:
            stack.extend(line.body)
        found.update(_names_bound(line.unit))
    return frozenset(found)


@lru_cache(maxsize=8_192)
def _names_bound(unit: syntax.Unit) -> tuple[str, ...]:
    found = {var.name for var in bound_by(unit.text)} if unit.broken is not None else set()
    for statement in unit.statements:
        for target in _targets(statement):
            _collect(target, found)
    return tuple(found)


def _targets(statement: syntax.Statement) -> tuple[syntax.Expr, ...]:
    if isinstance(statement, syntax.Assign):
        return statement.targets
    if isinstance(statement, (syntax.For, syntax.AugAssign)):
        return (statement.target,)
    if isinstance(statement, syntax.With):
        return tuple(i.target for i in statement.items if i.target is not None)
    if isinstance(statement, (syntax.DefHead, syntax.ClassHead)):
        return (syntax.Name(statement.name, statement.span),)
    return ()


def _collect(target: syntax.Expr, found: set[str]) -> None:
    if isinstance(target, syntax.Name):
        found.add(target.id)
    elif isinstance(target, (syntax.TupleDisplay, syntax.ListDisplay)):
        for item in target.items:
            _collect(item, found)
