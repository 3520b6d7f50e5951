"""Numbers that are the same in every trip of a loop, computed before it.

Where the program computes how much of a tile is valid inside a loop, the tile is still needed behind it.
"""

from __future__ import annotations

import re

from pto_lsp.backend.kernels.code import Declaration, Instruction, Node, declared_names

_WORD = re.compile(r"[A-Za-z_]\w*")
_READ = re.compile(r"const \w+ (\w+) = ")
_DIVISION = re.compile(r"[/%] (?!\d)")


def without_invariants(body: list[Node], changing: set[str]) -> tuple[list[Declaration], list[Node]]:
    """Declarations to stand before a loop with this ``body``, and what is left of it.

    ``changing`` are the names that the loop itself gives other values. A division by something computed stays: it may
    only be possible when the loop has a trip.
    """
    inside = changing | declared_names(body)
    reads = [_READ.match(node.text) for node in body if isinstance(node, Instruction)]
    inside.update(match[1] for match in reads if match)
    moved: list[Declaration] = []
    kept: list[Node] = []
    for node in body:
        if isinstance(node, Declaration):
            used = set(_WORD.findall(node.text)) - {node.name}
            if not used & inside and not _DIVISION.search(node.text):
                moved.append(node)
                inside.discard(node.name)
                continue
        kept.append(node)
    return moved, kept
