"""The first calls of a Graph as far as the caller's text fixes their scalar arguments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from pto_lsp.analysis.graph_boundary.call_sites import CallSite
from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan
from pto_lsp.analysis.graph_boundary.region import Entry, Region, Role
from pto_lsp.analysis.ir.affine import affine
from pto_lsp.analysis.ir.expressions import Const, Expr
from pto_lsp.analysis.ir.statements import For
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.types import is_scalar
from pto_lsp.analysis.ir.visitor import variables

Numbers = dict[str, int]
"""Values of scalars by unique name."""

LATER_TRIPS = 3
"""Trips after the first that are looked at, per loop around a call."""


def static_calls(plan: GraphPlan, site: CallSite, caller: Region) -> Iterator[Numbers]:
    """Scalar arguments of the first call that ``site`` makes, then of a few later ones.

    Nothing at all where it is not certain that the site is reached. Scalars whose value is not known are left out.
    """
    entry = next((e for e in caller.entries if e.stmt is site.stmt), None)
    if entry is None or entry.branches:
        return
    trips = loop_trips(entry, caller)
    if trips is None or any(not indices for _, indices in trips):
        return
    start = {name: indices[0] for name, indices in trips}
    yield _arguments(plan, site, caller, start)
    for name, indices in trips:
        for index in indices[1 : 1 + LATER_TRIPS]:
            yield _arguments(plan, site, caller, {**start, name: index})


def loop_trips(entry: Entry, region: Region) -> list[tuple[str, range]] | None:
    """The indices that the loops around a statement walk over, outermost first; None when one is not static."""
    found: list[tuple[str, range]] = []
    for loop in entry.loops:
        if not isinstance(loop, For):
            return None
        start, stop, step = [number(bound, {}, region) for bound in (loop.start, loop.stop, loop.step)]
        if start is None or stop is None or not step:
            return None
        found.append((loop.var.name, range(start, stop, step)))
    return found


def combinations_of(trips: list[tuple[str, range]], limit: int) -> Iterator[Numbers]:
    """The first ``limit`` combinations of loop indices, in execution order."""
    names = [name for name, _ in trips]
    for indices in islice(product(*[walked for _, walked in trips]), limit):
        yield dict(zip(names, indices))


def number(expr: Expr, known: Numbers, region: Region) -> int | None:
    """The value of a scalar expression of ``region``, looking through names bound to arithmetic."""
    mapping: dict[str, Expr] = {name: Const(value) for name, value in known.items()}
    pending = [expr]
    while pending:
        for var in variables(pending.pop()):
            if var.name not in mapping:
                definition = region.definitions.get(var.name)
                if definition is None or definition.role is not Role.ASSIGNED or definition.value is None:
                    return None
                mapping[var.name] = definition.value
                pending.append(definition.value)
    for _ in range(len(mapping) + 1):
        form = affine(expr)
        if form is not None and form.is_constant:
            return form.const
        expr = Substitution(mapping).expr(expr)
    return None


def _arguments(plan: GraphPlan, site: CallSite, caller: Region, indices: Numbers) -> Numbers:
    found: Numbers = {}
    for param, argument in zip(plan.function.params, site.launch.args):
        value = number(argument, indices, caller) if is_scalar(param.type) else None
        if value is not None:
            found[param.name] = value
    return found
