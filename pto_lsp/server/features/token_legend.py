"""The names of semantic tokens, as they are announced; what has them is in ``semantic_tokens``."""

from __future__ import annotations

from lsprotocol import types

TYPES = ("parameter", "variable")
MODIFIERS = ("declaration", "boundary", "hoisted")
LEGEND = types.SemanticTokensLegend(list(TYPES), list(MODIFIERS))
