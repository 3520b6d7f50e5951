"""All rules on a task graph, in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.task_graph.checks import (
    analysis_mode,
    control,
    handles,
    kernels,
    oversync,
    races,
    redundant,
    stale,
)
from pto_lsp.analysis.task_graph.checks.naming import place_key
from pto_lsp.analysis.task_graph.graph import Analyser, TaskGraph

FAMILIES = (races.check, handles.check, control.check, redundant.check, oversync.check, kernels.check, stale.check)


Guard = Callable[[str, Callable[[], Iterable[Finding]]], Iterable[Finding]]
"""Calls the function for the findings of a family of rules, whose name it is given."""


def _unguarded(family: str, check: Callable[[], Iterable[Finding]]) -> Iterable[Finding]:
    return check()


def findings(graph: TaskGraph, option: bool = False, guard: Guard = _unguarded) -> tuple[Finding, ...]:
    """Everything to say about one orchestration function.

    ``option``: it is called with ``analyze_auto_scopes_for_deps`` (see ``analysis_mode.functions_with_option``).
    """
    found: list[Finding] = []
    for check in FAMILIES:
        found += guard(check.__module__.rpartition(".")[2], partial(_all, check, graph))
    if option:
        found += analysis_mode.check(graph)
    return tuple([_through_call(finding) for finding in distinct(found)])


def _all(check: Callable[[TaskGraph], Iterable[Finding]], graph: TaskGraph) -> list[Finding]:
    return list(check(graph))


def _through_call(finding: Finding) -> Finding:
    """With the call site of the helper a spliced launch comes from."""
    call = finding.place.anchor.inlined_at
    if call is None:
        return finding
    return replace(finding, notes=(*finding.notes, Note(call, "through this call")))


def kernel_findings(analyser: Analyser) -> tuple[Finding, ...]:
    """Everything to say about the directions of the program's kernels."""
    return distinct(list(kernels.check_program(analyser)))


def distinct(found: list[Finding]) -> tuple[Finding, ...]:
    """One finding per code, place and subject: unrolled and spliced copies repeat themselves."""
    kept: dict[object, Finding] = {}
    for finding in found:
        kept.setdefault((finding.code, place_key(finding.place), finding.subject), finding)
    return tuple(kept.values())
