"""Statements of the IR. Every statement knows its anchor; ``span`` and all spans inside count from it."""

from __future__ import annotations

from enum import Enum
from typing import Union

from pto_lsp.analysis.ir.expressions import NO_SPAN, Expr, LaunchOptions, Var
from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.node import Referable, node
from pto_lsp.diagnostics import Span


class LoopKind(Enum):
    RANGE = "range"
    PARALLEL = "parallel"
    UNROLL = "unroll"
    PIPELINE = "pipeline"
    SPLIT_AIV = "split_aiv"


class RegionKind(Enum):
    """What a ``with`` (or ``for … in pl.spmd``) block becomes."""

    AT = "at"
    SPMD = "spmd"
    CLUSTER = "cluster"
    HIERARCHY = "hierarchy"


class ScopeMode(Enum):
    AUTO = "auto"
    MANUAL = "manual"


@node
class Assign(Referable):
    target: Var
    value: Expr
    at: Anchor
    span: Span = NO_SPAN
    annotated: bool = False


@node
class Unpack(Referable):
    """``a, b = value``; for ``(a, b), tid = pl.submit(...)`` the targets are flat, the task id last."""

    targets: tuple[Var, ...]
    value: Expr
    at: Anchor
    span: Span = NO_SPAN


@node
class Evaluate(Referable):
    """An expression statement: a launch without result, ``pl.write`` …"""

    value: Expr
    at: Anchor
    span: Span = NO_SPAN


@node
class Carry:
    """A loop-carried variable (rules.md S3).

    ``init`` is the value on entry, ``inner`` the name inside the body at its start, ``update`` the value at the end
    of a trip, ``result`` the name after the loop.
    """

    inner: Var
    init: Expr
    update: Expr
    result: Var


@node
class For(Referable):
    """``carries`` is empty before ConvertToSSA unless the author wrote ``init_values=``."""

    kind: LoopKind
    var: Var
    start: Expr
    stop: Expr
    step: Expr
    body: Block
    at: Anchor
    span: Span = NO_SPAN
    carries: tuple[Carry, ...] = ()


@node
class While(Referable):
    condition: Expr
    body: Block
    at: Anchor
    span: Span = NO_SPAN
    carries: tuple[Carry, ...] = ()


@node
class Phi:
    """``result`` is ``then`` after the first arm and ``orelse`` after the second."""

    result: Var
    then: Expr
    orelse: Expr


@node
class If(Referable):
    condition: Expr
    then: Block
    orelse: Block
    at: Anchor
    span: Span = NO_SPAN
    phis: tuple[Phi, ...] = ()


@node
class Yield(Referable):
    """``a, b = pl.yield_(u, v)`` or a bare one; gone after ConvertToSSA."""

    targets: tuple[Var, ...]
    values: tuple[Expr, ...]
    at: Anchor
    span: Span = NO_SPAN


@node
class Return(Referable):
    values: tuple[Expr, ...]
    at: Anchor
    span: Span = NO_SPAN


@node
class Region(Referable):
    """A device region: ``pl.at``, ``pl.spmd`` (``index`` is the block index of the ``for`` form), ``pl.cluster``.

    A HIERARCHY region is ``pl.at`` at another level than CORE_GROUP. ``task_id`` is the ``as`` target. ``span`` is
    the header. Gone after OutlineIncoreScopes.
    """

    kind: RegionKind
    options: LaunchOptions
    body: Block
    at: Anchor
    span: Span = NO_SPAN
    index: Var | None = None
    task_id: Var | None = None
    level: str = ""


@node
class GraphScope(Referable):
    """``with pl.graph("name"):``; gone after OutlineGraphScopes. ``name_span`` is the string literal."""

    name: str
    body: Block
    at: Anchor
    span: Span = NO_SPAN
    name_span: Span = NO_SPAN


@node
class Scope(Referable):
    """``pl.scope()`` / ``pl.manual_scope()``: changes edge inference only."""

    mode: ScopeMode
    body: Block
    at: Anchor
    span: Span = NO_SPAN


@node
class Jump(Referable):
    """``break`` or ``continue``."""

    word: str
    at: Anchor
    span: Span = NO_SPAN


BROKEN_WITH = "broken with line"
"""What an `Opaque` is that the line of a ``with`` became. The body may have come to stand behind it: an open bracket
takes in the lines that follow.
"""


@node
class Opaque(Referable):
    """A statement the front end could not lower (broken line, refused construct). Its effects are unknown.

    ``binds`` are the names it may bind, so that later uses are not called undefined.
    """

    what: str
    binds: tuple[Var, ...]
    at: Anchor
    span: Span = NO_SPAN
    body: Block = ()


Stmt = Union[Assign, Unpack, Evaluate, For, While, If, Yield, Return, Region, GraphScope, Scope, Jump, Opaque]
Block = tuple[Stmt, ...]
