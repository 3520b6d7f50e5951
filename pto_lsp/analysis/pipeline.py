"""From modules to findings: the only caller of the passes.

What a root function reaches is linked into a program, taken through the passes once, planned and judged; the result is
kept for as long as the program is the same object. A file's findings are those whose place is in that file.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.linker import Linker, LoweredFunction, World
from pto_lsp.analysis.frontend.module import Module, Placed
from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.guard import Faults
from pto_lsp.analysis.interruption import Interruption
from pto_lsp.analysis.ir.place import FUNCTION_START, Anchor, SourceId, forget, place
from pto_lsp.analysis.ir.program import FunctionKind, Program
from pto_lsp.analysis.node import node
from pto_lsp.analysis.passes.standard import Stages, StandardPasses
from pto_lsp.analysis.rules.conditions.misplaced_tensor_op import MisplacedTensorOps
from pto_lsp.analysis.task_graph.analysis import TaskAnalysis
from pto_lsp.analysis.task_graph.checks.analysis_mode import functions_with_option
from pto_lsp.analysis.task_graph.findings_memo import FindingsMemo
from pto_lsp.analysis.task_graph.summaries import SummaryCache
from pto_lsp.profiling import phase

if TYPE_CHECKING:
    from pto_lsp.analysis.graph_boundary.plan import ProgramPlan

_ENTRIES = (FunctionKind.ORCHESTRATION, FunctionKind.HOST, FunctionKind.OPAQUE)
_KEPT_PROGRAMS = 512
NOTHING: tuple[Finding, ...] = ()


class ProgramAnalysis:
    """A linked program; what the passes and the plan make of it is computed when somebody asks.

    ``findings`` are everything found in it, whatever the file.
    """

    def __init__(
        self,
        program: Program,
        has_graph: bool,
        conformance: Conformance,
        target: str,
        misplaced: MisplacedTensorOps,
        passes: StandardPasses,
        kernels: SummaryCache,
        judged: FindingsMemo,
        interruption: Interruption,
        task_rules: bool,
    ) -> None:
        self.program = program
        self._misplaced = misplaced
        self._passes = passes
        self._kernels = kernels
        self._judged = judged
        self._interruption = interruption
        self._has_graph = has_graph
        self._conformance: Conformance = conformance
        self._target = target
        self._task_rules = task_rules
        self.faults = Faults()

    @property
    def name(self) -> str:
        """What the program is called in messages."""
        return self.program.entry or next(iter(self.program.functions), "")

    @cached_property
    def stages(self) -> Stages:
        with phase("passes", self.name):
            return self._passes.run(self.program)

    # What only Graphs need is imported when there is one: most files have none.

    @cached_property
    def plan(self) -> ProgramPlan:
        from pto_lsp.analysis.graph_boundary.plan import plan_program

        final = self.stages.final
        with phase("plan", self.name):
            return plan_program(final, self._conformance, self._target)

    @cached_property
    def tasks(self) -> TaskAnalysis:
        return TaskAnalysis(
            self.program, self.stages.final, self._kernels, self._judged, self.faults, self._interruption
        )

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        name, guarded = self.name, self.faults.guarded
        found = guarded(
            f"look for misplaced operators in '{name}'", lambda: self._misplaced.find(self.program), NOTHING
        )
        if guarded(f"work out '{name}'", lambda: self.stages, None) is None:
            return found
        if self._task_rules:
            found = (*found, *guarded(f"judge the tasks of '{name}'", self._task_findings, NOTHING))
        # Without a Graph nothing of the boundary is checked (rules.md G1).
        if not self._has_graph:
            return found
        return (*found, *guarded(f"judge the Graphs of '{name}'", self._boundary_findings, NOTHING))

    def _task_findings(self) -> tuple[Finding, ...]:
        tasks = self.tasks
        with phase("tasks", self.name):
            return tasks.findings

    def _boundary_findings(self) -> tuple[Finding, ...]:
        from pto_lsp.analysis.counterexamples import with_counterexamples

        plan = self.plan
        self._interruption.check()
        with phase("counterexamples", self.name):
            planned = self.faults.guarded(
                f"find examples for '{self.name}'",
                lambda: with_counterexamples(self.stages.final, plan.findings),
                plan.findings,
            )
        return (*self.stages.findings, *planned)


@node
class ModuleAnalysis:
    """All there is to say about one file. ``findings`` have their place in it; ``faults`` say what is missing from them
    through no fault of the user's.
    """

    findings: tuple[Finding, ...]
    programs: tuple[ProgramAnalysis, ...]
    faults: tuple[str, ...] = ()


@node
class Root:
    """Where a program starts: a class, or a function that is not a method. ``name`` is what a user calls it."""

    name: str
    functions: tuple[Placed, ...]
    entry: str


class Analyzer:
    """Analyses modules of one world under one conformance and target. Not safe for several threads at once.

    Without ``task_rules`` nothing is found that needs a task graph (PTO6xx-PTO8xx). Without ``edits`` nothing is kept
    that only helps when a module changes.
    """

    def __init__(
        self,
        world: World,
        linker: Linker,
        conformance: Conformance,
        target: str,
        task_rules: bool = True,
        edits: bool = True,
    ) -> None:
        self._world = world
        self._linker = linker
        self._conformance: Conformance = conformance
        self._target = target
        self._task_rules = task_rules
        self._misplaced = MisplacedTensorOps()
        self._interruption = Interruption()
        self._passes = StandardPasses(conformance, self._interruption, edits)
        self._kernels = SummaryCache()
        self._judged = FindingsMemo()
        self._analysed: OrderedDict[tuple[SourceId, str], ProgramAnalysis] = OrderedDict()
        self._epoch = world.epoch

    def forget(self, gone: AbstractSet[SourceId]) -> None:
        """Forget functions that are ``gone`` from their modules."""
        self._passes.forget(gone)
        self._judged.forget(gone)
        self._misplaced.forget(gone)
        forget(self._analysed, gone, itemgetter(0))

    def analyse(self, module: Module, cancelled: Callable[[], bool]) -> ModuleAnalysis:
        """Everything found in ``module``. Raises `Cancelled` between two functions when ``cancelled`` says so."""
        with self._interruption.listening(cancelled):
            return self._analyse(module)

    def _analyse(self, module: Module) -> ModuleAnalysis:
        if self._epoch != self._world.epoch:
            self._epoch = self._world.epoch
            for memory in (self._passes, self._judged):
                memory.next_edit()
        findings: list[Finding] = []
        faults = Faults()
        with phase("parse"):
            module.parse_all()
        with phase("lower"):
            for placed in module.syntax.functions:
                self._interruption.check()
                findings.extend(syntax_findings(placed))
                lower = partial(self._linker.lowered, module.path, module, placed)
                read = faults.guarded(f"read '{placed.function.name}'", lower, None)
                findings.extend(read.findings if read is not None else NOTHING)
        programs: list[ProgramAnalysis] = []
        called = functions_with_option(module.document.text) if self._task_rules else frozenset()
        reached: set[SourceId] = set()
        for root in self.roots(module):
            self._interruption.check()
            if root.functions[0].source in reached and not root.functions[0].function.method:
                continue
            with phase("link", root.name):
                link = partial(self._linker.program, module, root.functions, root.entry)
                linked = faults.guarded(f"link '{root.name}'", link, None)
            if linked is None:
                continue
            program, lowered = linked
            reached.update(f.lowered.signature.source for f in lowered)
            analysed = self._analysis(program, lowered)
            programs.append(analysed)
            findings.extend(f for f in analysed.findings if f.place.source.path == module.path)
            findings.extend(analysed.tasks.mode_findings(called) if called else ())
        messages = (*faults.messages, *(message for program in programs for message in program.faults.messages))
        return ModuleAnalysis(_distinct(findings), tuple(programs), messages)

    def roots(self, module: Module) -> list[Root]:
        """The programs of a module, entries first, so that what they reach is not analysed again on its own."""
        found: list[Root] = []
        for name, methods in module.syntax.programs.items():
            found.append(Root(name, methods, ""))
        free = [f for f in module.syntax.functions if not f.function.method]
        for placed in free:
            if placed.function.declaration.kind in _ENTRIES:
                found.append(Root(placed.source.qualname, (placed,), placed.function.name))
        for placed in free:
            kind = placed.function.declaration.kind
            if kind is FunctionKind.GRAPH or (kind is FunctionKind.INLINE and self._has_graph_scope(module, placed)):
                found.append(Root(placed.source.qualname, (placed,), placed.function.name))
        return found

    def program(self, module: Module, root: Root) -> ProgramAnalysis:
        """The analysis of one root."""
        program, lowered = self._linker.program(module, root.functions, root.entry)
        return self._analysis(program, lowered)

    def _has_graph_scope(self, module: Module, placed: Placed) -> bool:
        def lowered() -> bool:
            return self._linker.lowered(module.path, module, placed).lowered.graph_scopes

        return Faults().guarded(f"read '{placed.function.name}'", lowered, False)

    def _analysis(self, program: Program, functions: tuple[LoweredFunction, ...]) -> ProgramAnalysis:
        # One per root: what a root was before an edit is of no use any more.
        key = (functions[0].lowered.signature.source, program.entry)
        known = self._analysed.get(key)
        if known is not None and known.program is program:
            self._analysed.move_to_end(key)
            return known
        has_graph = any(f.lowered.graph_scopes or f.lowered.function.kind is FunctionKind.GRAPH for f in functions)
        analysed = ProgramAnalysis(
            program,
            has_graph,
            self._conformance,
            self._target,
            self._misplaced,
            self._passes,
            self._kernels,
            self._judged,
            self._interruption,
            self._task_rules,
        )
        self._analysed[key] = analysed
        self._analysed.move_to_end(key)
        while len(self._analysed) > _KEPT_PROGRAMS:
            self._analysed.popitem(last=False)
        return analysed


def syntax_findings(placed: Placed) -> list[Finding]:
    """PTO001 and PTO008 of a function's own lines."""
    function = placed.function
    anchor = Anchor(function.source, FUNCTION_START)
    return [
        Finding(
            "PTO008" if broken.too_deep else "PTO001",
            function.name,
            place(anchor, span),
            f"in '{function.name}': {broken.message}",
            function.name,
        )
        for span, broken in function.broken
    ]


def _distinct(findings: list[Finding]) -> tuple[Finding, ...]:
    """One finding once: a helper spliced into several entries is found in each of them."""
    seen: set[tuple[str, SourceId, int, int, str]] = set()
    kept: list[Finding] = []
    for finding in findings:
        where = finding.place
        key = (finding.code, where.source, where.span.start, where.span.end, finding.subject)
        if key not in seen:
            seen.add(key)
            kept.append(finding)
    return tuple(kept)
