"""Integer ranges of scalar expressions, and comparisons that hold for every value in them."""

from __future__ import annotations

from collections.abc import Set

from pto_lsp.analysis.ir.affine import Affine, affine
from pto_lsp.analysis.ir.expressions import Binary, Cast, Const, Expr, Op, Symbol, Unary, Var
from pto_lsp.analysis.ir.types import ScalarType, Type
from pto_lsp.analysis.ir.visitor import left_spine, variables

Interval = tuple["int | None", "int | None"]
"""Inclusive ends; None is unbounded."""

EVERYTHING: Interval = (None, None)
NATURAL: Interval = (0, None)

_INVERSE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Bounds:
    """What is known of variables, by unique name; nothing is known of a variable that nobody spoke about."""

    def __init__(self) -> None:
        self._known: dict[str, Interval] = {}

    def assume(self, name: str, interval: Interval) -> Interval | None:
        """Narrow ``name`` to ``interval`` too; returns what was known before, for ``forget``."""
        before = self._known.get(name)
        self._known[name] = interval if before is None else intersection(before, interval)
        return before

    @property
    def names(self) -> Set[str]:
        """The variables somebody spoke about."""
        return self._known.keys()

    def known(self, name: str) -> Interval | None:
        """What somebody said about ``name``."""
        return self._known.get(name)

    def forget(self, name: str, before: Interval | None) -> None:
        if before is None:
            self._known.pop(name, None)
        else:
            self._known[name] = before

    def of(self, expr: Expr) -> Interval:
        """A range that holds every value of ``expr``."""
        if isinstance(expr, Const):
            value = expr.value
            return (value, value) if isinstance(value, int) and not isinstance(value, bool) else EVERYTHING
        if isinstance(expr, Var):
            return self._known.get(expr.name, EVERYTHING)
        if isinstance(expr, Symbol):
            return NATURAL
        if isinstance(expr, Binary):
            return self._binary(expr)
        if isinstance(expr, Unary) and expr.op == "-":
            return _negated(self.of(expr.operand))
        if isinstance(expr, Op):
            return natural(expr.type)
        if isinstance(expr, Cast):
            return self.of(expr.operand) if _keeps_integers(expr.dtype) else EVERYTHING
        return EVERYTHING

    def proves(self, condition: Expr) -> bool | None:
        """True or False when ``condition`` has that value for all values in range, None otherwise."""
        if isinstance(condition, Const):
            return condition.value if isinstance(condition.value, bool) else None
        if isinstance(condition, Unary) and condition.op == "not":
            inner = self.proves(condition.operand)
            return None if inner is None else not inner
        if not isinstance(condition, Binary):
            return None
        if condition.op in ("and", "or"):
            return self._connective(condition)
        if condition.op in _INVERSE:
            return self._comparison(condition)
        return None

    def _connective(self, condition: Binary) -> bool | None:
        left, right = self.proves(condition.left), self.proves(condition.right)
        decisive = condition.op == "or"
        if left is decisive or right is decisive:
            return decisive
        return None if left is None or right is None else not decisive

    def _comparison(self, condition: Binary) -> bool | None:
        low, high = self._difference(condition.left, condition.right)
        op = condition.op
        if op in ("==", "!="):
            if low == 0 and high == 0:
                return op == "=="
            apart = (low is not None and low > 0) or (high is not None and high < 0)
            return op == "!=" if apart else None
        if op in (">", ">="):
            low, high = _negated((low, high))
        strict = op in ("<", ">")
        if high is not None and (high < 0 if strict else high <= 0):
            return True
        if low is not None and (low >= 0 if strict else low > 0):
            return False
        return None

    def _difference(self, left: Expr, right: Expr) -> Interval:
        """Range of ``left - right``, with common terms cancelled first."""
        atoms: dict[str, Expr] = {}
        form_left, form_right = affine(left, atoms), affine(right, atoms)
        if form_left is None or form_right is None:
            return _sum(self.of(left), _negated(self.of(right)))
        return self._of_form(form_left - form_right, atoms, (left, right))

    def _of_form(self, form: Affine, atoms: dict[str, Expr], sources: tuple[Expr, ...]) -> Interval:
        total: Interval = (form.const, form.const)
        if form.is_constant:
            return total
        named = {v.name: v for source in sources for v in variables(source)}
        for atom, factor in form.terms:
            expr = atoms.get(atom) or named.get(atom)
            interval = EVERYTHING if expr is None else self.of(expr)
            total = _sum(total, _scaled(interval, factor))
        return total

    def _binary(self, expr: Binary) -> Interval:
        spine = left_spine(expr)
        result = self.of(spine[0].left)
        for step in spine:
            result = self._operation(step.op, result, self.of(step.right))
        return result

    def _operation(self, op: str, left: Interval, right: Interval) -> Interval:
        if op == "+":
            return _sum(left, right)
        if op == "-":
            return _sum(left, _negated(right))
        if op == "*":
            return _product(left, right)
        if op in ("min", "max"):
            return _extreme(op, left, right)
        divisor = right[0] if right[0] == right[1] else None
        if op == "//" and divisor is not None and divisor > 0:
            low, high = left
            return (None if low is None else low // divisor, None if high is None else high // divisor)
        if op == "%" and divisor is not None and divisor > 0:
            low, high = left
            if low is not None and low >= 0 and high is not None and high < divisor:
                return left
            return (0, divisor - 1)
        return EVERYTHING


def natural(type_: Type) -> Interval:
    """Range of a value that comes from outside: an index or an unsigned number is not negative.

    This does not hold for what is computed: ``i - 1`` is an INDEX too.
    """
    if isinstance(type_, ScalarType) and (type_.dtype == "INDEX" or type_.dtype.startswith("UINT")):
        return NATURAL
    return EVERYTHING


def _keeps_integers(dtype: str) -> bool:
    return dtype in ("INDEX", "INT64", "INT32")


def intersection(left: Interval, right: Interval) -> Interval:
    """The common part; an empty one comes back as ``left``, for contradicting facts prove nothing."""
    lows = [x for x in (left[0], right[0]) if x is not None]
    highs = [x for x in (left[1], right[1]) if x is not None]
    low, high = max(lows, default=None), min(highs, default=None)
    return left if low is not None and high is not None and low > high else (low, high)


def _negated(interval: Interval) -> Interval:
    low, high = interval
    return (None if high is None else -high, None if low is None else -low)


def _sum(left: Interval, right: Interval) -> Interval:
    return (
        None if left[0] is None or right[0] is None else left[0] + right[0],
        None if left[1] is None or right[1] is None else left[1] + right[1],
    )


def _scaled(interval: Interval, factor: int) -> Interval:
    low, high = interval if factor >= 0 else (interval[1], interval[0])
    return (None if low is None else low * factor, None if high is None else high * factor)


def _product(left: Interval, right: Interval) -> Interval:
    for one, other in ((left, right), (right, left)):
        if one[0] is not None and one[0] == one[1]:
            return _scaled(other, one[0])
    ends = (*left, *right)
    if all(e is not None for e in ends):
        found = [a * b for a in left for b in right if a is not None and b is not None]
        return (min(found), max(found))
    if left[0] is not None and right[0] is not None and left[0] >= 0 and right[0] >= 0:
        return (left[0] * right[0], None)
    return EVERYTHING


def _extreme(op: str, left: Interval, right: Interval) -> Interval:
    choose = min if op == "min" else max
    ends: list[int | None] = []
    for side in (0, 1):
        a, b = left[side], right[side]
        if a is not None and b is not None:
            ends.append(choose(a, b))
        else:
            # A minimum is bounded above by either operand, a maximum below.
            one_suffices = (op == "min") == (side == 1)
            ends.append((a if b is None else b) if one_suffices else None)
    return (ends[0], ends[1])


def refinements(condition: Expr, holds: bool) -> list[tuple[str, Interval]]:
    """What knowing that ``condition`` is ``holds`` says about single variables."""
    if isinstance(condition, Unary) and condition.op == "not":
        return refinements(condition.operand, not holds)
    if not isinstance(condition, Binary):
        return []
    if condition.op in ("and", "or"):
        if (condition.op == "and") != holds:
            return []
        return refinements(condition.left, holds) + refinements(condition.right, holds)
    if condition.op not in _INVERSE:
        return []
    op = condition.op if holds else _INVERSE[condition.op]
    left, right = affine(condition.left), affine(condition.right)
    if left is None or right is None:
        return []
    form = left - right
    if len(form.terms) != 1:
        return []
    name, factor = form.terms[0]
    return _solved(name, factor, form.const, op)


def _solved(name: str, factor: int, const: int, op: str) -> list[tuple[str, Interval]]:
    """``factor * name + const  op  0`` solved for ``name``."""
    if op == "!=":
        return []
    if op == "==":
        return [(name, (-const // factor, -const // factor))] if const % factor == 0 else []
    if op in (">", ">="):
        factor, const, op = -factor, -const, {">": "<", ">=": "<="}[op]
    limit = -const - (1 if op == "<" else 0)
    # factor * name <= limit
    if factor > 0:
        return [(name, (None, limit // factor))]
    return [(name, (-(limit // -factor), None))]
