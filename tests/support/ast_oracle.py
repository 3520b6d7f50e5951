"""What Python's ``ast`` says about a unit and what ``syntax`` says, both as nested tuples that can be compared.

A tuple is (kind, span, parts …). A span is None where ``ast`` has no such place: it nests ``and`` flat, and counts the
parentheses of a call into the generator that is its only argument.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.units import UnitCache, UnitKind

_BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.And: "and",
    ast.Or: "or",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}


class AstView:
    """Describes nodes of ``ast.parse(source)``; spans count from ``shift`` of it."""

    def __init__(self, source: str, shift: int = 0) -> None:
        self._source = source
        self._shift = shift
        self._starts = [0, *(match.end() for match in re.finditer(r"\r\n?|\n", source))]
        self._lines = [source[a:b] for a, b in zip(self._starts, [*self._starts[1:], len(source)])]

    def place(self, node: Any) -> tuple[int, int]:
        return (self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset))

    def _offset(self, line: int, column: int) -> int:
        text = self._lines[line - 1]
        if not text.isascii():
            column = len(text.encode()[:column].decode())
        return self._starts[line - 1] + column - self._shift

    def _text(self, node: ast.expr) -> str:
        start, end = self.place(node)
        return self._source[start + self._shift : end + self._shift]

    def all(self, nodes: Any) -> tuple[Any, ...]:
        return tuple(self.expr(node) for node in nodes)

    def expr(self, node: Any) -> Any:
        if node is None:
            return None
        span = self.place(node)
        match node:
            case ast.Name():
                return ("Name", span, node.id)
            case ast.Constant(value=complex()):
                return ("Other", span, "complex number", ())
            case ast.Constant():
                return ("Literal", span, type(node.value).__name__, repr(node.value))
            case ast.Attribute():
                return ("Attribute", span, self.expr(node.value), node.attr)
            case ast.Call():
                return ("Call", span, self.expr(node.func), self.arguments(node.args, node.keywords))
            case ast.Subscript():
                return ("Subscript", span, self.expr(node.value), self._items(node.slice))
            case ast.Slice():
                return ("Slice", span, self.expr(node.lower), self.expr(node.upper), self.expr(node.step))
            case ast.UnaryOp():
                return ("Unary", span, _BINARY[type(node.op)], self.expr(node.operand))
            case ast.BinOp():
                return ("Binary", span, _BINARY[type(node.op)], self.expr(node.left), self.expr(node.right))
            case ast.BoolOp():
                value = self.expr(node.values[0])
                op = _BINARY[type(node.op)]
                for number, other in enumerate(node.values[1:], 2):
                    value = ("Binary", span if number == len(node.values) else None, op, value, self.expr(other))
                return value
            case ast.Compare():
                ops = tuple(_BINARY[type(op)] for op in node.ops)
                return ("Compare", span, ops, self.all([node.left, *node.comparators]))
            case ast.List():
                return ("ListDisplay", span, self.all(node.elts))
            case ast.Tuple():
                return ("TupleDisplay", span, self.all(node.elts))
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self._comprehension(node, (node.elt,), span)
            case ast.DictComp():
                return self._comprehension(node, (node.key, node.value), span)
        return self._other(node, span)

    def _other(self, node: Any, span: tuple[int, int]) -> Any:
        match node:
            case ast.JoinedStr():
                return ("Other", span, "f-string", None)
            case ast.Starred():
                return ("Other", span, "starred expression", self.all([node.value]))
            case ast.Set():
                return ("Other", span, "set display", self.all(node.elts))
            case ast.Dict():
                entries = [part for pair in zip(node.keys, node.values) for part in pair if part is not None]
                return ("Other", span, "dict display", self.all(entries))
            case ast.IfExp():
                return ("Other", span, "conditional expression", self.all([node.body, node.test, node.orelse]))
            case ast.Lambda():
                found = node.args
                positional = [*found.posonlyargs, *found.args]
                defaults = [*found.defaults, *(value for value in found.kw_defaults if value is not None)]
                assert len(found.defaults) <= len(positional)
                return ("Other", span, "lambda", self.all([*defaults, node.body]))
            case ast.NamedExpr():
                return ("Other", span, "walrus assignment", self.all([node.target, node.value]))
            case ast.Await():
                return ("Other", span, "await", self.all([node.value]))
            case ast.Yield() | ast.YieldFrom():
                return ("Other", span, "yield", self.all([node.value] if node.value is not None else []))
        raise AssertionError(f"no view of {node!r}")

    def arguments(self, args: list[ast.expr], keywords: list[ast.keyword]) -> tuple[Any, ...]:
        found: list[tuple[tuple[int, int], Any]] = []
        for arg in args:
            span = self.place(arg)
            if isinstance(arg, ast.Starred):
                found.append((span, ("Argument", span, None, "*", self.expr(arg.value))))
            else:
                value = self.expr(arg)
                if isinstance(arg, ast.GeneratorExp) and len(args) + len(keywords) == 1:
                    value = (value[0], None, *value[2:])
                found.append((span, ("Argument", None, None, "", value)))
        for keyword in keywords:
            span = self.place(keyword)
            star = "" if keyword.arg is not None else "**"
            found.append((span, ("Argument", span, keyword.arg, star, self.expr(keyword.value))))
        return tuple(described for _, described in sorted(found, key=lambda pair: pair[0]))

    def _items(self, node: ast.expr) -> tuple[Any, ...]:
        if not isinstance(node, ast.Tuple) or self._parenthesized(node):
            return (self.expr(node),)
        if len(node.elts) == 1 and not isinstance(node.elts[0], (ast.Slice, ast.Starred)):
            return (self.expr(node),)
        return self.all(node.elts)

    def _parenthesized(self, node: ast.Tuple) -> bool:
        text = self._text(node)
        if not (text.startswith("(") and text.endswith(")")):
            return False
        try:
            ast.parse(f"[{text[1:-1]}\n]")
        except SyntaxError:
            return False
        return True

    def _comprehension(self, node: Any, results: tuple[ast.expr, ...], span: tuple[int, int]) -> Any:
        first = node.generators[0]
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and len(node.generators) == 1 and not first.is_async:
            parts = (self.expr(node.elt), self.expr(first.target), self.expr(first.iter), self.all(first.ifs))
            return ("Comprehension", span, *parts)
        children = list(results)
        for clause in node.generators:
            children += [clause.target, clause.iter, *clause.ifs]
        name = {
            ast.ListComp: "list comprehension",
            ast.GeneratorExp: "generator",
            ast.SetComp: "set comprehension",
            ast.DictComp: "dict comprehension",
        }[type(node)]
        return ("Other", span, name, self.all(children))

    def parameters(self, found: ast.arguments) -> tuple[Any, ...]:
        result = []
        positional = [*found.posonlyargs, *found.args]
        defaults = [None] * (len(positional) - len(found.defaults)) + list(found.defaults)
        for number, (arg, default) in enumerate(zip(positional, defaults), 1):
            result.append(self._parameter(arg, "", default))
            if number == len(found.posonlyargs):
                result.append(("Parameter", None, "/", "", None, None))
        if found.vararg is not None:
            result.append(self._parameter(found.vararg, "*", None))
        elif found.kwonlyargs:
            result.append(("Parameter", None, "*", "", None, None))
        for arg, default in zip(found.kwonlyargs, found.kw_defaults):
            result.append(self._parameter(arg, "", default))
        if found.kwarg is not None:
            result.append(self._parameter(found.kwarg, "**", None))
        return tuple(result)

    def _parameter(self, node: ast.arg, star: str, default: ast.expr | None) -> Any:
        name = self.place(node)[0]
        return ("Parameter", name, node.arg, star, self.expr(node.annotation), self.expr(default))

    def statement(self, node: Any) -> Any:
        """Headers without their span: that of ``ast`` goes to the end of the body."""
        span = self.place(node)
        match node:
            case ast.Assign():
                return ("Assign", span, self.all(node.targets), None, self.expr(node.value))
            case ast.AnnAssign():
                parts = (self.all([node.target]), self.expr(node.annotation), self.expr(node.value))
                return ("Assign", span, *parts)
            case ast.AugAssign():
                return ("AugAssign", span, self.expr(node.target), _BINARY[type(node.op)], self.expr(node.value))
            case ast.Expr():
                return ("ExprStmt", None, self.expr(node.value))
            case ast.Return():
                return ("Return", span, self.expr(node.value))
            case ast.Pass() | ast.Break() | ast.Continue():
                return ("Keyword", span, type(node).__name__.lower())
            case ast.For():
                return ("For", span[0], self.expr(node.target), self.expr(node.iter))
            case ast.If() | ast.While():
                return ("Conditional", span[0], type(node).__name__.lower(), self.expr(node.test))
            case ast.With():
                items = tuple((self.expr(item.context_expr), self.expr(item.optional_vars)) for item in node.items)
                return ("With", span[0], items)
            case ast.FunctionDef():
                return ("DefHead", span[0], node.name, self.expr(node.returns), self.parameters(node.args))
            case ast.ClassDef():
                return ("ClassHead", span[0], node.name, self.arguments(node.bases, node.keywords))
            case ast.Assert():
                children = [part for part in (node.test, node.msg) if part is not None]
                return ("OtherStmt", span, "assert", self.all(children), ())
            case ast.Raise():
                children = [part for part in (node.exc, node.cause) if part is not None]
                return ("OtherStmt", span, "raise", self.all(children), ())
            case ast.Global() | ast.Nonlocal():
                return ("OtherStmt", span, type(node).__name__.lower(), (), tuple(node.names))
            case ast.Import() | ast.ImportFrom():
                names = [alias.asname or alias.name.split(".")[0] for alias in node.names if alias.name != "*"]
                return ("OtherStmt", span, "import", (), tuple(names))
            case ast.Try():
                return ("OtherStmt", span[0], "try", (), ())
            case ast.Match():
                return ("OtherStmt", span[0], "match", self.all([node.subject]), ())
            case ast.AsyncFor():
                return ("OtherStmt", span[0], "async for", self.all([node.target, node.iter]), ())
            case ast.AsyncWith():
                inside = [part for item in node.items for part in (item.context_expr, item.optional_vars)]
                return ("OtherStmt", span[0], "async with", self.all(filter(None, inside)), ())
            case ast.AsyncFunctionDef():
                return ("OtherStmt", span[0], "async function", (), (node.name,))
            case ast.Delete():
                return ("OtherStmt", span, "del", None, ())
        raise AssertionError(f"no view of {node!r}")

    def body(self, node: Any) -> tuple[Any, ...]:
        """A statement and what stands in its body."""
        inner = getattr(node, "body", [])
        return (self.statement(node), *(self.statement(child) for child in inner))


def view(node: Any) -> Any:
    """The same tuples from ``syntax``."""
    if node is None:
        return None
    if isinstance(node, tuple):
        return tuple(view(part) for part in node)
    span = tuple(node.span)
    match node:
        case syntax.Name():
            return ("Name", span, node.id)
        case syntax.Literal():
            return ("Literal", span, type(node.value).__name__, repr(node.value))
        case syntax.Attribute():
            return ("Attribute", span, view(node.base), node.attr)
        case syntax.Argument():
            return ("Argument", span, node.keyword, node.star, view(node.value))
        case syntax.Call():
            return ("Call", span, view(node.func), view(node.args))
        case syntax.Subscript():
            return ("Subscript", span, view(node.base), view(node.items))
        case syntax.Slice():
            return ("Slice", span, view(node.lower), view(node.upper), view(node.step))
        case syntax.Unary():
            return ("Unary", span, node.op, view(node.operand))
        case syntax.Binary():
            return ("Binary", span, node.op, view(node.left), view(node.right))
        case syntax.Compare():
            return ("Compare", span, node.ops, view(node.operands))
        case syntax.ListDisplay() | syntax.TupleDisplay():
            return (type(node).__name__, span, view(node.items))
        case syntax.Comprehension():
            parts = (view(node.element), view(node.target), view(node.iterable), view(node.conditions))
            return ("Comprehension", span, *parts)
        case syntax.Other():
            return ("Other", span, node.what, view(node.children) if node.what != "f-string" else None)
    return _view_statement(node, span)


def _view_statement(node: Any, span: Any) -> Any:
    match node:
        case syntax.Assign():
            return ("Assign", span, view(node.targets), view(node.annotation), view(node.value))
        case syntax.AugAssign():
            return ("AugAssign", span, view(node.target), node.op, view(node.value))
        case syntax.ExprStmt() | syntax.Return():
            return (type(node).__name__, span, view(node.value))
        case syntax.Keyword():
            return ("Keyword", span, node.word)
        case syntax.For():
            return ("For", span, view(node.target), view(node.iterable))
        case syntax.Conditional():
            return ("Conditional", span, node.word, view(node.condition))
        case syntax.Else():
            return ("Else", span)
        case syntax.With():
            return ("With", span, tuple((view(item.value), view(item.target)) for item in node.items))
        case syntax.Decorator():
            return ("Decorator", span, view(node.value))
        case syntax.Parameter():
            name = tuple(node.name_span)
            return ("Parameter", name, node.name, node.star, view(node.annotation), view(node.default))
        case syntax.DefHead():
            return ("DefHead", span, node.name, view(node.returns), view(node.parameters))
        case syntax.ClassHead():
            return ("ClassHead", span, node.name, view(node.arguments))
        case syntax.OtherStmt():
            children = view(node.children) if node.what != "del" else None
            return ("OtherStmt", span, node.what, children, tuple(name.id for name in node.targets))
    raise AssertionError(f"no view of {node!r}")


def same(ours: Any, theirs: Any) -> bool:
    """``theirs`` is a view of ``ast``: its None spans match any, its one-number spans a beginning."""
    if not (isinstance(ours, tuple) and isinstance(theirs, tuple)):
        return bool(ours == theirs)
    if len(ours) != len(theirs):
        return False
    if ours and isinstance(ours[0], str) and ours[0][:1].isupper() and len(ours) > 1:
        if ours[0] != theirs[0]:
            return False
        place = theirs[1]
        if isinstance(place, int):
            if ours[1][0] != place:
                return False
        elif place is not None and ours[1] != place:
            return False
        return all(same(a, b) for a, b in zip(ours[2:], theirs[2:]))
    return all(same(a, b) for a, b in zip(ours, theirs))


def assert_agreement(text: str, kind: UnitKind) -> None:
    """A valid unit has the structure and the places that ``ast`` gives it."""
    unit = UnitCache().get(text, kind)
    assert unit.broken is None, unit.broken
    ours = tuple(view(statement) for statement in unit.statements)
    theirs = _expected(text, kind)
    assert same(ours, theirs), f"{text!r}\n{ours}\n{theirs}"


def _expected(text: str, kind: UnitKind) -> tuple[Any, ...]:
    if kind is UnitKind.PARAMETER:
        source = f"def _({text}\n): pass"
        definition = ast.parse(source).body[0]
        assert isinstance(definition, ast.FunctionDef)
        return AstView(source, len("def _(")).parameters(definition.args)
    if kind is UnitKind.DECORATOR:
        source = f"{text}\ndef _(): pass"
        definition = ast.parse(source).body[0]
        assert isinstance(definition, ast.FunctionDef)
        return (("Decorator", None, AstView(source).expr(definition.decorator_list[0])),)
    headless = text.endswith(":")
    source = text
    if headless:
        source += "\n case _: pass" if text.startswith("match") else "\n pass"
    if text.startswith("try"):
        source += "\nfinally: pass"
    found = AstView(source)
    body = ast.parse(source).body
    if headless:
        return (found.statement(body[0]),)
    if not isinstance(body[0], ast.Expr) and hasattr(body[0], "body"):
        return found.body(body[0])
    return tuple(found.statement(statement) for statement in body)
