"""Arguments of a call of a DSL function: keywords to positions, defaults, ``pl.no_dep``, arity (PTO005)."""

from __future__ import annotations

from pto_lsp.analysis.findings import Note
from pto_lsp.analysis.frontend.context import Context
from pto_lsp.analysis.frontend.decorators import dotted
from pto_lsp.analysis.frontend.launch_options import OPTION_KEYWORDS
from pto_lsp.analysis.frontend.signatures import Signature
from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir.place import place
from pto_lsp.analysis.ir.program import Direction, FunctionKind, Param
from pto_lsp.analysis.source import syntax
from pto_lsp.diagnostics import Span


def positional_arguments(
    ctx: Context, written: tuple[syntax.Argument, ...], callee: Signature, span: Span, submit: bool = False
) -> tuple[tuple[ir.Expr, ...], tuple[int, ...]]:
    """The arguments in parameter order and the indices of those wrapped in ``pl.no_dep``.

    Too few or too many are reported as PTO005, except for a Graph, whose arity is a rule of its own (rules.md C5).
    """
    found: list[ir.Expr] = []
    no_dep: list[int] = []
    by_name: dict[str, syntax.Argument] = {}
    starred = False
    for argument in written:
        if argument.star:
            starred = True
        elif argument.keyword is not None:
            if argument.keyword not in OPTION_KEYWORDS:
                by_name[argument.keyword] = argument
        else:
            value, opted_out = _argument(ctx, argument.value)
            if opted_out:
                no_dep.append(len(found))
            found.append(value)
    params = callee.params
    for param in params[len(found) :]:
        argument_by_name = by_name.pop(param.name, None)
        if argument_by_name is None:
            break
        value, opted_out = _argument(ctx, argument_by_name.value)
        if opted_out:
            no_dep.append(len(found))
        found.append(value)
    unplaced = [argument for name, argument in by_name.items() if any(p.name == name for p in params)]
    for argument in by_name.values():
        ctx.expr(argument.value)
    if not starred and not unplaced and callee.kind is not FunctionKind.GRAPH:
        _check_arity(ctx, callee, len(found), span, submit)
    return tuple(found), tuple(no_dep)


def _argument(ctx: Context, expr: syntax.Expr) -> tuple[ir.Expr, bool]:
    if isinstance(expr, syntax.Call) and dotted(expr.func) == ("pl", "no_dep") and len(expr.args) == 1:
        return ctx.expr(expr.args[0].value), True
    return ctx.expr(expr), False


def _check_arity(ctx: Context, callee: Signature, given: int, span: Span, submit: bool) -> None:
    required = _required(callee.params, submit)
    if required <= given <= len(callee.params):
        return
    if given > len(callee.params):
        message = f"'{callee.name}' takes {len(callee.params)} arguments, {given} are given"
    else:
        missing = callee.params[given]
        message = f"'{callee.name}' needs an argument for '{missing.name}': {given} of {len(callee.params)} are given"
    if callee.params:
        param = callee.params[min(given, len(callee.params) - 1)]
        ctx.report(
            "PTO005", callee.name, span, message, Note(place(param.at, param.name_span), f"parameter '{param.name}'")
        )
    else:
        ctx.report("PTO005", callee.name, span, message)


def _required(params: tuple[Param, ...], submit: bool) -> int:
    """How many arguments have to be given: a submit may leave outputs to the runtime, a default may stand in."""
    if submit:
        return sum(param.direction is Direction.IN for param in params)
    count = len(params)
    while count and params[count - 1].has_default:
        count -= 1
    return count
