"""What a name of the host code is in C++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from pto_lsp.backend.orchestration.errors import NotEmitted


@dataclass(frozen=True, slots=True)
class TensorText:
    """``text`` is an lvalue of type ``ChipTensor``. ``exact``: it certainly has the extents of its type, unclamped."""

    text: str
    exact: bool = False


@dataclass(frozen=True, slots=True)
class NumberText:
    """``slot`` is the boundary slot that a task has to be given instead of the value (replay.md §3); "" for others."""

    text: str
    slot: str = ""


@dataclass(frozen=True, slots=True)
class TaskText:
    """A task id; ``valid`` when it certainly is one."""

    text: str
    valid: bool


@dataclass(frozen=True, slots=True)
class ArrayText:
    """A ``std::array`` of task ids."""

    text: str
    extent: int


HostText = Union[TensorText, NumberText, TaskText, ArrayText, "tuple[HostText, ...]"]
NO_TASK = TaskText("PTO2TaskId::invalid()", False)
FAILED = TensorText("")
"""In the place of what has no code: whatever uses it has none either."""


def text_of(value: HostText) -> str:
    if isinstance(value, tuple):
        raise NotEmitted("several values in the place of one")
    return value.text


def texts_of(value: HostText) -> tuple[str, ...]:
    return tuple([text for each in value for text in texts_of(each)]) if isinstance(value, tuple) else (value.text,)


def replaceable(start: HostText, update: HostText) -> bool:
    """Whether one variable can hold both, one after the other."""
    if isinstance(start, ArrayText):
        return isinstance(update, ArrayText) and update.extent == start.extent
    return not isinstance(start, tuple)
