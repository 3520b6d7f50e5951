"""What a caller needs to know of a DSL function: who it is, its parameters, what it returns."""

from __future__ import annotations

from typing import Protocol

from pto_lsp.analysis.frontend.constants.modules import ModuleEnv
from pto_lsp.analysis.frontend.constants.values import FunctionRef, Value
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.program import Function, FunctionKind, Param
from pto_lsp.analysis.ir.types import UNKNOWN, TupleType, Type
from pto_lsp.analysis.node import node


@node
class Signature:
    """``source`` identifies the function; ``returns`` is None when neither declared nor evident from the body."""

    source: SourceId
    name: str
    kind: FunctionKind
    params: tuple[Param, ...]
    returns: tuple[Type, ...] | None
    method: bool

    @property
    def result(self) -> Type:
        """Type of a plain call."""
        if not self.returns:
            return UNKNOWN
        return self.returns[0] if len(self.returns) == 1 else TupleType(self.returns)


class Names(Protocol):
    """Everything outside a function body that its names can mean."""

    @property
    def env(self) -> ModuleEnv | None:
        """The module the function stands in, for functions and properties that are evaluated."""

    def lookup(self, name: str) -> Value:
        """Value of a closure or module name; ``MISSING`` when nothing binds it, ``UNKNOWN`` when its value is not
        known.
        """

    def function(self, ref: FunctionRef) -> Signature | None:
        """Signature of a function value; None when it is not a DSL function."""

    def method(self, name: str) -> Signature | None:
        """Signature of ``self.name`` inside a ``@pl.program`` class."""


@node
class Lowered:
    """One function in the IR. ``callees`` maps the keys its calls use to the functions they mean.

    ``graph_scopes`` tells that a ``with pl.graph`` stands in it.
    """

    function: Function
    signature: Signature
    callees: dict[str, Signature]
    graph_scopes: bool
