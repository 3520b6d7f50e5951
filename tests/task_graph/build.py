"""Task graphs of programs given as text."""

from __future__ import annotations

from collections.abc import Iterator

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.locate import range_of
from pto_lsp.analysis.task_graph.checks import surface
from pto_lsp.analysis.task_graph.checks.analysis_mode import functions_with_option
from pto_lsp.analysis.task_graph.checks.run import findings, kernel_findings
from pto_lsp.analysis.task_graph.graph import Analyser, TaskGraph
from pto_lsp.analysis.task_graph.walk import EDITOR_LIMIT
from pto_lsp.diagnostics import Range
from pto_lsp.project import Project

PATH = "graph.py"


class Source:
    """One module, analysed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.project = Project()
        self.project.open(PATH, text)
        self.programs = self.project.analysis(PATH).programs

    def graphs(self, limit: int = EDITOR_LIMIT) -> Iterator[TaskGraph]:
        for program in self.programs:
            analyser = Analyser(program.stages.final)
            for function in analyser.program.functions.values():
                if function.kind is FunctionKind.ORCHESTRATION and not function.generated:
                    yield analyser.graph(function, limit)

    def graph(self, limit: int = EDITOR_LIMIT) -> TaskGraph:
        (found,) = self.graphs(limit)
        return found

    def findings(self) -> list[Finding]:
        """Everything the task-graph rules say."""
        found: list[Finding] = []
        options = functions_with_option(self.text)
        for program in self.programs:
            functions = program.program.functions
            for function in functions.values():
                found += surface.findings(function, functions)
            found += kernel_findings(Analyser(program.stages.final))
        for graph in self.graphs():
            found += findings(graph, graph.function.name in options)
        return found

    def locate(self, place: Place) -> tuple[str, Range] | None:
        found = range_of(place, self.project)
        return None if found is None else (place.source.path, found)

    def reported(self, code: str) -> list[Range]:
        """Ranges of the findings of one rule, in order."""
        ranges = {self.locate(f.place) for f in self.findings() if f.code == code}
        return sorted(r[1] for r in ranges if r is not None)


def jit(body: str) -> str:
    """An entry with inputs ``x`` (32×64) and ``w`` (128×64, InOut), outputs ``s`` (Out) and ``y`` (InOut)."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return f"{HEADER}{lines}    return s, y, w\n"


HEADER = """\
import pypto.language as pl

ROWS = 32


@pl.jit.incore
def put(a: pl.Tensor[[32, 64], pl.FP32], o: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
    t = pl.load(a, [0, 0], [32, 64])
    o = pl.store(pl.add(t, t), [0, 0], o)
    return o


@pl.jit.incore
def bump(a: pl.Tensor[[32, 64], pl.FP32], o: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]):
    t = pl.load(a, [0, 0], [32, 64])
    u = pl.load(o, [0, 0], [32, 64])
    o = pl.store(pl.add(t, u), [0, 0], o)
    return o


@pl.jit
def main(
    x: pl.Tensor[[32, 64], pl.FP32],
    w: pl.InOut[pl.Tensor[[128, 64], pl.FP32]],
    s: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    y: pl.InOut[pl.Tensor[[32, 64], pl.FP32]],
):
"""
