"""Integer values of the analysis: plain ``int`` where known, polynomials over symbols otherwise.

Two values of one run are comparable by subtraction: equal symbols cancel, so ``i*32`` and ``(i+1)*32`` differ by the
constant 32 although ``i`` is unknown. Everything that is no polynomial (``//``, ``%``, ``min`` …) becomes a symbol of
its own, the same one for the same operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union


class Symbol:
    """An unknown integer with inclusive bounds, None where there is none. ``ordinal`` orders symbols of one run."""

    __slots__ = ("high", "low", "name", "ordinal")

    def __init__(self, name: str, ordinal: int, low: int | None = None, high: int | None = None) -> None:
        self.name = name
        self.ordinal = ordinal
        self.low = low
        self.high = high

    def __lt__(self, other: Symbol) -> bool:
        return self.ordinal < other.ordinal


Monomial = tuple[Symbol, ...]


class Poly:
    """A polynomial with integer coefficients that is not constant. ``terms`` maps a sorted monomial to a non-zero
    coefficient; the empty monomial is the constant. Never changed once made.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: dict[Monomial, int]) -> None:
        self.terms = terms

    def __eq__(self, other: object) -> bool:
        return other.__class__ is Poly and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))


Scalar = Union[int, Poly]


def of_symbol(symbol: Symbol) -> Poly:
    return Poly({(symbol,): 1})


def _normal(terms: dict[Monomial, int]) -> Scalar:
    if not terms:
        return 0
    if len(terms) == 1 and () in terms:
        return terms[()]
    return Poly(terms)


def add(a: Scalar, b: Scalar) -> Scalar:
    if type(a) is int:
        if type(b) is int:
            return a + b
        a, b = b, a
    terms = dict(a.terms)  # type: ignore[union-attr]
    if type(b) is int:
        if b:
            total = terms.get((), 0) + b
            if total:
                terms[()] = total
            else:
                del terms[()]
        return Poly(terms)
    for monomial, factor in b.terms.items():  # type: ignore[union-attr]
        total = terms.get(monomial, 0) + factor
        if total:
            terms[monomial] = total
        else:
            del terms[monomial]
    return _normal(terms)


def negate(a: Scalar) -> Scalar:
    return multiply(a, -1)


def subtract(a: Scalar, b: Scalar) -> Scalar:
    if type(b) is int:
        return add(a, -b)
    return add(a, multiply(b, -1))


def multiply(a: Scalar, b: Scalar) -> Scalar:
    if type(a) is int:
        if type(b) is int:
            return a * b
        a, b = b, a
    if type(b) is int:
        if b == 0:
            return 0
        return Poly({monomial: factor * b for monomial, factor in a.terms.items()})  # type: ignore[union-attr]
    terms: dict[Monomial, int] = {}
    for left, p in a.terms.items():  # type: ignore[union-attr]
        for right, q in b.terms.items():  # type: ignore[union-attr]
            monomial = tuple(sorted(left + right)) if left and right else left or right
            total = terms.get(monomial, 0) + p * q
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
    return _normal(terms)


def substitute(value: Scalar, bindings: dict[Symbol, Scalar]) -> Scalar:
    """``value`` with symbols replaced; symbols without a binding stay."""
    if isinstance(value, int):
        return value
    for monomial in value.terms:
        if any(symbol in bindings for symbol in monomial):
            break
    else:
        return value
    total: Scalar = 0
    for monomial, factor in value.terms.items():
        product: Scalar = factor
        for symbol in monomial:
            bound = bindings.get(symbol)
            product = multiply(product, of_symbol(symbol) if bound is None else bound)
        total = add(total, product)
    return total


def bounds(value: Scalar) -> tuple[int | None, int | None]:
    """Inclusive lower and upper bound from the bounds of the symbols; None where there is none."""
    if isinstance(value, int):
        return value, value
    low: int | None = 0
    high: int | None = 0
    for monomial, factor in value.terms.items():
        below, above = _monomial_bounds(monomial)
        if factor < 0:
            below, above = above, below
        low = None if low is None or below is None else low + factor * below
        high = None if high is None or above is None else high + factor * above
        if low is None and high is None:
            break
    return low, high


def _monomial_bounds(monomial: Monomial) -> tuple[int | None, int | None]:
    if not monomial:
        return 1, 1
    if len(monomial) == 1:
        return monomial[0].low, monomial[0].high
    low, high = 1, 1
    bounded = True
    for symbol in monomial:
        if symbol.low is None or symbol.low < 0:
            return None, None
        low *= symbol.low
        if symbol.high is None:
            bounded = False
        else:
            high *= symbol.high
    return low, high if bounded else None


def symbols(value: Scalar) -> tuple[Symbol, ...]:
    if isinstance(value, int):
        return ()
    return tuple(dict.fromkeys(symbol for monomial in value.terms for symbol in monomial))


def coefficient(value: Poly, symbol: Symbol) -> int | None:
    """The constant factor of ``symbol``; None where it occurs in a product with another symbol."""
    found = 0
    for monomial, factor in value.terms.items():
        if symbol in monomial:
            if len(monomial) > 1:
                return None
            found = factor
    return found


def text(value: Scalar) -> str:
    """As an author would write it: ``i*32 + 8``."""
    if isinstance(value, int):
        return str(value)
    parts: list[str] = []
    for monomial, factor in sorted(value.terms.items(), key=lambda item: (not item[0], item[0])):
        names = "*".join(symbol.name for symbol in monomial)
        if not monomial:
            part = str(abs(factor))
        elif abs(factor) == 1:
            part = names
        else:
            part = f"{names}*{abs(factor)}"
        sign = "-" if factor < 0 else "+"
        parts.append(f" {sign} {part}" if parts else part if factor > 0 else f"-{part}")
    return "".join(parts)


class Symbols:
    """Makes the symbols of one run; asks for the same operation on the same operands give the same symbol.

    ``made`` are all of them, in order. ``asked`` takes the symbols that were asked for by key, with those keys, while
    it is a list.
    """

    __slots__ = ("_earlier", "_known", "_named", "asked", "definitions", "made")

    def __init__(self, earlier: Sequence[Symbol] = ()) -> None:
        """``earlier`` are the symbols of another run, which is over: those that say the same are used again."""
        self._earlier = earlier
        self._known: dict[object, Symbol] = {}
        self._named: set[Symbol] = set()
        self.asked: list[tuple[object, Symbol]] | None = None
        self.made: list[Symbol] = []
        self.definitions: dict[Symbol, tuple[str, Scalar, Scalar]] = {}

    def fresh(self, name: str, low: int | None = None, high: int | None = None) -> Symbol:
        made = self.made
        place = len(made)
        if place < len(self._earlier):
            earlier = self._earlier[place]
            if earlier.name == name and earlier.low == low and earlier.high == high:
                made.append(earlier)
                return earlier
        symbol = Symbol(name, place + 1, low, high)
        made.append(symbol)
        return symbol

    def known(self, key: object) -> Symbol | None:
        """The symbol that was asked for by ``key``."""
        return self._known.get(key)

    def named(self, name: str, low: int | None = None, high: int | None = None, key: object = None) -> Symbol:
        """The one symbol of that name, such as a dynamic extent; of that ``key`` where names alone could clash."""
        key = name if key is None else key
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.fresh(name, low, high)
            self._named.add(found)
        if self.asked is not None:
            self.asked.append((key, found))
        return found

    def is_settled(self, symbol: Symbol, before: int) -> bool:
        """Whether ``symbol`` has one value all through the run: by its name, as one of the first ``before``, or
        computed from such.
        """
        if symbol.ordinal <= before or symbol in self._named:
            return True
        definition = self.definitions.get(symbol)
        if definition is None:
            return False
        return all(self.is_settled(s, before) for value in definition[1:] for s in symbols(value))

    def divide(self, a: Scalar, b: Scalar) -> Scalar:
        """Floor division."""
        if isinstance(b, int):
            if b == 0:
                return of_symbol(self.fresh("?"))
            if isinstance(a, int):
                return a // b
            if all(factor % b == 0 for factor in a.terms.values()):
                return _normal({monomial: factor // b for monomial, factor in a.terms.items()})
            low, high = bounds(a)
            if b > 0:
                low, high = None if low is None else low // b, None if high is None else high // b
            else:
                low, high = None, None
            return of_symbol(self._opaque("//", a, b, low, high))
        return of_symbol(self._opaque("//", a, b))

    def modulo(self, a: Scalar, b: Scalar) -> Scalar:
        if isinstance(b, int) and b > 0:
            if isinstance(a, int):
                return a % b
            rest = _normal({monomial: factor % b for monomial, factor in a.terms.items() if factor % b})
            if isinstance(rest, int):
                return rest
            low, high = bounds(rest)
            if low is not None and high is not None and low >= 0 and high < b:
                return rest
            return of_symbol(self._opaque("%", rest, b, 0, b - 1))
        if isinstance(a, int) and isinstance(b, int) and b:
            return a % b
        return of_symbol(self._opaque("%", a, b))

    def smallest(self, a: Scalar, b: Scalar) -> Scalar:
        return self._choose(a, b, 0)

    def largest(self, a: Scalar, b: Scalar) -> Scalar:
        return self._choose(a, b, 1)

    def _choose(self, a: Scalar, b: Scalar, which: int) -> Scalar:
        low, high = bounds(subtract(a, b))
        if high is not None and high <= 0:
            return (a, b)[which]
        if low is not None and low >= 0:
            return (b, a)[which]
        (al, ah), (bl, bh) = bounds(a), bounds(b)
        if which == 0:
            both_low = None if al is None or bl is None else min(al, bl)
            both_high = ah if bh is None else bh if ah is None else min(ah, bh)
        else:
            both_low = al if bl is None else bl if al is None else max(al, bl)
            both_high = None if ah is None or bh is None else max(ah, bh)
        return of_symbol(self._opaque(("min", "max")[which], a, b, both_low, both_high))

    def operation(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        """Any other operator: a symbol, the same for the same operands."""
        return of_symbol(self._opaque(op, a, b))

    def _opaque(self, op: str, a: Scalar, b: Scalar, low: int | None = None, high: int | None = None) -> Symbol:
        key = (op, a, b)
        found = self._known.get(key)
        if found is None:
            left, right = text(a), text(b)
            if not op.isalpha():
                left, right = (f"({part})" if " " in part else part for part in (left, right))
            name = f"{op}({left}, {right})" if op.isalpha() else f"({left} {op} {right})"
            found = self._known[key] = self.fresh(name, low, high)
            self.definitions[found] = key
        if self.asked is not None:
            self.asked.append((key, found))
        return found

    def apply(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        """The operation behind a symbol's definition, on other operands."""
        if op == "//":
            return self.divide(a, b)
        if op == "%":
            return self.modulo(a, b)
        if op in ("min", "max"):
            return self._choose(a, b, 0 if op == "min" else 1)
        return self.operation(op, a, b)
