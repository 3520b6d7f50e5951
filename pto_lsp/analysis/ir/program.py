"""Functions and programs of the IR."""

from __future__ import annotations

from enum import Enum

from pto_lsp.analysis.ir.expressions import NO_SPAN
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.statements import Block
from pto_lsp.analysis.ir.types import Type
from pto_lsp.analysis.node import Referable, node
from pto_lsp.diagnostics import Span


class FunctionKind(Enum):
    """PyPTO's ``FunctionType``; HOST is ``level=HOST`` with an orchestrator role or ``@pl.jit.host``."""

    ORCHESTRATION = "orchestration"
    GRAPH = "graph"
    INCORE = "incore"
    AIC = "aic"
    AIV = "aiv"
    GROUP = "group"
    SPMD = "spmd"
    INLINE = "inline"
    OPAQUE = "opaque"
    HOST = "host"

    @property
    def is_kernel(self) -> bool:
        """A call of it is one task (pipeline.md §2)."""
        return self in _KERNELS


_KERNELS = {FunctionKind.INCORE, FunctionKind.AIC, FunctionKind.AIV, FunctionKind.GROUP, FunctionKind.SPMD}


class Direction(Enum):
    """Parameter direction; a parameter without a wrapper is IN (rules.md D3)."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"


@node
class Param:
    """``span`` covers the whole parameter, ``name_span`` its name; both relative to ``at``."""

    name: str
    type: Type
    direction: Direction
    at: Anchor
    span: Span = NO_SPAN
    name_span: Span = NO_SPAN
    has_default: bool = False
    hoisted: bool = False


@node
class Function(Referable):
    """``key`` is unique in the program and is what calls name; ``name`` is what the author wrote.

    ``body`` is None for a callee whose body is not known (extern kernel, external source). ``returns`` are the declared
    or inferred result types, one per result; ``complete`` is False when some statement could not be lowered.
    ``core_num`` etc. of an outlined Spmd wrapper stay on the call. ``generated`` marks functions made by a pass.
    """

    key: str
    name: str
    kind: FunctionKind
    params: tuple[Param, ...]
    returns: tuple[Type, ...]
    body: Block | None
    at: Anchor
    name_span: Span = NO_SPAN
    complete: bool = True
    generated: bool = False
    auto_scope: bool = True
    method: bool = False

    @property
    def task_name(self) -> str:
        """What the runtime calls its task: the kernel of a region has the unique name that its outlining gave it."""
        return self.key if self.generated and self.kind is FunctionKind.INCORE else self.name

    def param_index(self, name: str) -> int | None:
        for index, param in enumerate(self.params):
            if param.name == name:
                return index
        return None


@node
class Program:
    """Functions by key. ``entry`` is the key of the root that the program was built for; "" for a whole class."""

    functions: dict[str, Function]
    entry: str = ""

    def with_functions(self, functions: dict[str, Function]) -> Program:
        return Program(functions, self.entry)
