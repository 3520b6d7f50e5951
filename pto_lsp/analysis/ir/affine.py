"""Linear forms over integer scalars: the normal form in which extents, offsets and trip counts are compared.

``(i + 1) * 128 - i * 128`` and ``128`` have the same form (rules.md X18). What is not linear (a product of two names, a
division, a minimum, an extent read from a tensor) becomes an *atom*: a term of its own, named by its structure, so that
two spellings of the same atom cancel.
"""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import (
    Binary,
    Cast,
    Const,
    DType,
    Enumerator,
    Expr,
    Item,
    ListExpr,
    Op,
    Symbol,
    TupleExpr,
    Unary,
    Var,
)
from pto_lsp.diagnostics import Span

Term = tuple[str, int]

_ARITHMETIC = frozenset({"+", "-", "*", "//", "%", "min", "max"})

STABLE_OPERATORS = frozenset({"tensor.dim"})
"""Operators whose value depends on their operands alone, so that two calls of them are the same atom."""


@dataclass(frozen=True, slots=True)
class Affine:
    """``const`` + Σ coefficient · atom. ``terms`` is sorted by atom and has no zero coefficient.

    An atom is the unique name of a variable, or a key that cannot be one (``structural_key``). Equal forms are equal
    values; unequal forms may still be equal values.
    """

    const: int = 0
    terms: tuple[Term, ...] = ()

    @staticmethod
    def variable(name: str) -> Affine:
        return Affine(0, ((name, 1),))

    @property
    def is_constant(self) -> bool:
        return not self.terms

    @property
    def atoms(self) -> tuple[str, ...]:
        return tuple([name for name, _ in self.terms])

    def coefficient(self, atom: str) -> int:
        for name, value in self.terms:
            if name == atom:
                return value
        return 0

    def __add__(self, other: Affine) -> Affine:
        if not other.terms:
            return Affine(self.const + other.const, self.terms)
        if not self.terms:
            return Affine(self.const + other.const, other.terms)
        return Affine(self.const + other.const, _merge(self.terms, other.terms))

    def __neg__(self) -> Affine:
        return self.scaled(-1)

    def __sub__(self, other: Affine) -> Affine:
        return self + other.scaled(-1)

    def shifted(self, by: int) -> Affine:
        return Affine(self.const + by, self.terms)

    def scaled(self, factor: int) -> Affine:
        if factor == 1:
            return self
        if factor == 0:
            return ZERO
        return Affine(self.const * factor, tuple([(name, value * factor) for name, value in self.terms]))

    def without(self, atom: str) -> Affine:
        """The form with the term of ``atom`` removed."""
        return Affine(self.const, tuple([term for term in self.terms if term[0] != atom]))

    def substituted(self, atom: str, form: Affine) -> Affine:
        """The form with ``form`` in the place of ``atom``."""
        factor = self.coefficient(atom)
        return self if factor == 0 else self.without(atom) + form.scaled(factor)

    def divided(self, by: int) -> Affine | None:
        """The exact quotient, None when a coefficient or the constant is no multiple of ``by``."""
        if by == 0 or self.const % by or any(value % by for _, value in self.terms):
            return None
        return Affine(self.const // by, tuple([(name, value // by) for name, value in self.terms]))


ZERO = Affine()


def _merge(left: tuple[Term, ...], right: tuple[Term, ...]) -> tuple[Term, ...]:
    total = dict(left)
    for name, value in right:
        value += total.get(name, 0)
        if value:
            total[name] = value
        else:
            del total[name]
    return tuple(sorted(total.items()))


def affine(expr: Expr, atoms: dict[str, Expr] | None = None) -> Affine | None:
    """The linear form of an integer expression; None when it has none (floats, strings, tensors, something unknown).

    When ``atoms`` is given, every atom that is not a plain variable is entered there with its expression.
    """
    if isinstance(expr, Const):
        value = expr.value
        return Affine(value) if isinstance(value, int) and not isinstance(value, bool) else None
    if isinstance(expr, Var):
        return Affine.variable(expr.name)
    if isinstance(expr, Binary):
        return _binary(expr, atoms)
    if isinstance(expr, Unary) and expr.op == "-":
        operand = affine(expr.operand, atoms)
        return None if operand is None else -operand
    if isinstance(expr, (Symbol, Unary, Cast, Op, Item)):
        return _atom(expr, atoms)
    return None


def _binary(expr: Binary, atoms: dict[str, Expr] | None) -> Affine | None:
    if expr.op not in _ARITHMETIC:
        return _atom(expr, atoms)
    spine = [expr]
    left = expr.left
    while isinstance(left, Binary) and left.op in _ARITHMETIC:
        spine.append(left)
        left = left.left
    form = affine(left, atoms)
    for step in reversed(spine):
        right = affine(step.right, atoms)
        if form is None or right is None:
            return None
        form = _operation(step, form, right, atoms)
    return form


def _operation(expr: Binary, left: Affine, right: Affine, atoms: dict[str, Expr] | None) -> Affine:
    op = expr.op
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*" and right.is_constant:
        return left.scaled(right.const)
    if op == "*" and left.is_constant:
        return right.scaled(left.const)
    if op in ("//", "%") and right.is_constant and right.const > 0:
        quotient = left.divided(right.const)
        if quotient is not None:
            return quotient if op == "//" else ZERO
        if left.is_constant:
            return Affine(left.const // right.const if op == "//" else left.const % right.const)
    if op in ("min", "max"):
        difference = left - right
        if difference.is_constant:
            return left if (difference.const <= 0) == (op == "min") else right
    key = f"({op} {_form_key(left)} {_form_key(right)})"
    if atoms is not None:
        atoms[key] = expr
    return Affine(0, ((key, 1),))


def _atom(expr: Expr, atoms: dict[str, Expr] | None) -> Affine | None:
    key = structural_key(expr)
    if key is None:
        return None
    if atoms is not None:
        atoms[key] = expr
    return Affine(0, ((key, 1),))


def structural_key(expr: Expr) -> str | None:
    """A text that two expressions share exactly when they are the same computation on the same variables.

    None when the value may differ between two evaluations (a read, a call) or is not known. Integer parts are keyed by
    their linear form, so ``(i + 1) // 2`` and ``(1 + i) // 2`` share a key. Only the key of a variable is a plain name.
    """
    if isinstance(expr, Var):
        return expr.name
    if isinstance(expr, Const):
        return f"={expr.value!r}"
    if isinstance(expr, Symbol):
        return f"${expr.name}"
    if isinstance(expr, (DType, Enumerator)):
        return f":{expr.name if isinstance(expr, DType) else expr.dotted}"
    if isinstance(expr, Binary):
        return _compound(expr.op, (expr.left, expr.right))
    if isinstance(expr, Unary):
        return _compound(f"unary {expr.op}", (expr.operand,))
    if isinstance(expr, Cast):
        return _compound(f"cast {expr.dtype}", (expr.operand,))
    if isinstance(expr, (ListExpr, TupleExpr)):
        return _compound("list", expr.items)
    if isinstance(expr, Item):
        return _compound(f"item {expr.index}", (expr.base,))
    if isinstance(expr, Op) and expr.name in STABLE_OPERATORS:
        return _compound(expr.name, expr.args)
    return None


def _compound(head: str, operands: tuple[Expr, ...]) -> str | None:
    parts = []
    for operand in operands:
        form = affine(operand) if isinstance(operand, (Binary, Unary)) else None
        key = structural_key(operand) if form is None else _form_key(form)
        if key is None:
            return None
        parts.append(key)
    return f"({head} {' '.join(parts)})"


def _form_key(form: Affine) -> str:
    if form.is_constant:
        return f"={form.const!r}"
    if form.const == 0 and len(form.terms) == 1 and form.terms[0][1] == 1:
        return form.terms[0][0]
    return f"[{form.const} {' '.join([f'{value}*{name}' for name, value in form.terms])}]"


def difference(upper: Expr, lower: Expr, span: Span) -> Expr:
    """``upper - lower`` at its simplest: a constant where the two differ by one, ``upper`` where ``lower`` is 0."""
    if isinstance(lower, Const) and lower.value == 0:
        return upper
    high, low = affine(upper), affine(lower)
    if high is not None and low is not None:
        form = high - low
        if form.is_constant:
            return Const(form.const, span)
    return Binary("-", upper, lower, span)
