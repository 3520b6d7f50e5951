"""Fixed sizes of the ``host_build_graph`` runtime (rules.md D5, D6, N5, N8, X11) and the two conformance modes."""

from __future__ import annotations

from typing import Literal

MAX_TENSORS = 128
MAX_SCALARS = 64
MAX_NODES = 1024
MAX_RECORDINGS = 16
ALLOCATIONS_PER_NODE = 16

TARGET = "host_build_graph"

Conformance = Literal["extended", "reference"]
"""``reference`` decides exactly as the reference compiler; ``extended`` accepts more where that is safe (X1, X2 …)."""
