"""Texts of logical lines to ``syntax.Unit``, cached by text."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from pto_lsp.analysis.source.parse_units import parse_units
from pto_lsp.analysis.source.signature import Signature, split_signature
from pto_lsp.analysis.source.syntax import Expr, ExprStmt, Unit
from pto_lsp.analysis.source.wrapping import UnitKind

__all__ = ["UnitCache", "UnitKind", "parse_expression"]


_SIGNATURES = 16
"""Headers that are kept in pieces: an edit needs that of the function it is in, which is seldom another one."""


class UnitCache:
    """Units by text and kind, the least recently used dropped beyond ``capacity``. Not for use by several threads."""

    def __init__(self, capacity: int = 8_192) -> None:
        self._capacity = capacity
        self._units: OrderedDict[tuple[str, UnitKind], Unit] = OrderedDict()
        self._signatures: OrderedDict[str, Signature | None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._units)

    def get(self, text: str, kind: UnitKind) -> Unit:
        """The unit of ``text``, the same object for every occurrence of the same line."""
        key = (text, kind)
        unit = self._units.get(key)
        if unit is None:
            return self.get_many([key])[0]
        self._units.move_to_end(key)
        return unit

    def signature(self, text: str) -> Signature | None:
        """`split_signature` of the header ``text``."""
        signatures = self._signatures
        if text not in signatures:
            signatures[text] = split_signature(text)
            if len(signatures) > _SIGNATURES:
                signatures.popitem(last=False)
        signatures.move_to_end(text)
        return signatures[text]

    def get_many(self, items: Sequence[tuple[str, UnitKind]]) -> list[Unit]:
        """One unit per item, in order. What is not cached is parsed in one go, much cheaper than one by one."""
        units = self._units
        missing = list(dict.fromkeys(item for item in items if item not in units))
        fresh = dict(zip(missing, parse_units(missing)))
        result = []
        for item in items:
            unit = fresh.get(item)
            if unit is None:
                unit = units[item]
                units.move_to_end(item)
            result.append(unit)
        units.update(fresh)
        while len(units) > self._capacity:
            units.popitem(last=False)
        return result


def parse_expression(text: str) -> Expr | None:
    """The expression that ``text``, the value of a string annotation, consists of; spans count from its beginning.

    None when it is not an expression or too deeply nested.
    """
    statements = parse_units([(text, UnitKind.EXPRESSION)])[0].statements
    return statements[0].value if statements and isinstance(statements[0], ExprStmt) else None
