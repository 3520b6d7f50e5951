"""A graph that the runtime recorded: its ``deps.json`` and the names of kernels beside it (graph-view.md §1, §5).

The file has ``tasks`` in order of submission, ``tensors`` and ``edges``. Ids are 64-bit numbers, the ring in the upper
half and a counter in the lower one, written as strings. A task without a kernel in any of its three slots is a dummy;
one that only edges mention is an allocation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pto_lsp.analysis.node import node


class Malformed(ValueError):
    """The text is no such file; the message says what is wrong, and where."""


@node
class RecordedTask:
    """``kernels`` are the ids in its slots, ``names`` what they are called, as far as that is known."""

    id: int
    kernels: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def is_dummy(self) -> bool:
        return not self.kernels

    @property
    def shown(self) -> str:
        """As the runtime's own tools show a task: its kernel, its ring and its number."""
        name = " + ".join(self.names) or ("dummy" if self.is_dummy else f"f{self.kernels[0]}")
        return f"{name} (r{self.id >> 32}t{self.id & 0xFFFFFFFF})"


@node
class Recording:
    """``edges`` are pairs of positions in ``tasks``; those of allocations are left out."""

    tasks: tuple[RecordedTask, ...]
    edges: frozenset[tuple[int, int]]


def parse_recording(text: str, names: Mapping[int, str]) -> Recording:
    """``names`` gives the name of a kernel by its id. Raises `Malformed`."""
    data = _json(text)
    if not isinstance(data, dict) or not isinstance(data.get("edges"), list):
        raise Malformed("no object with a list of edges")
    listed = data.get("tasks")
    if not isinstance(listed, list):
        raise Malformed("no list of tasks: the record was made by an older runtime")
    tasks: dict[int, RecordedTask] = {}
    for number, entry in enumerate(listed):
        where = f"tasks[{number}]"
        if not isinstance(entry, dict):
            raise Malformed(f"{where} is no object")
        own = _id(entry.get("task_id"), f"{where}.task_id")
        if own in tasks:
            raise Malformed(f"{where}: task {own} is listed twice")
        kernels = tuple(_kernels(entry.get("kernel_ids"), f"{where}.kernel_ids"))
        called = dict.fromkeys(names[kernel] for kernel in kernels if kernel in names)
        tasks[own] = RecordedTask(own, kernels, tuple(called))
    position = {own: number for number, own in enumerate(tasks)}
    edges: set[tuple[int, int]] = set()
    for number, entry in enumerate(data["edges"]):
        where = f"edges[{number}]"
        if not isinstance(entry, dict):
            raise Malformed(f"{where} is no object")
        pred, succ = _id(entry.get("pred"), f"{where}.pred"), _id(entry.get("succ"), f"{where}.succ")
        if pred in position and succ in position and pred != succ:
            edges.add((position[pred], position[succ]))
    return Recording(tuple(tasks.values()), frozenset(edges))


def parse_names(text: str) -> dict[int, str]:
    """The names of kernels by id, of a ``name_map*.json``. Raises `Malformed`."""
    data = _json(text)
    if isinstance(data, dict) and isinstance(data.get("callable_id_to_name"), dict):
        data = data["callable_id_to_name"]
    if not isinstance(data, dict):
        raise Malformed("no object with the names of kernels")
    return {int(key): name for key, name in data.items() if key.isdecimal() and isinstance(name, str)}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        raise Malformed(f"no JSON: {fault.msg} in line {fault.lineno}, column {fault.colno}") from None
    except RecursionError:
        raise Malformed("no such JSON: too deeply nested") from None


def _id(value: object, where: str) -> int:
    """A 64-bit id, written as a string or, by older runtimes, as a number."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    if type(value) is int and 0 <= value < 1 << 64:
        return value
    raise Malformed(f"{where} is no task id")


def _kernels(value: object, where: str) -> Iterator[int]:
    """The active slots of [AIC, AIV0, AIV1]."""
    if not isinstance(value, list):
        raise Malformed(f"{where} is no list")
    for slot in value:
        if type(slot) is not int:
            raise Malformed(f"{where} holds something that is no number")
        if slot >= 0:
            yield slot
