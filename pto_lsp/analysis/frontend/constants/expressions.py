"""Evaluation of ``syntax`` expressions, for annotations, keyword arguments and iterables inside DSL functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pto_lsp.analysis.frontend.constants.ast_statements import AstStatements
from pto_lsp.analysis.frontend.constants.env import NO_MODULES, ModuleEnv
from pto_lsp.analysis.frontend.constants.library import BUILTINS
from pto_lsp.analysis.frontend.constants.limits import CALL_STEPS, Raised, Unknowable, check_nesting
from pto_lsp.analysis.frontend.constants.operators import binary, compare, plain, unary
from pto_lsp.analysis.frontend.constants.values import MISSING, UNKNOWN, Value
from pto_lsp.analysis.source import syntax

Lookup = Callable[[str], Value]


def evaluate(expr: syntax.Expr, lookup: Lookup, env: ModuleEnv | None = None) -> Value:
    """Value of ``expr``; UNKNOWN when it is not known or would raise.

    ``lookup`` gives the value of a name, ``MISSING`` for one it does not know, which then may be a builtin. ``env`` is
    where functions and properties of the user's find their globals; without it only those that use none are evaluated.
    """
    if type(expr) is syntax.Literal:
        return expr.value
    evaluator = SyntaxEvaluator(lookup, env)
    try:
        return evaluator.heap.sound(evaluator.value_of(expr))
    except Exception:
        return UNKNOWN


class SyntaxEvaluator(AstStatements):
    """One evaluation. Comprehension variables are in ``_local``."""

    def __init__(self, lookup: Lookup, env: ModuleEnv | None) -> None:
        super().__init__(NO_MODULES if env is None else env.modules, CALL_STEPS)
        self._lookup = lookup
        self._local: dict[str, Value] = {}

    def value_of(self, expr: syntax.Expr) -> Value:
        method = _METHODS.get(type(expr))
        return UNKNOWN if method is None else method(self, expr)

    def _literal_syntax(self, expr: syntax.Literal) -> Value:
        return expr.value

    def _name_syntax(self, expr: syntax.Name) -> Value:
        if expr.id in self._local:
            return self._local[expr.id]
        value = self._lookup(expr.id)
        if value is MISSING:
            value = BUILTINS.get(expr.id, UNKNOWN)
        return value

    def _attribute_syntax(self, expr: syntax.Attribute) -> Value:
        return self.attribute(self.value_of(expr.base), expr.attr)

    def _call_syntax(self, expr: syntax.Call) -> Value:
        function = self.value_of(expr.func)
        args: list[Value] = []
        keywords: dict[str, Value] = {}
        for argument in expr.args:
            value = self.value_of(argument.value)
            if argument.star == "*":
                args.extend(self.iterate(value))
            elif argument.star == "**":
                if not isinstance(value, dict) or not all(type(key) is str for key in value):
                    return UNKNOWN
                keywords.update(value)
            elif argument.keyword is None:
                args.append(value)
            else:
                keywords[argument.keyword] = value
        return self.call(function, args, keywords)

    def _subscript_syntax(self, expr: syntax.Subscript) -> Value:
        base = self.value_of(expr.base)
        indices = [self._index(item) for item in expr.items]
        if UNKNOWN in indices:
            return UNKNOWN
        return self.item(base, indices[0] if len(indices) == 1 else tuple(indices))

    def _index(self, item: syntax.Expr | syntax.Slice) -> Value:
        if not isinstance(item, syntax.Slice):
            return self.value_of(item)
        parts = [None if part is None else plain(self.value_of(part)) for part in (item.lower, item.upper, item.step)]
        return UNKNOWN if UNKNOWN in parts else slice(*parts)

    def _unary_syntax(self, expr: syntax.Unary) -> Value:
        operand = self.value_of(expr.operand)
        return UNKNOWN if operand is UNKNOWN else unary(expr.op, operand)

    def _binary_syntax(self, expr: syntax.Binary) -> Value:
        left = self.value_of(expr.left)
        if expr.op in ("and", "or"):
            truth = self.truth(left)
            if truth is None:
                return UNKNOWN
            return left if truth is (expr.op == "or") else self.value_of(expr.right)
        right = self.value_of(expr.right)
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
        return self.own(binary(expr.op, left, right))

    def _compare_syntax(self, expr: syntax.Compare) -> Value:
        left = self.value_of(expr.operands[0])
        result: Value = True
        for op, operand in zip(expr.ops, expr.operands[1:]):
            right = self.value_of(operand)
            result = compare(op, left, right)
            if result is UNKNOWN or not result:
                return result
            left = right
        return result

    def _list_syntax(self, expr: syntax.ListDisplay) -> Value:
        return self.own(self._all(expr.items))

    def _tuple_syntax(self, expr: syntax.TupleDisplay) -> Value:
        return tuple(self._all(expr.items))

    def _all(self, items: tuple[syntax.Expr, ...]) -> list[Value]:
        found = [self.value_of(item) for item in items]
        self.budget.charge(check_nesting(None, found) // 32)
        return found

    def _comprehension_syntax(self, expr: syntax.Comprehension) -> Value:
        found: list[Value] = []
        outer = dict(self._local)
        try:
            for value in self.iterate(self.value_of(expr.iterable)):
                self.budget.spend()
                self._bind_syntax(expr.target, value)
                truths = [self.truth(self.value_of(condition)) for condition in expr.conditions]
                if None in truths:
                    raise Unknowable
                if all(truths):
                    found.append(self.value_of(expr.element))
        finally:
            self._local = outer
        self.budget.charge(check_nesting(None, found) // 32)
        return self.own(found)

    def _bind_syntax(self, target: syntax.Expr, value: Value) -> None:
        if isinstance(target, syntax.Name):
            self._local[target.id] = value
        elif isinstance(target, (syntax.TupleDisplay, syntax.ListDisplay)):
            parts = self.iterate(value)
            if len(parts) != len(target.items):
                raise Raised("ValueError")
            for item, part in zip(target.items, parts):
                self._bind_syntax(item, part)
        else:
            raise Unknowable


_METHODS: dict[type, Callable[[Any, Any], Value]] = {
    syntax.Name: SyntaxEvaluator._name_syntax,
    syntax.Literal: SyntaxEvaluator._literal_syntax,
    syntax.Attribute: SyntaxEvaluator._attribute_syntax,
    syntax.Call: SyntaxEvaluator._call_syntax,
    syntax.Subscript: SyntaxEvaluator._subscript_syntax,
    syntax.Unary: SyntaxEvaluator._unary_syntax,
    syntax.Binary: SyntaxEvaluator._binary_syntax,
    syntax.Compare: SyntaxEvaluator._compare_syntax,
    syntax.ListDisplay: SyntaxEvaluator._list_syntax,
    syntax.TupleDisplay: SyntaxEvaluator._tuple_syntax,
    syntax.Comprehension: SyntaxEvaluator._comprehension_syntax,
}
