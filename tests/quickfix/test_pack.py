"""PTO403: boundary tensors that become windows of one buffer."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.diagnostics import Applicability
from pto_lsp.quickfix.rewriter import Refused
from pto_lsp.quickfix.tasks import Stream, streams
from tests.quickfix.kernels import jit, program, short
from tests.quickfix.workbench import Workbench

COUNT = 130
NAMES = [f"w{number}" for number in range(COUNT)]
GRAPH = """\
@pl.jit.graph
def layer(x: <T>, acc: pl.InOut[<T>], {parameters}):
{uses}    return acc


@pl.jit
def main(x: <T>, acc: pl.InOut[<T>]{more}):
{made}    acc = layer(x, acc, {arguments})
    return acc
"""


def text(made: str, more: str = "", parameters: str = "{}: <T>", arguments: list[str] = NAMES) -> str:
    return jit(
        GRAPH.format(
            parameters=",\n    ".join(parameters.format(name) for name in NAMES),
            uses="".join(f"    acc = add({name}, acc)\n" for name in NAMES),
            more=more,
            made="".join(made.format(name=name, at=64 * number) for number, name in enumerate(NAMES)),
            arguments=", ".join(arguments),
        )
    )


CREATED = "    {name} = pl.create_tensor([64, 64], dtype=pl.FP32)\n    {name} = produce(x, {name})\n"
SLICED = "    {name} = pl.slice(big, [64, 64], [{at}, 0])\n"
BIG = f", big: pl.Tensor[[{64 * COUNT}, 64], pl.FP32]"


def launched(bench: Workbench) -> list[Stream]:
    """The tasks of the entry, whatever the buffers."""
    found = streams(bench.project.analysis(bench.path("layer.py")).programs, False)
    return [stream for _, stream in sorted(found.items())]


def repaired(root: Path, source: str) -> Workbench:
    bench = Workbench(root, {"layer.py": source})
    before = launched(bench)
    fix = bench.fix("PTO403")
    assert fix.applicability is Applicability.UNSAFE
    bench.apply(fix)
    after = launched(bench)
    assert [stream.tasks for stream in after] == [stream.tasks for stream in before]
    assert all(stream.right for stream in after)
    assert {finding.code for finding in bench.findings()} <= {"PTO301"}
    programs = bench.project.analysis(bench.path("layer.py")).programs
    plans = [plan for each in programs for plan in each.plan.graphs.values()]
    assert plans and all(plan.accepted and len(plan.parameters) < 10 for plan in plans)
    return bench


def test_tensors_that_the_caller_creates(tmp_path: Path) -> None:
    lines = short(repaired(tmp_path, text(CREATED)).text()).splitlines()
    assert "def layer(x: <T>, acc: pl.InOut[<T>], packed: pl.Tensor[[8320, 64], pl.FP32]):" in lines
    assert "    w0 = pl.slice(packed, [64, 64], [pl.tensor.dim(x, 0) - 64, 0])" in lines
    assert "    w7 = pl.slice(packed, [64, 64], [7 * pl.tensor.dim(x, 0), 0])" in lines
    assert "    packed = pl.create_tensor([8320, 64], dtype=pl.FP32)" in lines
    assert "    w7 = pl.slice(packed, [64, 64], [448, 0])" in lines
    assert "    acc = layer(x, acc, packed)" in lines


@pytest.mark.long
def test_tensors_that_are_parts_of_one_buffer(tmp_path: Path) -> None:
    found = repaired(tmp_path, text(SLICED, BIG)).text()
    assert "    acc = layer(x, acc, big)\n" in found
    assert found.count("pl.slice(big, ") == COUNT


def test_allocations_of_the_region(tmp_path: Path) -> None:
    made = CREATED * 1
    body = "".join(made.format(name=name) for name in NAMES) + "".join(f"    acc = add({n}, acc)\n" for n in NAMES)
    source = jit(
        f"@pl.jit.graph\ndef layer(x: <T>, acc: pl.InOut[<T>]):\n{body}    return acc\n\n\n"
        "@pl.jit\ndef main(x: <T>, acc: pl.InOut[<T>]):\n    acc = layer(x, acc)\n    return acc\n"
    )
    found = repaired(tmp_path, source).text()
    assert "    packed = pl.create_tensor([8320, 64], dtype=pl.FP32)\n    w0 = pl.slice(packed, " in found
    assert "    w129 = pl.slice(packed, [64, 64], [129 * pl.tensor.dim(x, 0), 0])\n" in found


def test_methods(tmp_path: Path) -> None:
    parameters = ", ".join(f"{name}: <T>" for name in NAMES)
    uses = "".join(f"        acc = self.add({name}, acc)\n" for name in NAMES)
    made = "".join(
        f"        {name} = pl.create_tensor([64, 64], dtype=pl.FP32)\n        {name} = self.produce(x, {name})\n"
        for name in NAMES
    )
    source = program(
        "    @pl.function(type=pl.FunctionType.Graph)\n"
        f"    def layer(self, x: <T>, acc: pl.InOut[<T>], {parameters}) -> <T>:\n{uses}        return acc\n\n"
        "    @pl.function(type=pl.FunctionType.Orchestration)\n"
        f"    def main(self, x: <T>, acc: pl.InOut[<T>]) -> <T>:\n{made}"
        f"        acc = self.layer(x, acc, {', '.join(NAMES)})\n        return acc\n"
    )
    found = short(repaired(tmp_path, source).text())
    assert "    def layer(self, x: <T>, acc: pl.InOut[<T>], packed: pl.Tensor[[8320, 64], pl.FP32]) -> <T>:\n" in found
    assert "        acc = self.layer(x, acc, packed)\n" in found


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (text("", "".join(f", {name}: <T>" for name in NAMES)), "neither created by it nor parts of one buffer"),
        (text(CREATED, parameters="{}: pl.InOut[<T>]"), "not enough tensors that are only read"),
        (text(SLICED, BIG.replace("8320", "8384")), "no more than them, or less"),
        (text(SLICED, BIG, arguments=NAMES[::-1]), "in another order"),
        (text("", BIG).split("@pl.jit\ndef main")[0], "no caller|neither"),
    ],
)
def test_where_it_does_not_fit(source: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=reason):
        Workbench(tmp_path, {"layer.py": source}).fix("PTO403")
