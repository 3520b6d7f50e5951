"""libcst expressions to ``syntax``, with spans computed on the way.

libcst knows no positions without its metadata providers, which cost many times the parse. But it keeps every blank, so
adding up lengths while walking the tree from left to right gives each node its place. Every function here takes the
offset at which its node begins and returns what it made of it and the offset behind it.

Precondition: the tree stands at indentation zero (libcst keeps the indentation of a bracketed line elsewhere), and the
line end that libcst takes as the default is one character long.

Nesting is bounded (``nesting.py``) so that recursion is safe; chains, which may be longer, are walked in loops.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from pto_lsp.analysis.node import node
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.tokens import MISSING, OPERATORS, TWO_WORDS, blank, code_length, separator, token
from pto_lsp.diagnostics import Span

Converter = Callable[[Any, int], tuple[syntax.Expr, int]]


@node
class _Clause:
    """``for target in iterable if conditions`` of a comprehension."""

    target: syntax.Expr
    iterable: syntax.Expr
    conditions: tuple[syntax.Expr, ...]
    asynchronous: bool


_CONSTANTS = {"True": True, "False": False, "None": None}


def expression(node: cst.BaseExpression, pos: int) -> tuple[syntax.Expr, int]:
    """The span of the result excludes surrounding parentheses, but the returned offset is behind them."""
    if node.lpar:
        return _parenthesized(node, pos)
    return _CONVERTERS[type(node)](node, pos)


def _parenthesized(node: cst.BaseExpression, pos: int) -> tuple[syntax.Expr, int]:
    lpar: Sequence[cst.LeftParen] = node.lpar
    rpar: Sequence[cst.RightParen] = node.rpar
    if type(node) in _OWN_PARENTHESES:
        lpar, rpar = lpar[:-1], rpar[1:]
    for left in lpar:
        pos += 1 + blank(left.whitespace_after)
    value, pos = _CONVERTERS[type(node)](node, pos)
    for right in rpar:
        pos += blank(right.whitespace_before) + 1
    return value, pos


def _open_own(node: cst.Tuple | cst.GeneratorExp, pos: int) -> int:
    """Behind the innermost opening parenthesis, when there is one."""
    return pos + 1 + blank(node.lpar[-1].whitespace_after) if node.lpar else pos


def _close_own(node: cst.Tuple | cst.GeneratorExp, pos: int) -> int:
    return pos + blank(node.rpar[0].whitespace_before) + 1 if node.rpar else pos


def _name(node: cst.Name, pos: int) -> tuple[syntax.Expr, int]:
    word = node.value
    end = pos + len(word)
    if word in _CONSTANTS:
        return syntax.Literal(_CONSTANTS[word], Span(pos, end)), end
    return syntax.Name(word, Span(pos, end)), end


def plain_name(node: cst.Name, pos: int) -> tuple[syntax.Name, int]:
    """A name in a place where no other expression can stand."""
    end = pos + len(node.value)
    return syntax.Name(node.value, Span(pos, end)), end


def _integer(node: cst.Integer, pos: int) -> tuple[syntax.Expr, int]:
    end = pos + len(node.value)
    return syntax.Literal(int(node.value, 0), Span(pos, end)), end


def _float(node: cst.Float, pos: int) -> tuple[syntax.Expr, int]:
    end = pos + len(node.value)
    return syntax.Literal(float(node.value), Span(pos, end)), end


def _imaginary(node: cst.Imaginary, pos: int) -> tuple[syntax.Expr, int]:
    end = pos + len(node.value)
    return syntax.Other("complex number", (), Span(pos, end)), end


def _ellipsis(node: cst.Ellipsis, pos: int) -> tuple[syntax.Expr, int]:
    return syntax.Literal(..., Span(pos, pos + 3)), pos + 3


def _string(node: cst.SimpleString, pos: int) -> tuple[syntax.Expr, int]:
    end = pos + len(node.value)
    return syntax.Literal(_string_value(node.value), Span(pos, end)), end


def _string_value(code: str) -> str | bytes:
    quote = code[0]
    if quote in "'\"" and "\\" not in code and "\r" not in code:
        return code[3:-3] if code.startswith(quote * 3) else code[1:-1]
    value = literal_eval(code)
    assert isinstance(value, (str, bytes))
    return value


def _concatenated(node: cst.ConcatenatedString, pos: int) -> tuple[syntax.Expr, int]:
    start = pos
    values: list[Any] = []
    children: list[syntax.Expr] = []
    formatted = False
    part: Any = node
    while part is not None:
        if type(part) is cst.ConcatenatedString:
            piece, gap, part = part.left, blank(part.whitespace_between), part.right
        else:
            piece, gap, part = part, 0, None
        value, pos = _CONVERTERS[type(piece)](piece, pos)
        pos += gap
        if isinstance(value, syntax.Literal):
            values.append(value.value)
        elif isinstance(value, syntax.Other):
            formatted = True
            children.extend(value.children)
    span = Span(start, pos)
    if formatted:
        return syntax.Other("f-string", tuple(children), span), pos
    return syntax.Literal(values[0][:0].join(values), span), pos


def _formatted(node: Any, pos: int) -> tuple[syntax.Expr, int]:
    """f-strings, and the template strings of Python 3.14."""
    children: list[syntax.Expr] = []
    end = _formatted_parts(node.parts, pos + len(node.start), children) + len(node.end)
    what = "f-string" if "f" in node.prefix else "template string"
    return syntax.Other(what, tuple(children), Span(pos, end)), end


def _formatted_parts(parts: Sequence[Any], pos: int, children: list[syntax.Expr]) -> int:
    for part in parts:
        if hasattr(part, "value"):
            pos += len(part.value)
            continue
        value, pos = expression(part.expression, pos + 1 + blank(part.whitespace_before_expression))
        children.append(value)
        pos += separator(part.equal) + blank(part.whitespace_after_expression)
        if part.conversion is not None:
            pos += 1 + len(part.conversion)
        if part.format_spec is not None:
            pos = _formatted_parts(part.format_spec, pos + 1, children)
        pos += 1
    return pos


def _postfix(node: Any, start: int) -> tuple[syntax.Expr, int]:
    """Attribute, call and subscript: a chain of them is a loop from its innermost base outwards."""
    chain: list[Any] = []
    base: Any = node
    while True:
        kind = type(base)
        if kind is cst.Attribute or kind is cst.Subscript:
            chain.append(base)
            base = base.value
        elif kind is cst.Call:
            chain.append(base)
            base = base.func
        else:
            value, pos = _CONVERTERS[kind](base, start) if not base.lpar else _parenthesized(base, start)
            break
        if base.lpar:
            value, pos = _parenthesized(base, start)
            break
    for link in reversed(chain):
        kind = type(link)
        if kind is cst.Attribute:
            pos += token(link.dot, 1)
            name = link.attr.value
            pos += len(name)
            value = syntax.Attribute(value, name, Span(start, pos))
        elif kind is cst.Call:
            pos += blank(link.whitespace_after_func) + 1 + blank(link.whitespace_before_args)
            args, pos = arguments(link.args, pos)
            pos += 1
            value = syntax.Call(value, args, Span(start, pos))
        else:
            pos += blank(link.whitespace_after_value) + 1 + blank(link.lbracket.whitespace_after)
            items, pos = _subscript_items(link.slice, pos)
            pos += blank(link.rbracket.whitespace_before) + 1
            value = syntax.Subscript(value, items, Span(start, pos))
    return value, pos


def arguments(args: Sequence[cst.Arg], pos: int) -> tuple[tuple[syntax.Argument, ...], int]:
    """What stands between the parentheses of a call or class; ``pos`` is at the first argument."""
    result = []
    for arg in args:
        start = pos
        star = arg.star
        if star:
            pos += len(star) + blank(arg.whitespace_after_star)
        keyword = None
        if arg.keyword is not None:
            keyword = arg.keyword.value
            pos += len(keyword) + separator(arg.equal)
        value, pos = expression(arg.value, pos)
        result.append(syntax.Argument(value, keyword, star, Span(start, pos)))
        pos += separator(arg.comma) + blank(arg.whitespace_after_arg)
    return tuple(result), pos


def _subscript_items(
    elements: Sequence[cst.SubscriptElement], pos: int
) -> tuple[tuple[syntax.Expr | syntax.Slice, ...], int]:
    items: list[syntax.Expr | syntax.Slice] = []
    start = pos
    for element in elements:
        part: Any = element.slice
        item: syntax.Expr | syntax.Slice
        if type(part) is cst.Slice:
            item, pos = _slice(part, pos)
        elif part.star is not None:
            begin = pos
            value, pos = expression(part.value, pos + 1 + blank(part.whitespace_after_star))
            item = syntax.Other("starred expression", (value,), Span(begin, pos))
        else:
            item, pos = expression(part.value, pos)
        items.append(item)
        if element.comma is not MISSING:
            before = pos + blank(element.comma.whitespace_before)
            pos += separator(element.comma)
            if len(elements) == 1 and not isinstance(item, syntax.Slice):
                items[0] = syntax.TupleDisplay((item,), Span(start, before + 1))  # x[i,] is indexed by a tuple
    return tuple(items), pos


def _slice(node: cst.Slice, pos: int) -> tuple[syntax.Slice, int]:
    lower = upper = step = None
    start = pos
    if node.lower is not None:
        lower, pos = expression(node.lower, pos)
    first = node.first_colon
    colon = pos + blank(first.whitespace_before) + 1
    pos = colon + blank(first.whitespace_after)
    end = colon
    if node.upper is not None:
        upper, pos = expression(node.upper, pos)
        end = pos
    second: Any = node.second_colon
    if second is not MISSING:
        end = pos + blank(second.whitespace_before) + 1
        pos = end + blank(second.whitespace_after)
    if node.step is not None:
        step, pos = expression(node.step, pos)
        end = pos
    return syntax.Slice(lower, upper, step, Span(start, end)), pos


def _unary(node: cst.UnaryOperation, pos: int) -> tuple[syntax.Expr, int]:
    pending: list[tuple[str, int]] = []
    operand: cst.BaseExpression = node
    while type(operand) is cst.UnaryOperation and not (operand.lpar and pending):
        op = OPERATORS[type(operand.operator)]
        pending.append((op, pos))
        pos += len(op) + blank(operand.operator.whitespace_after)
        operand = operand.expression
    value, end = expression(operand, pos)
    for op, start in reversed(pending):
        value = syntax.Unary(op, value, Span(start, end))
    return value, end


def _binary(node: Any, start: int) -> tuple[syntax.Expr, int]:
    """Arithmetic and ``and``/``or``, which libcst nests to the left: a sum is a loop over its terms."""
    chain = [node]
    base = node.left
    while not base.lpar and (type(base) is cst.BinaryOperation or type(base) is cst.BooleanOperation):
        chain.append(base)
        base = base.left
    value, pos = expression(base, start)
    for link in reversed(chain):
        operator = link.operator
        op = OPERATORS[type(operator)]
        right, pos = expression(link.right, pos + token(operator, len(op)))
        value = syntax.Binary(op, value, right, Span(start, pos))
    return value, pos


def _comparison(node: cst.Comparison, start: int) -> tuple[syntax.Expr, int]:
    value, pos = expression(node.left, start)
    operands = [value]
    ops = []
    for target in node.comparisons:
        operator: Any = target.operator
        words = TWO_WORDS.get(type(operator))
        if words is not None:
            op = " ".join(words)
            pos += token(operator, len(words[0]) + blank(operator.whitespace_between) + len(words[1]))
        else:
            op = operator.value if type(operator) is cst.NotEqual else OPERATORS[type(operator)]
            pos += token(operator, len(op))
        value, pos = expression(target.comparator, pos)
        operands.append(value)
        ops.append(op)
    return syntax.Compare(tuple(operands), tuple(ops), Span(start, pos)), pos


def _elements(elements: Sequence[Any], pos: int) -> tuple[tuple[syntax.Expr, ...], int, int]:
    """Also returns the offset behind the last item or its comma, before white space."""
    items = []
    end = pos
    for element in elements:
        if type(element) is cst.Element:
            value, pos = expression(element.value, pos)
        else:
            value, pos = expression(element, pos)
        items.append(value)
        end = pos
        comma = element.comma
        if comma is not MISSING:
            end = pos + blank(comma.whitespace_before) + 1
            pos = end + blank(comma.whitespace_after)
    return tuple(items), pos, end


def _tuple(node: cst.Tuple, start: int) -> tuple[syntax.Expr, int]:
    items, pos, end = _elements(node.elements, _open_own(node, start))
    if node.lpar:
        pos = end = _close_own(node, pos)
    return syntax.TupleDisplay(items, Span(start, end)), pos


def _list(node: cst.List, start: int) -> tuple[syntax.Expr, int]:
    items, pos, _ = _elements(node.elements, start + 1 + blank(node.lbracket.whitespace_after))
    pos += blank(node.rbracket.whitespace_before) + 1
    return syntax.ListDisplay(items, Span(start, pos)), pos


def _set(node: cst.Set, start: int) -> tuple[syntax.Expr, int]:
    items, pos, _ = _elements(node.elements, start + 1 + blank(node.lbrace.whitespace_after))
    pos += blank(node.rbrace.whitespace_before) + 1
    return syntax.Other("set display", items, Span(start, pos)), pos


def _dict(node: cst.Dict, start: int) -> tuple[syntax.Expr, int]:
    children = []
    pos = start + 1 + blank(node.lbrace.whitespace_after)
    for element in node.elements:
        item: Any = element
        if type(item) is cst.DictElement:
            key, pos = expression(item.key, pos)
            children.append(key)
            pos += blank(item.whitespace_before_colon) + 1 + blank(item.whitespace_after_colon)
        else:
            pos += 2 + blank(item.whitespace_before_value)
        value, pos = expression(item.value, pos)
        children.append(value)
        pos += separator(item.comma)
    pos += blank(node.rbrace.whitespace_before) + 1
    return syntax.Other("dict display", tuple(children), Span(start, pos)), pos


def _starred(node: cst.StarredElement, start: int) -> tuple[syntax.Expr, int]:
    value, pos = expression(node.value, start + 1 + blank(node.whitespace_before_value))
    return syntax.Other("starred expression", (value,), Span(start, pos)), pos


def _clauses(node: cst.CompFor, pos: int) -> tuple[tuple[_Clause, ...], int]:
    result = []
    clause: cst.CompFor | None = node
    while clause is not None:
        pos += blank(clause.whitespace_before)
        if clause.asynchronous is not None:
            pos += 5 + blank(clause.asynchronous.whitespace_after)
        target, pos = expression(clause.target, pos + 3 + blank(clause.whitespace_after_for))
        pos += blank(clause.whitespace_before_in) + 2 + blank(clause.whitespace_after_in)
        iterable, pos = expression(clause.iter, pos)
        conditions = []
        for condition in clause.ifs:
            pos += blank(condition.whitespace_before) + 2 + blank(condition.whitespace_before_test)
            value, pos = expression(condition.test, pos)
            conditions.append(value)
        result.append(_Clause(target, iterable, tuple(conditions), clause.asynchronous is not None))
        clause = clause.inner_for_in
    return tuple(result), pos


def _comprehension(what: str, element: syntax.Expr, clauses: tuple[_Clause, ...], span: Span) -> syntax.Expr:
    """For list comprehensions and generators."""
    if len(clauses) == 1 and not clauses[0].asynchronous:
        clause = clauses[0]
        return syntax.Comprehension(element, clause.target, clause.iterable, clause.conditions, span)
    return _other_comprehension(what, (element,), clauses, span)


def _other_comprehension(
    what: str, results: tuple[syntax.Expr, ...], clauses: tuple[_Clause, ...], span: Span
) -> syntax.Expr:
    children = list(results)
    for clause in clauses:
        children += [clause.target, clause.iterable, *clause.conditions]
    return syntax.Other(what, tuple(children), span)


def _list_comprehension(node: cst.ListComp, start: int) -> tuple[syntax.Expr, int]:
    element, pos = expression(node.elt, start + 1 + blank(node.lbracket.whitespace_after))
    clauses, pos = _clauses(node.for_in, pos)
    pos += blank(node.rbracket.whitespace_before) + 1
    return _comprehension("list comprehension", element, clauses, Span(start, pos)), pos


def _generator(node: cst.GeneratorExp, start: int) -> tuple[syntax.Expr, int]:
    """As the only argument of a call it has no parentheses of its own, and none in its span."""
    element, pos = expression(node.elt, _open_own(node, start))
    clauses, pos = _clauses(node.for_in, pos)
    pos = _close_own(node, pos)
    return _comprehension("generator", element, clauses, Span(start, pos)), pos


def _set_comprehension(node: cst.SetComp, start: int) -> tuple[syntax.Expr, int]:
    element, pos = expression(node.elt, start + 1 + blank(node.lbrace.whitespace_after))
    clauses, pos = _clauses(node.for_in, pos)
    pos += blank(node.rbrace.whitespace_before) + 1
    return _other_comprehension("set comprehension", (element,), clauses, Span(start, pos)), pos


def _dict_comprehension(node: cst.DictComp, start: int) -> tuple[syntax.Expr, int]:
    key, pos = expression(node.key, start + 1 + blank(node.lbrace.whitespace_after))
    pos += blank(node.whitespace_before_colon) + 1 + blank(node.whitespace_after_colon)
    value, pos = expression(node.value, pos)
    clauses, pos = _clauses(node.for_in, pos)
    pos += blank(node.rbrace.whitespace_before) + 1
    return _other_comprehension("dict comprehension", (key, value), clauses, Span(start, pos)), pos


def _conditional(node: cst.IfExp, start: int) -> tuple[syntax.Expr, int]:
    body, pos = expression(node.body, start)
    pos += blank(node.whitespace_before_if) + 2 + blank(node.whitespace_after_if)
    test, pos = expression(node.test, pos)
    pos += blank(node.whitespace_before_else) + 4 + blank(node.whitespace_after_else)
    otherwise, pos = expression(node.orelse, pos)
    return syntax.Other("conditional expression", (body, test, otherwise), Span(start, pos)), pos


def _lambda(node: cst.Lambda, start: int) -> tuple[syntax.Expr, int]:
    pos = start + 6
    if node.whitespace_after_lambda is not MISSING:
        pos += blank(node.whitespace_after_lambda)
    params, pos = parameters(node.params, pos)
    pos += separator(node.colon)
    body, pos = expression(node.body, pos)
    children = [param.default for param in params if param.default is not None]
    return syntax.Other("lambda", (*children, body), Span(start, pos)), pos


def _walrus(node: cst.NamedExpr, start: int) -> tuple[syntax.Expr, int]:
    target, pos = expression(node.target, start)
    pos += blank(node.whitespace_before_walrus) + 2 + blank(node.whitespace_after_walrus)
    value, pos = expression(node.value, pos)
    return syntax.Other("walrus assignment", (target, value), Span(start, pos)), pos


def _await(node: cst.Await, start: int) -> tuple[syntax.Expr, int]:
    value, pos = expression(node.expression, start + 5 + blank(node.whitespace_after_await))
    return syntax.Other("await", (value,), Span(start, pos)), pos


def _yield(node: cst.Yield, start: int) -> tuple[syntax.Expr, int]:
    pos = start + 5
    if node.value is None:
        return syntax.Other("yield", (), Span(start, pos)), pos
    pos += blank(node.whitespace_after_yield)
    if isinstance(node.value, cst.From):
        value, pos = from_clause(node.value, pos)
    else:
        value, pos = expression(node.value, pos)
    return syntax.Other("yield", (value,), Span(start, pos)), pos


def from_clause(node: cst.From, pos: int) -> tuple[syntax.Expr, int]:
    """``from value`` behind ``yield`` or ``raise``."""
    if node.whitespace_before_from is not MISSING:
        pos += blank(node.whitespace_before_from)
    return expression(node.item, pos + 4 + blank(node.whitespace_after_from))


def annotation(node: cst.Annotation, indicator: int, pos: int) -> tuple[syntax.Expr, int]:
    """``: value`` or ``-> value``; ``indicator`` is the length of the mark."""
    return expression(
        node.annotation,
        pos + blank(node.whitespace_before_indicator) + indicator + blank(node.whitespace_after_indicator),
    )


def parameters(node: cst.Parameters, pos: int) -> tuple[tuple[syntax.Parameter, ...], int]:
    """The whole list between the parentheses of a ``def`` or behind ``lambda``, ``*`` and ``/`` included."""
    result = []
    ordered: list[Any] = [*node.posonly_params, node.posonly_ind, *node.params, node.star_arg, *node.kwonly_params]
    for part in (*ordered, node.star_kwarg):
        if part is MISSING or part is None:
            continue
        if type(part) is cst.Param:
            param, pos = parameter(part, pos)
        else:
            mark = "*" if type(part) is cst.ParamStar else "/"
            span = Span(pos, pos + 1)
            param = syntax.Parameter(mark, "", None, None, span, span)
            pos += 1
            if mark == "/":
                pos += blank(part.whitespace_after)
            pos += separator(part.comma)
        result.append(param)
    return tuple(result), pos


def parameter(node: cst.Param, start: int) -> tuple[syntax.Parameter, int]:
    """The returned offset is behind the comma, the span ends before it."""
    star = node.star if isinstance(node.star, str) else ""
    pos = start + len(star) + blank(node.whitespace_after_star)
    name = node.name.value
    name_span = Span(pos, pos + len(name))
    pos = end = name_span.end
    hint = default = None
    if node.annotation is not None:
        hint, pos = annotation(node.annotation, 1, pos)
        end = pos
    if node.default is not None:
        default, pos = expression(node.default, pos + separator(node.equal))
        end = pos
    pos += separator(node.comma) + blank(node.whitespace_after_param)
    return syntax.Parameter(name, star, hint, default, Span(start, end), name_span), pos


def _unknown(node: cst.BaseExpression, start: int) -> tuple[syntax.Expr, int]:
    """Syntax newer than this file."""
    end = start + code_length(node.with_changes(lpar=(), rpar=()))
    return syntax.Other("unknown syntax", (), Span(start, end)), end


class _Converters(dict[type, Converter]):
    def __missing__(self, kind: type) -> Converter:
        return _unknown


_OWN_PARENTHESES = (cst.Tuple, cst.GeneratorExp)
_CONVERTERS = _Converters(
    {
        cst.Name: _name,
        cst.Integer: _integer,
        cst.Float: _float,
        cst.Imaginary: _imaginary,
        cst.Ellipsis: _ellipsis,
        cst.SimpleString: _string,
        cst.ConcatenatedString: _concatenated,
        cst.FormattedString: _formatted,
        cst.Attribute: _postfix,
        cst.Call: _postfix,
        cst.Subscript: _postfix,
        cst.UnaryOperation: _unary,
        cst.BinaryOperation: _binary,
        cst.BooleanOperation: _binary,
        cst.Comparison: _comparison,
        cst.Tuple: _tuple,
        cst.List: _list,
        cst.Set: _set,
        cst.Dict: _dict,
        cst.StarredElement: _starred,
        cst.ListComp: _list_comprehension,
        cst.SetComp: _set_comprehension,
        cst.DictComp: _dict_comprehension,
        cst.GeneratorExp: _generator,
        cst.IfExp: _conditional,
        cst.Lambda: _lambda,
        cst.NamedExpr: _walrus,
        cst.Await: _await,
        cst.Yield: _yield,
    }
)
if hasattr(cst, "TemplatedString"):
    _CONVERTERS[cst.TemplatedString] = _formatted
