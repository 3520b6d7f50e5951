"""What a walk of an orchestration body yields: launch sites, the tasks they submit, arguments, explicit waits.

A *task* here is one submit of one walk. In an exact walk these are the run-time tasks in submission order; in a
symbolic walk a loop contributes two of its iterations, *i* and *i+1*, standing for all of them (semantics.md §14).
"""

from __future__ import annotations

from enum import Enum
from typing import Union

from pto_lsp.analysis.ir.expressions import Call, Expr, Op, Submit
from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.ir.program import Function, Param
from pto_lsp.analysis.ir.statements import Assign, Evaluate, For, Scope, Unpack, While
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.derive_call_directions import ArgumentDirection, CallDirection, Reason
from pto_lsp.analysis.task_graph.regions import Buffer, View
from pto_lsp.analysis.task_graph.scalars import Poly, Scalar, Symbols

_READS = frozenset({CallDirection.INPUT, CallDirection.INOUT})
_WRITES = frozenset({CallDirection.OUTPUT_EXISTING, CallDirection.INOUT})
_PROMOTIONS = frozenset({Reason.R_SEQ, Reason.AMBIGUOUS, Reason.R_PRIOR, Reason.R_ENCLOSING})


@node
class Argument:
    """One tensor argument. ``views`` has several elements when control flow decides which it is, none when it cannot
    be traced. ``derived`` says how the runtime sees it, and why.
    """

    index: int
    expr: Expr
    views: tuple[View, ...]
    derived: ArgumentDirection
    param: Param | None = None

    @property
    def direction(self) -> CallDirection:
        return self.derived.direction

    @property
    def reads(self) -> bool:
        """The map is asked for earlier writers."""
        return self.derived.direction in _READS

    @property
    def writes(self) -> bool:
        """The task is registered as a writer."""
        return self.derived.direction in _WRITES

    @property
    def is_input(self) -> bool:
        """The kernel only reads it, whatever was opted out."""
        return self.derived.derived is CallDirection.INPUT

    @property
    def opted_out(self) -> bool:
        return self.derived.direction is CallDirection.NO_DEP

    @property
    def why(self) -> str:
        """The rule that made an output read-write ("R-seq"), "" when none did."""
        return self.derived.reason.value if self.derived.reason in _PROMOTIONS else ""

    @property
    def label(self) -> str:
        return self.views[0].label if self.views else ""


@node
class Ids:
    """A task id value: one of ``tasks``, or none at all when ``invalid``, or something unknown when ``open``."""

    tasks: tuple[int, ...]
    invalid: bool = False
    open: bool = False


NO_TASK = Ids((), invalid=True)
ANY_TASK = Ids((), invalid=True, open=True)


@node
class Store:
    """``ids[index] = value``; ``weak``: it may not have happened; ``index`` None: which slot is unknown."""

    index: Scalar | None
    value: Ids
    weak: bool = False


@node
class IdArray:
    """A TASK_ID array: its stores in order. Slots never stored are invalid ids, which are skipped without error
    (§8.9).
    """

    label: str
    extent: int | None
    at: Place
    stores: tuple[Store, ...] = ()


@node
class TupleValue:
    items: tuple[Value, ...]


Value = Union[int, float, str, Poly, tuple[View, ...], Ids, IdArray, TupleValue, None]
"""A tensor is the views it may be; None is unknown."""

Statement = Union[Assign, Unpack, Evaluate]
Loop = Union[For, While]


class SiteKind(Enum):
    CALL = "call"
    SUBMIT = "submit"
    AT = "at"
    SPMD = "spmd"
    CLUSTER = "cluster"
    GRAPH = "graph"
    DUMMY = "dummy"


@node
class Site:
    """A launch site of the function. ``loops`` from outermost inwards; ``scope`` the manual scope it stands in."""

    index: int
    name: str
    kind: SiteKind
    statement: Statement
    call: Union[Call, Submit, Op]
    callee: Function | None
    place: Place
    loops: tuple[Loop, ...]
    scope: Scope | None
    conditional: bool


@node
class Iteration:
    """One trip of one loop: ``ordinal`` counts the trips walked (0, 1 of a symbolic loop), ``run`` the executions of
    the loop statement.
    """

    loop: Loop
    run: int
    ordinal: int
    exact: bool


@node
class Wait:
    """One entry of ``deps=`` and the ids it stands for."""

    expr: Expr
    ids: tuple[Ids, ...]
    array: IdArray | None = None


@node
class Task:
    """``arms`` are the taken branches of conditions that are unknown: (number of the ``if`` execution, arm).
    ``scalars`` are the values of the scalar arguments by parameter index. ``epoch`` counts the unknown statements
    before this task: between tasks of different epochs an order may exist that was not seen.
    """

    index: int
    site: Site
    arguments: tuple[Argument, ...]
    waits: tuple[Wait, ...]
    manual: bool
    iterations: tuple[Iteration, ...]
    arms: tuple[tuple[int, int], ...]
    scalars: tuple[Scalar | None, ...]
    core_num: Scalar | None
    gate: tuple[View, tuple[Scalar | None, ...]] | None
    epoch: int
    opaque: bool = False

    @property
    def waits_unknown(self) -> bool:
        """Some entry may hold ids that were not traced."""
        return any(ids.open for wait in self.waits for ids in wait.ids)


@node
class ControlAccess:
    """A ``pl.read``/``pl.write`` on the control core: after ``after`` tasks have been submitted (semantics.md
    §11.7).
    """

    after: int
    write: bool
    views: tuple[View, ...]
    op: Op
    place: Place
    iterations: tuple[Iteration, ...]
    arms: tuple[tuple[int, int], ...]


@node
class SlotError:
    """``array[index]`` is outside the array in every execution of ``place`` (§8.5a)."""

    place: Place
    array: IdArray
    index: Scalar


@node
class Rebound:
    """An assignment that gives the name of an output parameter to another buffer."""

    place: Place
    param: str


@node
class Unknown:
    """A place where the walk lost track, and why."""

    place: Place
    why: str


@node
class Walk:
    """``exact``: every loop was executed trip by trip and every condition was known. ``returned`` are the buffers
    returned. ``trips`` is the trip count of every ``for`` when first reached, ``varying`` are the loops with another
    one
    in other iterations of the loops around. Symbols compare within one walk only.
    """

    function: Function
    sites: tuple[Site, ...]
    tasks: tuple[Task, ...]
    control: tuple[ControlAccess, ...]
    buffers: tuple[Buffer, ...]
    unknown: tuple[Unknown, ...]
    exact: bool
    truncated: bool
    parameters: dict[str, View]
    returned: tuple[View, ...]
    trips: dict[Loop, Scalar]
    varying: frozenset[Loop]
    slots: tuple[SlotError, ...]
    rebound: tuple[Rebound, ...]
    symbols: Symbols
