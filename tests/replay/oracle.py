"""The differential property: what the plan says about a program against what record and replay do with it."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass, field

from pto_lsp.analysis.graph_boundary.graph_plan import REFUSALS
from pto_lsp.analysis.ir.program import Program
from pto_lsp.analysis.ir.types import is_scalar
from pto_lsp.analysis.replay.compare import Cause
from pto_lsp.analysis.replay.host import Outcome
from pto_lsp.analysis.replay.simulation import Simulation, simulate
from tests.replay.sources import Source

FROZEN = frozenset({"PTO103", "PTO104", "PTO202", "PTO203", "PTO302", "PTO410", "PTO411", "PTO412"})
"""Refusals that claim a replay would reuse a value of the first call."""

WARNED = frozenset({"PTO105", "PTO204", "PTO421"})
"""Warnings that say: the tool chain accepts this, and a replay keeps something of the first call silently."""

ALIASED = "PTO424"
"""The same for a tensor that the runtime takes for another boundary slot (replay.md §2)."""

# Values of the entry's scalar, run by run.
SEQUENCES: tuple[tuple[int, ...], ...] = ((0, 1, 5), (3, 0, 2), (7, 16, 1))

# Values of the boundary scalars p and q, call by call, when the Graph is called directly; hoisted ones get OTHERS.
PAIRS: tuple[tuple[tuple[int, int], ...], ...] = (((0, 1), (1, 7), (5, 0)), ((3, 0), (0, 5), (2, 1)), ((7, 9), (9, 0)))
OTHERS = (0, 9, 3)


@dataclass
class Verdict:
    """``broken`` says where the property fails.

    ``aliased`` and ``warned``: accepted, wrong on some replay, and the checker says so. ``unseen``: windows that
    coincide or not by the value of the entry's scalar, which no checker can know.
    """

    accepted: bool
    refusals: tuple[str, ...]
    aliased: bool = False
    unseen: bool = False
    warned: bool = False
    broken: list[str] = field(default_factory=list)


def judge(source: Source) -> Verdict:
    refusals = tuple(sorted({f.code for f in source.findings if f.code in REFUSALS}))
    verdict = Verdict(not refusals, refusals)
    if not refusals:
        _accepted(source, verdict)
    elif FROZEN.intersection(refusals) and not freezes(source):
        verdict.broken.append(f"refused for {', '.join(refusals)}, but nothing is frozen")
    return verdict


def runs(program: Program) -> list[Simulation]:
    return [simulate(program, "main", [{"e": value} for value in sequence]) for sequence in SEQUENCES]


def _accepted(source: Source, verdict: Verdict) -> None:
    codes = {finding.code for finding in source.findings}
    # A window that is known to freeze may be recorded as a slot it met on the first call: the warning is about it too.
    frozen = {finding.subject for finding in source.findings if finding.code in WARNED}
    for violation in source.violations:
        verdict.broken.append(f"the verifier complains: {violation}")
    for run in runs(source.legal):
        for problem in run.problems:
            if "empty view" not in problem:
                verdict.broken.append(f"the run fails: {problem}")
        for call in run.calls:
            for difference in call.differences:
                if difference.cause is Cause.ALIASED and ALIASED in codes:
                    verdict.aliased = True
                elif difference.cause is Cause.ALIASED and difference.variable in frozen:
                    verdict.warned = True
                elif difference.cause is Cause.ALIASED and _entry_scalar_matters(source):
                    verdict.unseen = True
                elif difference.cause is Cause.FROZEN and WARNED & codes:
                    verdict.warned = True
                else:
                    verdict.broken.append(f"call {call.number}: {difference}")


def _entry_scalar_matters(source: Source) -> bool:
    _, _, entry = source.text.partition("def main(")
    return any(isinstance(node, ast.Name) and node.id == "e" for node in ast.walk(ast.parse(_body(entry))))


def _body(function: str) -> str:
    return textwrap.dedent(function.partition("\n")[2])


def freezes(source: Source) -> bool:
    """Whether some sequence of boundary scalars shows a wrong replay, a call that is not replayed or a run that fails.

    The Graph is called directly, after hoisting all that can be hoisted: what still freezes is what was refused.
    """
    hoisted = [param.name for param in source.legal.functions["layer"].params if is_scalar(param.type)]
    for pairs in PAIRS:
        arguments = [{**dict.fromkeys(hoisted, other), "p": p, "q": q} for (p, q), other in zip(pairs, OTHERS)]
        run = simulate(source.legal, "layer", arguments)
        if run.problems or any(call.outcome in (Outcome.ORDINARY, Outcome.FAILED) for call in run.calls):
            return True
        if any(d.cause is Cause.FROZEN for call in run.calls for d in call.differences):
            return True
    return False
