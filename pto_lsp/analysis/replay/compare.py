"""Differences between what a replay uses and what its call should use."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pto_lsp.analysis.replay.aspects import Shown, aspects
from pto_lsp.analysis.replay.boundary import alias_partition
from pto_lsp.analysis.replay.definition import Definition, Node


class Cause(Enum):
    """FROZEN: the recording keeps a value of the first call. ALIASED: the runtime took the tensor for a view of another
    boundary slot, or two slots overlap in another way than in the recording (replay.md §2, "Aliasing hazards").
    """

    FROZEN = "frozen"
    ALIASED = "aliased"


@dataclass(frozen=True, slots=True)
class Difference:
    """``what`` names the aspect ("scalar 0", "tensor 1 offset", "fan-in"); offsets and strides are in elements.

    ``variable`` is the argument as the author wrote it, "" where none is concerned.
    """

    node: int
    kernel: str
    what: str
    variable: str
    replayed: Shown
    fresh: Shown
    cause: Cause = Cause.FROZEN


def compare(replayed: tuple[Node, ...], fresh: Definition) -> tuple[Difference, ...]:
    """Node by node; the first node that is another task ends it, since everything after it is another program."""
    found: list[Difference] = []
    partition = alias_partition(fresh.boundary)
    order = Cause.ALIASED if len(set(partition)) < len(partition) else Cause.FROZEN
    for index, (old, new) in enumerate(zip(replayed, fresh.nodes)):
        before, after = aspects(old), aspects(new)
        if old.kernel != new.kernel or len(before) != len(after):
            found.append(Difference(index, node_name(old), "kernel", "", node_name(old), node_name(new)))
            return tuple(found)
        for stale, right in zip(before, after):
            if stale.key != right.key and stale.key is not None and right.key is not None:
                cause = order if right.what == "fan-in" else Cause.ALIASED if stale.misbound else Cause.FROZEN
                found.append(
                    Difference(index, node_name(old), right.what, right.variable, stale.shown, right.shown, cause)
                )
    if len(replayed) != len(fresh.nodes):
        last = min(len(replayed), len(fresh.nodes))
        found.append(Difference(last, "", "nodes", "", len(replayed), len(fresh.nodes)))
    return tuple(found)


def node_name(node: Node) -> str:
    return node.kernel or "allocation or dummy"
