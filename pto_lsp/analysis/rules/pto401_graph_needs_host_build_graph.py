"""PTO401 graph-needs-host-build-graph: rules.md G2."""

from __future__ import annotations

from pto_lsp.analysis.rules.examples import jit, program
from pto_lsp.analysis.rules.rule import Example, Rule
from pto_lsp.diagnostics import Severity

RULE = Rule(
    code="PTO401",
    name="graph-needs-host-build-graph",
    severity=Severity.ERROR,
    summary="The program has a Graph, but the runtime it is compiled for cannot replay Graphs",
    what="""\
Reports a Graph function, or a `with pl.graph(...)` region, when the setting `target` is not `host_build_graph`.
It is shown at the first Graph by name, and no other Graph rule is checked then.

The runtime is chosen when a program is compiled or run, never in the source; this tool can only know it from
its configuration.""",
    why="""\
Only the `host_build_graph` runtime records and replays. With any other, the default one of PyPTO included, the
compiler refuses a program that contains a Graph.""",
    examples=(
        Example(
            bad=jit(
                ["accumulate"],
                """
@pl.jit.graph
def ⟦layer⟧(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        acc = layer(x, acc)
    return acc
""",
            ),
            good=jit(
                ["accumulate"],
                """
@pl.jit.inline
def layer(x: <T>, acc: pl.InOut[<T>]):
    acc = accumulate(x, acc)
    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]):
    for i in pl.range(8):
        acc = layer(x, acc)
    return acc
""",
            ),
            settings=(("target", '"tensormap_and_ringbuffer"'),),
        ),
        Example(
            bad=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Graph)
def ⟦layer⟧(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    acc = self.accumulate(x, acc)
    return acc

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.layer(x, acc)
    return acc
""",
            ),
            good=program(
                ["accumulate"],
                """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:
    for i in pl.range(8):
        acc = self.accumulate(x, acc)
    return acc
""",
            ),
            settings=(("target", '"tensormap_and_ringbuffer"'),),
        ),
    ),
    references=("the configuration key `target`",),
)
