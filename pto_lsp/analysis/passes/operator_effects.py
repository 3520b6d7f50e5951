"""Which operand an operator writes in place, and whether it reads what was there (semantics.md 2.1-2.6).

An operator that is in no table reads its operands and writes none of them. Results that are a written operand's buffer
are in ``ir.write_backs``.
"""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Const, Enumerator, Op

OVERWRITES = {
    "store": 2,
    "tile.store": 2,
    "mscatter": 2,
    "tile.mscatter": 2,
    "tensor.assemble": 0,
    "tensor.write": 0,
    "pld.tile.remote_store": 1,
    "pld.tile.put": 0,
    "pld.tile.get": 0,
    "pld.tensor.put": 0,
    "pld.tensor.get": 0,
}
"""Operator → the operand it overwrites (in part) without reading it."""

UPDATES = {
    "pld.tensor.allreduce": (0, 1),
    "pld.tensor.reduce_scatter": (0, 1),
    "pld.tensor.broadcast": (0, 1),
    "pld.tensor.barrier": (0,),
    "pld.tensor.allgather": (1, 2),
    "pld.tensor.all_to_all": (1, 2),
    "pld.tensor.all_to_all_v": (1, 2, 4),
    "pld.system.notify": (0,),
}
"""Operator → the operands it reads and writes."""

VIEWS = frozenset({"tensor.slice", "tensor.view", "tensor.reshape", "tensor.transpose", "tensor.reinterpret_view"})
"""Same storage under another descriptor."""

_NOT_ATOMIC = frozenset({"None", "NONE", "None_", "kNone"})


def overwritten(op: Op) -> int | None:
    """The operand that ``op`` writes without reading it; an atomic accumulation (2.4) has none."""
    slot = OVERWRITES.get(op.name)
    if slot is None or slot >= len(op.args) or is_atomic(op):
        return None
    return slot


def written(op: Op) -> tuple[int, ...]:
    """Every operand ``op`` writes, read or not."""
    slot = OVERWRITES.get(op.name)
    if slot is not None:
        return (slot,) if slot < len(op.args) else ()
    return tuple([i for i in UPDATES.get(op.name, ()) if i < len(op.args)])


def is_atomic(op: Op) -> bool:
    """``atomic=`` anything but none: the destination is accumulated into."""
    for keyword in op.keywords:
        if keyword.name == "atomic":
            value = keyword.value
            if isinstance(value, Enumerator):
                return value.dotted.rsplit(".", 1)[-1] not in _NOT_ATOMIC
            return not (isinstance(value, Const) and not value.value)
    return False
