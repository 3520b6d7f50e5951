"""Rules of the plan, switched off one at a time by replacing a named step of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from pto_lsp.analysis.graph_boundary import (
    allocations,
    arguments,
    call_sites,
    graph_planning,
    legalize,
    plan,
    replay_invariant,
    return_maps,
    scalars,
    topology,
    verify,
    views,
)
from pto_lsp.analysis.graph_boundary.hoisting import Hoisted, HoistKind
from pto_lsp.analysis.ir.expressions import Const, Expr, Op, Var
from pto_lsp.analysis.ir.program import Direction


@dataclass(frozen=True)
class Mutation:
    """``rule`` as in rules.md; ``owner.name`` is replaced by what ``mutate`` makes of it."""

    rule: str
    what: str
    owner: Any
    name: str
    mutate: Callable[[Any], Any]

    def applied(self) -> mock._patch[Any]:
        return mock.patch.object(self.owner, self.name, self.mutate(getattr(self.owner, self.name)))


def nothing(result: Any = None) -> Callable[[Any], Any]:
    """Replace a step by one that does nothing and gives ``result``."""
    return lambda original: lambda *args, **kwargs: result


def constant(value: Any) -> Callable[[Any], Any]:
    return lambda original: value


def after(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Change what a step gives."""
    return lambda original: lambda *args, **kwargs: change(original(*args, **kwargs))


def _redirected(hoisted: tuple[Hoisted, ...], kind: HoistKind) -> tuple[Hoisted, ...]:
    return tuple(replace(h, direction=Direction.IN) if h.kind is kind else h for h in hoisted)


def _leaving(original: Any) -> Any:
    def hoist(walk: Any, position: int, stmt: Any, op: Op, source: Var, found: Any) -> None:
        walk._leave(stmt, source, found)

    return hoist


def _unmarked(original: Any) -> Any:
    """A view left in place counts as one that the caller can name."""

    def leave(walk: Any, stmt: Any, source: Var, found: Any) -> None:
        original(walk, stmt, source, found)
        walk.provenance[stmt.target.name] = replace(walk.provenance[stmt.target.name], in_place=False)

    return leave


def _only_renames(original: Any) -> Any:
    def inherit(walk: Any, target: Var, source: Expr | None) -> None:
        return None

    return inherit


def _everywhere(original: Any) -> Any:
    def place(walk: Any, position: int, entry: Any, stmt: Any, op: Op) -> None:
        original(walk, position, replace(entry, loops=()), stmt, op)

    return place


def _nowhere(original: Any) -> Any:
    def place(walk: Any, position: int, entry: Any, stmt: Any, op: Op) -> None:
        return None

    return place


def _scalars_hold(original: Any) -> Any:
    """Boundary scalars count as invariant."""

    def holds(self: Any, expr: Expr) -> bool | None:
        if isinstance(expr, Var) and expr.name in self._boundary:
            return True
        return bool(original(self, expr)) if original(self, expr) is not None else None

    return holds


def _no_index(original: Any) -> Any:
    return lambda self, loop: False


def _any_index(original: Any) -> Any:
    return lambda self, loop: True


def _unread(original: Any) -> Any:
    """Only constants are derivable."""
    return lambda expr, stands: isinstance(expr, Const)


def _unsubstituted(original: Any) -> Any:
    """Renames are erased but their readers stay."""
    return lambda gone, targets: original(gone, {})


MUTATIONS: tuple[Mutation, ...] = (
    Mutation("A2", "nothing but constants is derivable", scalars, "derivable", _unread),
    Mutation("A3", "derived scalars stay", graph_planning, "plan_scalars", after(lambda s: replace(s, hoisted=()))),
    Mutation("A4", "renames stay", graph_planning, "plan_scalars", after(lambda s: replace(s, renames=()))),
    Mutation("A4", "readers of renames are not redirected", legalize, "_Eraser", _unsubstituted),
    Mutation("A8", "task ids count as scalars", arguments, "is_scalar", constant(lambda type_: True)),
    Mutation("A9", "inline scalars pass", arguments.ArgumentCheck, "_refuse_inline", nothing()),
    Mutation("A10", "named varying scalars pass", arguments.ArgumentCheck, "_refuse_name", nothing()),
    Mutation("B2", "renames and results have no root", views._ViewWalk, "_inherit", _only_renames),
    Mutation("B3", "write-backs have no root", return_maps.ReturnMaps, "written_back", nothing()),
    Mutation("B5", "views stay", views._ViewWalk, "_hoist", _leaving),
    Mutation("B7", "views in place carry no mark", views._ViewWalk, "_leave", _unmarked),
    Mutation("B8", "mixed windows pass", views._ViewWalk, "_refuse_window", nothing()),
    Mutation("B9", "varying extents pass", views._ViewWalk, "_check_extents", nothing(True)),
    Mutation(
        "B13",
        "hoisted views are In",
        graph_planning,
        "plan_views",
        after(lambda s: replace(s, hoisted=_redirected(s.hoisted, HoistKind.VIEW))),
    ),
    Mutation("F1", "tensor.full passes", allocations._AllocationWalk, "_refuse_full", nothing()),
    Mutation("F2", "varying shapes pass", allocations._AllocationWalk, "_check_shape", nothing(True)),
    Mutation("F3", "allocations stay", allocations._AllocationWalk, "_place", _nowhere),
    Mutation("F4", "allocations leave loops", allocations._AllocationWalk, "_place", _everywhere),
    Mutation(
        "F10",
        "hoisted allocations are In",
        graph_planning,
        "plan_allocations",
        after(lambda s: replace(s, hoisted=_redirected(s.hoisted, HoistKind.CREATE))),
    ),
    Mutation("I2", "no index is invariant", replay_invariant.ReplayInvariantSet, "_is_counted", _no_index),
    Mutation("I7", "every index is invariant", replay_invariant.ReplayInvariantSet, "_is_counted", _any_index),
    Mutation("I7", "boundary scalars are invariant", replay_invariant.ReplayInvariantSet, "holds", _scalars_hold),
    Mutation("I3", "extents are not invariant", replay_invariant.ReplayInvariantSet, "_holds_operator", nothing(False)),
    Mutation("L1", "nothing is literal", replay_invariant.ReplayInvariantSet, "literal", nothing(False)),
    Mutation("L2", "varying core counts pass", graph_planning, "check_core_counts", nothing(())),
    Mutation("D1", "directions pass", graph_planning, "check_directions", nothing(())),
    Mutation("D5", "any number of parameters passes", graph_planning, "check_counts", nothing(())),
    Mutation("D7", "nested Graphs pass", graph_planning, "check_nested_graphs", nothing(())),
    Mutation("D8", "computed returns pass", graph_planning, "check_returns", nothing(())),
    Mutation("N2", "loops with launches pass", topology.Topology, "_refuse_loop", nothing()),
    Mutation("N3", "every loop has one trip", topology, "trip_count", nothing(1)),
    Mutation("N4", "branches with launches pass", topology.Topology, "_refuse_fork", nothing()),
    Mutation("N5", "allocations are not batched", topology, "ALLOCATIONS_PER_NODE", constant(1)),
    Mutation("N7", "any number of nodes passes", topology.Topology, "_check_total", nothing()),
    Mutation("C2", "parameters in definition order", graph_planning, "appended_in_order", constant(lambda h: h)),
    Mutation("C3", "call sites pass nothing new", legalize, "_with_arguments", constant(lambda block, sites: block)),
    Mutation(
        "C4", "locals keep their name", call_sites, "Local", after(lambda local: replace(local, var=_renamed(local)))
    ),
    Mutation("C5", "call sites are not checked", plan, "check_call_sites", nothing(())),
    Mutation("V", "the verifier sees nothing", verify._GraphVerifier, "run", nothing([])),
)


def _renamed(local: Any) -> Var:
    var = local.var
    plain = var.name.partition("__graph_arg")[0]
    return Var(plain, plain, var.type, var.span)
