"""The arguments of a command, as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams


@dataclass(frozen=True, slots=True)
class Selection:
    """Which function is meant: the one of that name, else the one at ``position``, else the first that will do."""

    function: str | None = None
    position: types.Position | None = None


class Arguments:
    """Every method raises `JsonRpcInvalidParams` for an argument that is not what the command expects."""

    def __init__(self, command: str, values: Sequence[Any]) -> None:
        self._command = command
        self._values = values

    def text(self, index: int, what: str) -> str:
        value = self._at(index)
        if not isinstance(value, str) or not value:
            raise self._wrong(index, what)
        return value

    def optional_text(self, index: int, what: str) -> str | None:
        return None if self._at(index) is None else self.text(index, what)

    def choice(self, index: int, allowed: Sequence[str]) -> str:
        """The first of ``allowed`` where nothing is given."""
        value = self._at(index)
        if value is None:
            return allowed[0]
        if value not in allowed:
            raise self._wrong(index, f"one of {', '.join(allowed)}")
        return str(value)

    def optional_count(self, index: int) -> int | None:
        value = self._at(index)
        if value is not None and not _is_index(value):
            raise self._wrong(index, "a number")
        return None if value is None else int(value)

    def selection(self, index: int) -> Selection:
        """A function's name, a position, or an object that holds one of them."""
        value = self._at(index)
        if value is None:
            return Selection()
        if isinstance(value, str):
            return Selection(function=value)
        function, position = _member(value, "function"), _member(value, "position")
        if isinstance(function, str):
            return Selection(function=function)
        line, character = (_member(value if position is None else position, key) for key in ("line", "character"))
        if not _is_index(line) or not _is_index(character):
            raise self._wrong(index, "a function's name or a position")
        return Selection(position=types.Position(line, character))

    def position(self, index: int) -> types.Position:
        position = self.selection(index).position
        if position is None:
            raise self._wrong(index, "a position")
        return position

    def _at(self, index: int) -> Any:
        return self._values[index] if index < len(self._values) else None

    def _wrong(self, index: int, what: str) -> JsonRpcInvalidParams:
        return JsonRpcInvalidParams(f"{self._command}: argument {index + 1} must be {what}")


def _member(value: Any, key: str) -> Any:
    # The protocol library makes objects of the JSON objects it does not know.
    return value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)


def _is_index(value: Any) -> bool:
    # The protocol's `uinteger`.
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
