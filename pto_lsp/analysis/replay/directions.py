"""Call-site directions as runtime tags (semantics.md §2b)."""

from __future__ import annotations

from collections.abc import Mapping

from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.replay.tensor_map import Tag


def call_tags(function: Function) -> Mapping[int, Mapping[int, Tag]]:
    return {}
