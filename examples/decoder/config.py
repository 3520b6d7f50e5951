"""Sizes of a small decoder, as a frozen dataclass with presets."""

import os
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class DecoderConfig:
    layers: int = 4
    tokens: int = 16
    hidden: int = 512
    intermediate: int = 1024
    heads: int = 4
    tile: int = 64

    @property
    def head_dim(self) -> int:
        return self.hidden // self.heads

    @property
    def projections(self) -> int:
        return self.hidden // self.tile


SMALL = DecoderConfig()
WIDE = replace(SMALL, hidden=1024, intermediate=4096, heads=8)
PRESETS = {config.hidden: config for config in (SMALL, WIDE)}

DECODER = PRESETS[int(os.environ.get("DECODER_HIDDEN", "512"))]
