"""Names of the DSL as Python values: ``pl`` and ``pld`` and what is below them (surface.md §1, §3)."""

from __future__ import annotations

from pto_lsp.analysis.frontend.constants.values import (
    UNKNOWN,
    DType,
    DynamicSymbol,
    PlAttribute,
    PlSubscript,
    Value,
    words,
)

DTYPES = words(
    """FP4 FP8E4M3FN FP8E5M2 FP8E8M0 FP16 FP32 BF16 HF4 HF8 INT4 INT8 INT16 INT32 INT64 UINT4 UINT8 UINT16 UINT32
    UINT64 BOOL INDEX TASK_ID"""
)
ROOTS: dict[str, Value] = {"pl": PlAttribute("pl"), "pld": PlAttribute("pld")}
"""The parser compares text, so these names mean the DSL whatever the imports say."""
_ALIASES = {
    "pypto.language": "pl",
    "pl.distributed": "pld",
    "pypto.language.distributed": "pld",
    "pl.DataType": "pl",
    "pypto.DataType": "pl",
}


def is_pypto(dotted: str) -> bool:
    return dotted == "pypto" or dotted.startswith("pypto.")


def module(dotted: str) -> Value:
    """The module ``dotted``, which ``is_pypto``."""
    value: Value = PlAttribute("pypto")
    for part in dotted.split(".")[1:]:
        value = attribute(value, part) if isinstance(value, PlAttribute) else UNKNOWN
    return value


def attribute(base: PlAttribute, name: str) -> Value:
    dotted = f"{base.dotted}.{name}"
    if dotted in _ALIASES:
        return PlAttribute(_ALIASES[dotted])
    if name in DTYPES and base.dotted in ("pl", "pld", "pypto"):
        return DType(name)
    return PlAttribute(dotted)


def call(function: PlAttribute, args: list[Value], keywords: dict[str, Value]) -> Value:
    if function.dotted == "pl.dynamic":
        name = args[0] if args else keywords.get("name")
        if type(name) is str:
            return DynamicSymbol(name)
    return UNKNOWN


def subscript(base: PlAttribute, index: Value) -> Value:
    return PlSubscript(base.dotted, index if isinstance(index, tuple) else (index,))
