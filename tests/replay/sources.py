"""From source text to what the simulator needs: the program after the passes, its plan, the legalized program."""

from __future__ import annotations

from functools import cached_property

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.graph_boundary.plan import ProgramPlan, plan_program
from pto_lsp.analysis.graph_boundary.verify import Violation, verify
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.config import Settings
from pto_lsp.config.settings import Conformance as Choice
from pto_lsp.project import Project

PATH = "program.py"


class Sources:
    """Reads programs one after the other; what they have in common is parsed once."""

    def __init__(self, conformance: Conformance = "extended") -> None:
        self._conformance: Conformance = conformance
        settings = Settings(conformance=Choice(conformance))
        self._project = Project(lambda path: settings)

    def read(self, text: str) -> Source:
        self._project.open(PATH, text)
        analysed = self._project.analysis(PATH).programs[0]
        return Source(text, self._conformance, analysed.stages.final)


class Source:
    """One program. ``findings`` are those of the plan."""

    def __init__(self, text: str, conformance: Conformance, program: Program) -> None:
        self.text = text
        self.conformance: Conformance = conformance
        self.program = program

    @cached_property
    def plan(self) -> ProgramPlan:
        return plan_program(self.program, self.conformance)

    @cached_property
    def legal(self) -> Program:
        return legalize(self.plan)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        return verify(self.legal, self.conformance)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.plan.findings

    @property
    def entry(self) -> Function:
        return next(f for f in self.program.functions.values() if f.kind is FunctionKind.ORCHESTRATION)
