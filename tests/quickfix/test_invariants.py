"""What holds for every repair: on the examples of the rules, on the project's examples, on random programs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.graph_boundary.verify import verify
from pto_lsp.analysis.replay.definition import Node
from pto_lsp.analysis.replay.host import Outcome
from pto_lsp.analysis.replay.simulation import Simulation, simulate
from pto_lsp.analysis.replay.values import Tensor
from pto_lsp.analysis.rules import registry as rules
from pto_lsp.analysis.rules.rule import unmark
from pto_lsp.config import Settings
from pto_lsp.diagnostics import Applicability, Diagnostic
from pto_lsp.quickfix.fix_all import FixAll
from pto_lsp.quickfix.registry import FIXABLE, HOISTS
from pto_lsp.quickfix.rewriter import Refused
from tests.quickfix.workbench import Workbench
from tests.replay.generator import Generator
from tests.support.effort import examples

BOUNDARY = frozenset(code for code in FIXABLE if code < "PTO6")
EXAMPLES = Path(__file__).parents[2] / "examples"
BAD = [
    (rule.code, number, unmark(example.bad)[0])
    for rule in rules.rules()
    if rule.code in FIXABLE
    for number, example in enumerate(rule.examples)
]
# The second one of PTO104 needs a loop unrolled, that of PTO403 has no caller, the first one of PTO602 computes, and in
# that of PTO603 the tensor has the wrong type.
WITHOUT_REPAIR = {("PTO104", 1), ("PTO403", 0), ("PTO602", 0), ("PTO603", 0)}
REVEALED = {"PTO719": {("PTO810", "q")}}
"""A read that waits for its value stalls: that is what the repair is for."""
SCALARS = (0, 1, 5)

Stream = list[tuple[object, ...]]


def one_by_one(bench: Workbench, random: Random, limit: int = 40) -> int:
    """Apply safe repairs in random order until there is none; how many there were."""
    for count in range(limit):
        fixes = []
        for name in bench.names:
            for diagnostic in bench.findings(name):
                if diagnostic.code in BOUNDARY:
                    fixes.append((name, diagnostic))
        random.shuffle(fixes)
        if not any(apply_safely(bench, name, diagnostic) for name, diagnostic in fixes):
            return count
    raise AssertionError("repairs without an end")


def apply_safely(bench: Workbench, name: str, diagnostic: Diagnostic) -> bool:
    fix = bench.engine.fix(bench.path(name), diagnostic)
    if fix is None or fix.applicability is not Applicability.SAFE:
        return False
    bench.apply(fix)
    return True


def loud(bench: Workbench) -> list[tuple[str, str]]:
    """Findings that are more than a hint."""
    found = [d for name in bench.names for d in bench.findings(name) if d.severity.rank < 3]
    return sorted((d.code, d.subject) for d in found)


def runs(bench: Workbench, name: str = "layer.py") -> Iterator[tuple[str, list[Simulation]]]:
    """Each entry with its runs, one for each of SCALARS."""
    for program in bench.project.analysis(bench.path(name)).programs:
        legal = legalize(program.plan)
        assert verify(legal) == () or not program.plan.accepted
        for key, function in legal.functions.items():
            if function.kind.value == "orchestration" and function.body is not None:
                yield key, [simulate(legal, key, [dict.fromkeys(_names(function), value)]) for value in SCALARS]


def launches(bench: Workbench, name: str = "layer.py") -> dict[str, list[Stream]]:
    """The tasks inside all Graph calls of a run, by entry: kernels, scalars, windows; buffers by first use."""
    return {
        key: [_stream([node for call in run.calls for node in call.fresh]) for run in each]
        for key, each in runs(bench, name)
    }


def leaves_recordings(bench: Workbench) -> bool:
    """Whether a call does not fit its recording, as with a window that the end of its tensor cuts. It runs as ordinary
    tasks then, and is not compared."""
    return any(call.outcome is Outcome.ORDINARY for _, each in runs(bench) for run in each for call in run.calls)


def _names(function: object) -> list[str]:
    return [param.name for param in function.params]  # type: ignore[attr-defined]


def _stream(nodes: list[Node]) -> Stream:
    buffers: dict[int, int] = {}
    stream: Stream = []
    for node in nodes:
        if node.kernel is None:
            continue
        task: list[object] = [node.kernel, *(scalar.value for scalar in node.scalars)]
        for each in node.tensors:
            tensor = each.tensor
            if isinstance(tensor, Tensor):
                number = buffers.setdefault(id(tensor.buffer), len(buffers))
                task.append((number, tensor.start, tensor.shape, tensor.strides))
            else:
                # One of two buffers, by a condition of the region.
                task.append("?")
        stream.append(tuple(task))
    return stream


@pytest.mark.parametrize(("code", "number", "text"), BAD, ids=[f"{code}-{number}" for code, number, _ in BAD])
def test_every_example_of_a_rule_is_repaired(code: str, number: int, text: str, tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"layer.py": text})
    before = loud(bench)
    found = [d for d in bench.findings() if d.code == code]
    if (code, number) in WITHOUT_REPAIR:
        with pytest.raises(Refused):
            bench.engine.attempt(bench.path("layer.py"), found[0])
        return
    bench.apply(bench.engine.attempt(bench.path("layer.py"), found[0]))
    assert len([d for d in bench.findings() if d.code == code]) < len(found)
    assert not set(loud(bench)) - set(before) - REVEALED.get(code, set())
    with pytest.raises(Refused):
        bench.engine.attempt(bench.path("layer.py"), found[0])


@pytest.mark.parametrize("folder", sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()))
def test_the_examples_of_the_project(folder: str, tmp_path: Path) -> None:
    """All at once and one by one, in two orders, leave the same findings and launch the same tasks."""
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted((EXAMPLES / folder).glob("*.py"))}
    together = Workbench(tmp_path / "together", files)
    before = {name: launches(together, name) for name in files}
    paths = [together.path(name) for name in files]
    repaired = FixAll(together.project, lambda path: str(together.root), lambda path: Settings()).run(paths)
    for path, text in repaired.texts.items():
        together.project.open(path, text)
    assert {name: launches(together, name) for name in files} == before
    for seed in (1, 2):
        bench = Workbench(tmp_path / str(seed), files)
        one_by_one(bench, Random(seed))
        assert loud(bench) == loud(together)
        assert {name: launches(bench, name) for name in files} == before
    again = FixAll(together.project, lambda path: str(together.root), lambda path: Settings()).run(paths)
    assert (again.texts, again.fixed) == ({}, 0)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.randoms(use_true_random=False))
def test_random_programs_launch_the_same_tasks(random: Random) -> None:
    text = Generator(random).source
    note(text)
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(Path(folder), {"layer.py": text})
        before, findings = launches(bench), loud(bench)
        moved = any(d.code in ("PTO304", "PTO302") for d in bench.findings()) or leaves_recordings(bench)
        one_by_one(bench, random)
        note(bench.text())
        if not moved:
            assert launches(bench) == before
        # A view taken at the call site shows what it has in common with the tensor it looks into.
        assert {code for code, _ in loud(bench)} - {code for code, _ in findings} <= {"PTO424"}
        left = [d for d in bench.findings() if d.code in HOISTS]
        assert all(_has_no_safe_repair(bench, d) for d in left)


def _has_no_safe_repair(bench: Workbench, diagnostic: Diagnostic) -> bool:
    fix = bench.engine.fix(bench.path("layer.py"), diagnostic)
    return fix is None or fix.applicability is Applicability.UNSAFE
