"""Dropping scalar bindings that nothing reads (rules.md S4)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Call, Op, Submit, Unknown
from pto_lsp.analysis.ir.statements import Assign, Block, For, If, Region, Stmt, While
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.ir.uses import add_extents, add_names
from pto_lsp.analysis.ir.visitor import blocks, statement_exprs, walk, with_blocks
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.liveness import option_names
from pto_lsp.analysis.passes.statement_results import StatementResults


def without_dead_scalars(block: Block, results: StatementResults) -> Block:
    """``block`` (in SSA form) without scalar arithmetic that is never used, transitively; the same object if none."""
    return _sweep(block, set(), results)


@node
class _Swept:
    """A compound statement without dead scalars, None when it has none, and what it reads."""

    stmt: Stmt | None
    reads: set[str]


def _compound(stmt: Stmt, live: set[str], results: StatementResults) -> Stmt:
    """Like ``_sweep`` of the one statement ``stmt``."""
    if not results.edits:
        return _swept(stmt, live, results)
    wanted = results.facts(stmt).bound.keys() & live
    known = results.find("dead scalars", stmt, wanted)
    if not isinstance(known, _Swept):
        reads = set(wanted)
        made = _swept(stmt, reads, results)
        known = _Swept(None if made is stmt else made, reads)
        results.store("dead scalars", stmt, wanted, known)
    live |= known.reads
    return stmt if known.stmt is None else known.stmt


def _swept(stmt: Stmt, live: set[str], results: StatementResults) -> Stmt:
    # What a loop or branch hands on is read at the end of its bodies, which come first going backwards.
    _add_joins(stmt, live)
    bodies = blocks(stmt)
    new = tuple([_sweep(body, live, results) for body in reversed(bodies)][::-1])
    _add_reads(stmt, live)
    return stmt if all(a is b for a, b in zip(new, bodies)) else with_blocks(stmt, new)


def _sweep(block: Block, live: set[str], results: StatementResults) -> Block:
    """Walks backwards, so that the uses of a name are seen before its binding. ``live`` grows by what is read."""
    kept: list[Stmt] = []
    changed = False
    for stmt in reversed(block):
        if isinstance(stmt, Assign) and stmt.target.name not in live and _is_dead_weight(stmt):
            changed = True
            continue
        if blocks(stmt):
            new = _compound(stmt, live, results)
            changed = changed or new is not stmt
            kept.append(new)
            continue
        live.update(results.reads(stmt))
        kept.append(stmt)
    return tuple(reversed(kept)) if changed else block


def _add_reads(stmt: Stmt, live: set[str]) -> None:
    """What the compound statement ``stmt`` reads itself, without its bodies and joins."""
    if isinstance(stmt, Region):
        live |= option_names(stmt.options)
        return
    for expr in statement_exprs(stmt):
        add_names(expr, live)


def _is_dead_weight(stmt: Assign) -> bool:
    if not isinstance(stmt.target.type, ScalarType):
        return False
    return not any(isinstance(e, (Op, Call, Submit, Unknown)) for e in walk(stmt.value))


def _add_joins(stmt: Stmt, live: set[str]) -> None:
    if isinstance(stmt, (For, While)):
        for carry in stmt.carries:
            add_names(carry.update, live)
            add_extents(carry.result.type, live)
    elif isinstance(stmt, If):
        for phi in stmt.phis:
            add_names(phi.then, live)
            add_names(phi.orelse, live)
            add_extents(phi.result.type, live)
