"""What stands around each launch: loops, arms of conditions, manual scopes, inlined calls, parts not understood.

Only pictures need it; the walk keeps no more than loops and scopes.
"""

from __future__ import annotations

from enum import Enum
from typing import Union

from pto_lsp.analysis.ir.place import Anchor, Place, place
from pto_lsp.analysis.ir.printer import print_expr
from pto_lsp.analysis.ir.statements import Block, For, If, Opaque, Scope, ScopeMode, Stmt, While
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.checks.naming import place_key
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Loop
from pto_lsp.analysis.task_graph.sitegraph import loop_title


class GroupKind(Enum):
    LOOP = "loop"
    THEN = "then"
    ELSE = "else"
    MANUAL = "manual"
    INLINE = "inline"
    UNKNOWN = "unknown"


@node
class Group:
    """One box. ``stmt`` is None for the call of an inline function, ``place`` what to jump to."""

    kind: GroupKind
    title: str
    place: Place
    stmt: Union[For, While, If, Scope, Opaque, None] = None

    @property
    def loop(self) -> Loop | None:
        return self.stmt if isinstance(self.stmt, (For, While)) else None


Nest = tuple[Group, ...]
"""Groups from outermost inwards."""


@node
class Spot:
    """Where a statement stands: what is around it, and how many launches are written before it."""

    nest: Nest
    after: int


NOWHERE = Spot((), 0)


class Nesting:
    """``sites`` by index of the launch; ``groups`` in the order of the text, outer ones before those in them."""

    def __init__(self, graph: TaskGraph) -> None:
        self._graph = graph
        self._launches = {id(site.statement): site.index for site in graph.walk.sites}
        self._spots: dict[int, Spot] = {}
        self._seen = 0
        self.sites: dict[int, Nest] = {}
        self.groups: list[Group] = []
        self._block(graph.function.body or (), ())

    def spot(self, where: Place) -> Spot:
        """Of the statement that ``where`` is in."""
        return self._spots.get(id(where.anchor), NOWHERE)

    def _block(self, body: Block, nest: Nest) -> None:
        opened: list[tuple[tuple[object, ...], Group]] = []
        for stmt in body:
            inner = self._inlined(stmt, nest, opened)
            self._spots[id(stmt.at)] = Spot(inner, self._seen)
            index = self._launches.get(id(stmt))
            if index is not None:
                self.sites[index] = inner
                self._seen = max(self._seen, index + 1)
            self._compound(stmt, inner)

    def _compound(self, stmt: Stmt, nest: Nest) -> None:
        where = place(stmt.at, stmt.span)
        if isinstance(stmt, (For, While)):
            self._block(stmt.body, self._open(nest, GroupKind.LOOP, loop_title(self._graph, stmt), where, stmt))
        elif isinstance(stmt, If):
            condition = print_expr(stmt.condition)
            if stmt.then:
                self._block(stmt.then, self._open(nest, GroupKind.THEN, f"if {condition}", where, stmt))
            if stmt.orelse:
                self._block(stmt.orelse, self._open(nest, GroupKind.ELSE, f"else of: if {condition}", where, stmt))
        elif isinstance(stmt, Scope):
            if stmt.mode is ScopeMode.MANUAL:
                nest = self._open(nest, GroupKind.MANUAL, "pl.manual_scope", where, stmt)
            self._block(stmt.body, nest)
        elif isinstance(stmt, Opaque) and stmt.body:
            self._block(stmt.body, self._open(nest, GroupKind.UNKNOWN, f"not understood: {stmt.what}", where, stmt))

    def _open(
        self, nest: Nest, kind: GroupKind, title: str, where: Place, stmt: Union[For, While, If, Scope, Opaque, None]
    ) -> Nest:
        group = Group(kind, title, where, stmt)
        self.groups.append(group)
        return (*nest, group)

    def _inlined(self, stmt: Stmt, nest: Nest, opened: list[tuple[tuple[object, ...], Group]]) -> Nest:
        """``nest`` and the calls ``stmt`` came through since then; statements of one call share its box.

        ``opened`` are the boxes of the statement before it in the same block.
        """
        known = sum(1 for group in nest if group.kind is GroupKind.INLINE)
        calls = inlining(stmt.at)[known:]
        for depth, (call, name) in enumerate(calls):
            key = place_key(call)
            if depth < len(opened) and opened[depth][0] == key:
                nest = (*nest, opened[depth][1])
                continue
            del opened[depth:]
            nest = self._open(nest, GroupKind.INLINE, f"{name}()", call, None)
            opened.append((key, nest[-1]))
        del opened[len(calls) :]
        return nest


def inlining(at: Anchor) -> list[tuple[Place, str]]:
    """The calls a statement was spliced in through, outermost first, each with the function it calls."""
    found: list[tuple[Place, str]] = []
    while at.inlined_at is not None:
        found.append((at.inlined_at, at.source.qualname.rpartition(".")[2]))
        at = at.inlined_at.anchor
    found.reverse()
    return found
