"""Names of one module during a run."""

from __future__ import annotations

from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    UNKNOWN,
    Value,
)
from pto_lsp.analysis.node import node


@node
class Binding:
    """Where a name was bound last: index of the chunk in the module."""

    chunk: int


@node
class ModuleState:
    """``names`` changes while the module is ``loading`` and never after; later writes are the session's.

    ``maybe`` are names that statements bind which are not executed here.
    """

    path: str
    names: dict[str, Value]
    bindings: dict[str, Binding]
    maybe: set[str]
    loading: bool

    def lookup(self, name: str) -> Value:
        """``MISSING`` when surely nothing binds the name."""
        value = self.names.get(name, MISSING)
        return UNKNOWN if value is MISSING and name in self.maybe else value
