"""Sizes of a small mixture-of-experts block."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MoeConfig:
    tokens: int = 8
    hidden: int = 256
    experts: int = 4
    layers: int = 3


MOE = MoeConfig()
