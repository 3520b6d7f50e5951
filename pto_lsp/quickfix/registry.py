"""Which code is repaired by which module. A fix module is imported when it is needed.

A fix module has ``build(context) -> Draft``, which writes the repair or raises `Refused`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from pto_lsp.diagnostics import Diagnostic
from pto_lsp.quickfix.context import Context, Draft

_MODULES = {
    "PTO101": "hoist_value",
    "PTO201": "hoist_value",
    "PTO301": "hoist_value",
}

_TITLES = {
    "PTO101": "Hoist '{}' to call site",
    "PTO201": "Hoist '{}' to call site",
    "PTO301": "Hoist '{}' to call site",
}

FIX_ORDER = tuple(_MODULES)
"""The order in which a whole file is repaired: what others build on comes first."""

FIXABLE = frozenset(_MODULES)


def title(diagnostic: Diagnostic) -> str:
    """What the repair of a finding is called; the finding's own fix has its own title."""
    return _TITLES[diagnostic.code].format(diagnostic.subject)


def build(context: Context) -> Draft:
    """Write the repair of the context's finding. Raises `Refused` or `Conflict`."""
    module = import_module(f"pto_lsp.quickfix.{_MODULES[context.finding.code]}")
    return cast("Callable[[Context], Draft]", module.build)(context)
