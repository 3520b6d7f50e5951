"""From a small program to its plan, for tests: the front end and the passes as the pipeline runs them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.frontend.linker import Linker
from pto_lsp.analysis.frontend.module import Module, Placed
from pto_lsp.analysis.frontend.scopes import Closure, Scopes
from pto_lsp.analysis.graph_boundary.graph_plan import REFUSALS, GraphPlan
from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.graph_boundary.limits import TARGET, Conformance
from pto_lsp.analysis.graph_boundary.plan import ProgramPlan, plan_program
from pto_lsp.analysis.graph_boundary.verify import Violation, verify
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Param, Program
from pto_lsp.analysis.passes.standard import run_standard
from pto_lsp.analysis.source.units import UnitCache

PATH = "program.py"
OPEN, CLOSE = "⟦", "⟧"

ABBREVIATIONS = {
    "T": "pl.Tensor[[128, 128], pl.FP32]",
    "W": "pl.Tensor[[1024, 128], pl.FP32]",
    "IDX": "pl.Scalar[pl.INDEX]",
    "GRAPH": "pl.function(type=pl.FunctionType.Graph)",
    "ORCH": "pl.function(type=pl.FunctionType.Orchestration)",
    "INCORE": "pl.function(type=pl.FunctionType.InCore)",
}

PRELUDE = """\
@INCORE
def bump(self, a: T, c: pl.InOut[T]) -> T:
    t = pl.load(a, [0, 0], [128, 128])
    c = pl.store(t, [0, 0], c)
    return c

@INCORE
def shift(self, a: T, c: pl.InOut[T], off: IDX) -> T:
    t = pl.load(a, [off, 0], [128, 128])
    c = pl.store(t, [0, 0], c)
    return c

@INCORE
def mix(self, a: T, w: T, c: pl.InOut[T]) -> T:
    t = pl.load(w, [0, 0], [128, 128])
    c = pl.store(t, [0, 0], c)
    return c

@INCORE
def fill(self, a: T, r: pl.Out[T]) -> T:
    t = pl.load(a, [0, 0], [128, 128])
    r = pl.store(t, [0, 0], r)
    return r

@INCORE
def pair(self, a: T, c: pl.InOut[T], d: pl.InOut[T]) -> tuple[T, T]:
    t = pl.load(a, [0, 0], [128, 128])
    c = pl.store(t, [0, 0], c)
    d = pl.store(t, [0, 0], d)
    return c, d

@INCORE
def touch(self, a: T, w: pl.InOut[W]) -> W:
    t = pl.load(a, [0, 0], [128, 128])
    w = pl.store(t, [0, 0], w)
    return w
"""


@dataclass(frozen=True)
class Mark:
    """``⟦CODE:text⟧`` in a source: where a finding of that code is expected."""

    code: str
    start: int
    end: int


def unmarked(source: str) -> tuple[str, list[Mark]]:
    """The source without marks, and the marks with offsets into it. Marks may nest."""
    plain: list[str] = []
    length = 0
    opened: list[tuple[str, int]] = []
    marks: list[Mark] = []
    position = 0
    while position < len(source):
        char = source[position]
        if char == OPEN:
            colon = source.index(":", position)
            opened.append((source[position + 1 : colon], length))
            position = colon + 1
        elif char == CLOSE:
            code, start = opened.pop()
            marks.append(Mark(code, start, length))
            position += 1
        else:
            plain.append(char)
            length += 1
            position += 1
    return "".join(plain), marks


def expanded(text: str) -> str:
    """The abbreviations of the cases written out."""
    return re.sub(r"\b(T|W|IDX|GRAPH|ORCH|INCORE)\b(?!\s*=)", lambda m: ABBREVIATIONS[m[1]], text)


def program_of(functions: str, main: str | None = None, prelude: str = PRELUDE) -> str:
    """A whole source from functions of a program class. Without ``main`` the standard caller is added."""
    if main is None:
        main = _standard_caller(functions)
    body = f"{prelude}\n{functions.strip()}\n\n{main.strip()}\n"
    indented = "".join(f"    {line}" if line.strip() else line for line in body.splitlines(keepends=True))
    return expanded(f"import pypto.language as pl\n\n\n@pl.program\nclass P:\n{indented}")


def _standard_caller(functions: str) -> str:
    plain, _ = unmarked(functions)
    header = next(n for n in ast.parse(plain).body if isinstance(n, ast.FunctionDef) and n.name == "layer")
    params = header.args.args[1:]
    signature = ", ".join(f"{p.arg}: {ast.unparse(p.annotation)}" for p in params if p.annotation is not None)
    call = f"self.layer({', '.join(p.arg for p in params)})"
    if header.returns is None:
        return f"@ORCH\ndef main(self, {signature}):\n    {call}\n"
    returns = ast.unparse(header.returns)
    return f"@ORCH\ndef main(self, {signature}) -> {returns}:\n    r = {call}\n    return r\n"


UNITS = UnitCache()
"""Parsed lines by their text, shared because every program has the same kernels."""


class World:
    """One module in memory."""

    def __init__(self, text: str) -> None:
        self.epoch = 0
        self._module = Module(PATH, text, UNITS)
        self._scopes = Scopes(self)

    def module(self, path: str) -> Module | None:
        return self._module if path == PATH else None

    def closure(self, entry: str, module: Module, placed: Placed) -> Closure:
        return self._scopes.closure(entry, module, placed)

    def search_paths(self, path: str) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True)
class FrontEnd:
    """What a text is before the passes, which do not depend on how it is judged."""

    module: Module
    linked: Program
    findings: tuple[Finding, ...]


@lru_cache(maxsize=2048)
def front_end(text: str) -> FrontEnd:
    world = World(text)
    module = world.module(PATH)
    assert module is not None
    syntax = module.syntax
    roots = [f for methods in syntax.programs.values() for f in methods] or list(syntax.functions)
    entry = next((f.function.name for f in roots if f.function.name == "main"), "")
    linked, lowered = Linker(world).program(module, tuple(roots), "" if syntax.programs else entry)
    return FrontEnd(module, linked, tuple(f for one in lowered for f in one.findings))


def analysed(source: str, conformance: Conformance = "extended", target: str = TARGET) -> Analysed:
    """Each program once, however many tests look at it."""
    return _analysed(source, conformance, target)


@cache
def _analysed(source: str, conformance: Conformance, target: str) -> Analysed:
    return Analysed(source, conformance, target)


class Analysed:
    """A source with everything the Graph boundary says about it."""

    def __init__(self, source: str, conformance: Conformance = "extended", target: str = TARGET) -> None:
        self.text, self.marks = unmarked(source)
        self.conformance: Conformance = conformance
        self._target = target
        found = front_end(self.text)
        self._module, self.linked, self.source_findings = found.module, found.linked, found.findings
        stages = run_standard(self.linked, conformance)
        self.pass_findings: tuple[Finding, ...] = tuple(stages.findings)
        self.program: Program = stages.final

    @cached_property
    def plan(self) -> ProgramPlan:
        return plan_program(self.program, self.conformance, self._target)

    @cached_property
    def legal(self) -> Program:
        return legalize(self.plan)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        return verify(self.legal, self.conformance)

    def graph(self, name: str = "layer") -> GraphPlan:
        return next(plan for plan in self.plan.graphs.values() if plan.name == name)

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.plan.findings]

    @property
    def refusals(self) -> list[str]:
        return [code for code in self.codes if code in REFUSALS]

    def finding(self, code: str) -> Finding:
        """The only finding of that code."""
        (found,) = [finding for finding in self.plan.findings if finding.code == code]
        return found

    def span(self, place: Place) -> tuple[int, int]:
        """Offsets into the source."""
        start = self._module.start_of(place.source)
        assert start is not None
        return start + place.span.start, start + place.span.end

    def span_of(self, param: Param) -> tuple[int, int]:
        """Offsets of the name of a parameter."""
        return self.span(place(param.at, param.name_span))

    def text_at(self, place: Place) -> str:
        start, end = self.span(place)
        return self.text[start:end]

    def line_of(self, place: Place) -> int:
        return self.text.count("\n", 0, self.span(place)[0]) + 1

    def marked(self, codes: frozenset[str]) -> list[tuple[str, str]]:
        """What the marks expect of ``codes``: (code, text), sorted."""
        return sorted((m.code, self.text[m.start : m.end]) for m in self.marks if m.code in codes)

    def located(self, codes: frozenset[str]) -> set[tuple[str, int, int]]:
        """Where findings of ``codes`` are."""
        return {(f.code, *self.span(f.place)) for f in self.plan.findings if f.code in codes}

    def appended(self, name: str = "layer") -> list[str]:
        """Parameters that hoisting appends, "name: direction"."""
        plan = self.graph(name)
        labels = {hoist.var.name: hoist.var.label for hoist in plan.hoisted}
        added = plan.parameters[len(plan.function.params) :]
        return [f"{labels[param.name]}: {param.direction.value}" for param in added]
