"""Trying a repair out: applied in memory and analysed again (design decision 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pto_lsp.analysis.pipeline import ModuleAnalysis
from pto_lsp.diagnostics import Diagnostic, Severity
from pto_lsp.project import Project
from pto_lsp.quickfix.context import Draft
from pto_lsp.quickfix.graph_change import check_change, spots_of
from pto_lsp.quickfix.rewriter import Refused
from pto_lsp.quickfix.tasks import streams

CALL_ARITY = "PTO414"
Identity = tuple[str, Severity, str, str]


def prove(project: Project, draft: Draft, path: str, diagnostic: Diagnostic | None) -> bool:
    """Raises `Refused` unless the repaired texts lose the finding, gain none and launch the same tasks.

    False when something the draft reveals comes up to stay. ``diagnostic`` is None for a change without a finding.
    """
    rewriter = draft.rewriter
    trial = project.copy()
    touched = sorted({path, *rewriter.paths})
    before = Counter(_identity(d) for each in touched for d in project.check(each))
    spots = {key: where for each in touched for key, where in spots_of(project.analysis(each)).items()}
    for each in rewriter.paths:
        trial.open(each, rewriter.applied(each, project.text(each) or ""))
    after = Counter(_identity(d) for each in touched for d in trial.check(each))
    if diagnostic is not None and _count(after, diagnostic) >= _count(before, diagnostic):
        raise Refused("the finding would remain")
    lasting = True
    for key, count in after.items():
        if count <= before[key] or key[1] is Severity.HINT:
            continue
        if key[0] == CALL_ARITY and not draft.safe:
            # A call that could not be rewritten: the author has to.
            continue
        if key[0] not in draft.reveals:
            raise Refused(f"{key[0]} would come up for '{key[3]}'")
        lasting = lasting and _passing(trial, touched)
    for each in touched if draft.safe and draft.comparable else ():
        _compare(project.analysis(each), trial.analysis(each), not draft.moves_memory)
    if draft.graph is not None:
        for each in touched:
            check_change(project.analysis(each), trial.analysis(each), draft.graph, spots)
    return lasting


def _passing(trial: Project, paths: Iterable[str]) -> bool:
    """Whether windows of one buffer share a boundary only until the other views are hoisted as well."""
    programs = [program for each in paths for program in trial.analysis(each).programs]
    return not any(plan.in_place for program in programs for plan in program.plan.graphs.values())


def _compare(before: ModuleAnalysis, after: ModuleAnalysis, memory: bool) -> None:
    """Raises `Refused` when an entry launches other tasks than before."""
    wanted = streams(before.programs, memory)
    for entry, stream in streams(after.programs, memory).items():
        if entry in wanted and wanted[entry].tasks != stream.tasks:
            raise Refused(f"'{entry[1]}' would launch other tasks")
        if entry in wanted and wanted[entry].right and not stream.right:
            raise Refused(f"a replay in '{entry[1]}' would go wrong")


def _identity(diagnostic: Diagnostic) -> Identity:
    return (diagnostic.code, diagnostic.severity, diagnostic.path, diagnostic.subject)


def _count(counts: Counter[Identity], diagnostic: Diagnostic) -> int:
    """How many there are like ``diagnostic``, whose severity the settings may have changed."""
    wanted = (diagnostic.code, diagnostic.path, diagnostic.subject)
    return sum(count for (code, _, path, subject), count in counts.items() if (code, path, subject) == wanted)
