"""Structural equality of IR, for finding out whether what was computed from it before still holds."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import LineStart, SourceId


def alike(left: object, right: object) -> bool:
    """Whether two expressions, types or places say the same in every field, spans included.

    Functions and lines are the same only as objects: what they stand for is known by their identity.
    """
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right):
        return False
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(a is b or alike(a, b) for a, b in zip(left, right))
    if kind is SourceId or kind is LineStart:
        return False
    fields: tuple[str, ...] | None = getattr(kind, "__slots__", None)
    if fields and hasattr(kind, "__dataclass_fields__"):
        for name in fields:
            a, b = getattr(left, name), getattr(right, name)
            if a is not b and not alike(a, b):
                return False
        return True
    # 1, 1.0 and True were told apart by their types; 0.0 and -0.0 are not equal as text.
    return repr(left) == repr(right) if kind is float else left == right
