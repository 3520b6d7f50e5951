"""Every rule of the plan matters: with any one switched off, some program is judged differently."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from pto_lsp.analysis.graph_boundary import (
    allocations,
    arguments,
    call_site_checks,
    call_sites,
    graph_planning,
    replay_invariant,
    scalars,
    topology,
    views,
)
from pto_lsp.analysis.graph_boundary.plan import plan_program
from pto_lsp.analysis.ir.printer import print_expr
from tests.graph_boundary.cases import BUMP, W_IDX, cases, layer, looped
from tests.graph_boundary.harness import Analysed, analysed, program_of


def nothing(*_: object, **__: object) -> list[object]:
    return []


def ignored(*_: object, **__: object) -> None:
    return None


def constant(value: object) -> Callable[..., object]:
    return lambda *_, **__: value


Mutation = tuple[object, str, Callable[..., object]]

MUTATIONS: dict[str, Mutation] = {
    "A2 nothing is derivable": (scalars, "derivable", constant(False)),
    "A2 everything is derivable": (scalars, "derivable", constant(True)),
    "A9 inline scalars pass": (arguments.ArgumentCheck, "_refuse_inline", ignored),
    "A9b operators are not looked at": (arguments.ArgumentCheck, "_operator", ignored),
    "A10 named scalars pass": (arguments.ArgumentCheck, "_refuse_name", ignored),
    "B3 write-backs are not followed": (views._ViewWalk, "_inherit", ignored),
    "B3 tuple elements are not followed": (views._ViewWalk, "_element", ignored),
    "B5 views stay": (views._ViewWalk, "_hoist", ignored),
    "B7 in-place views are forgotten": (views._ViewWalk, "_leave", ignored),
    "B8 mixed windows pass": (views._ViewWalk, "_refuse_window", ignored),
    "B9 varying extents pass": (views._ViewWalk, "_check_extents", constant(True)),
    "C2 appended in definition order": (graph_planning, "appended_in_order", lambda hoisted: hoisted),
    "C5-C7 call sites pass": (call_site_checks, "_refusals", nothing),
    "C3 arguments in another order": (call_sites, "appended_in_order", lambda hoisted: tuple(reversed(hoisted))),
    "D1 D2 directions pass": (graph_planning, "check_directions", nothing),
    "D4-D6 counts pass": (graph_planning, "check_counts", nothing),
    "D7 nested graphs pass": (graph_planning, "check_nested_graphs", nothing),
    "D8 returns pass": (graph_planning, "check_returns", nothing),
    "F1 fills pass": (allocations._AllocationWalk, "_refuse_full", ignored),
    "F2 shapes pass": (allocations._AllocationWalk, "_check_shape", constant(True)),
    "F3 creates stay": (allocations._AllocationWalk, "_place", ignored),
    "I2 no index is invariant": (replay_invariant.ReplayInvariantSet, "_walk_for", ignored),
    "I3 no extent is invariant": (replay_invariant.ReplayInvariantSet, "_holds_operator", constant(False)),
    "I5 no name is invariant": (replay_invariant.ReplayInvariantSet, "_bind", ignored),
    "I8 the set stays as it was": (graph_planning, "_set_changes", constant(False)),
    "L2 core counts pass": (graph_planning, "check_core_counts", nothing),
    "N2 run-time loops pass": (topology.Topology, "_refuse_loop", ignored),
    "N4 branches pass": (topology.Topology, "_refuse_fork", ignored),
    "N5 allocations are free": (topology, "CREATE", "nothing"),  # type: ignore[dict-item]
    "N7 N8 totals pass": (topology.Topology, "_check_total", ignored),
    "X4 every carry is invariant": (replay_invariant.ReplayInvariantSet, "_leave_carry", ignored),
    "X5 moving windows pass": (views._ViewWalk, "_warn_frozen", ignored),
    "X6 element indices pass": (arguments.ArgumentCheck, "_indices", ignored),
    "X11 any number of graphs": (call_site_checks, "_too_many_graphs", nothing),
    "X12 calls may disagree": (call_site_checks, "_disagreements", nothing),
    "X13 options pass": (call_site_checks, "_ignored_options", nothing),
    "X15 host accesses pass": (arguments.ArgumentCheck, "_host_access", ignored),
    "X19 unused scalars pass": (graph_planning, "_unused_scalars", nothing),
    "manual scopes pass": (call_site_checks, "_manual_scope", constant(None)),
    "aliases pass": (call_site_checks, "_aliases", nothing),
    "coincidences pass": (call_site_checks, "check_coincidences", nothing),
    "shadowed views pass": (graph_planning, "check_shadowed_views", nothing),
    "written inputs pass": (graph_planning, "check_input_writes", nothing),
    "carried tensors are lost": (views._ViewWalk, "_carry", ignored),
    "merged tensors are lost": (views._ViewWalk, "_merge", ignored),
    "loops that are left early are counted": (topology, "has_jump", constant(False)),
}


def main(body: str, extra: str = "") -> str:
    more = f", {extra}" if extra else ""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"@ORCH\ndef main(self, a: T, c: pl.InOut[T]{more}) -> T:\n{lines}    return c\n"


def sources() -> Iterator[tuple[str, str, str]]:
    """Programs with the mode and target to judge them under: the cases, and some about what is only warned about."""
    for case in cases():
        yield program_of(case.functions, case.main), case.modes[-1], case.target
    window = "v = pl.slice({0}, [128, 128], [{1}, 0])\nc = self.mix(a, v, c)\nreturn c"
    carried = "off = 0\nfor i in pl.range(4):\n    c = self.shift(a, c, off)\n    off = off + {step}\nreturn c"
    merged = "x = w\nif idx > 2:\n    x = u\n" + window.format("x", "idx")
    early = "for i in pl.range(4):\n    if idx > i:\n        break\n    c = self.bump(a, c)\nreturn c"
    read = f"n = pl.tensor.read(ctl, [idx])\nfor j in pl.range(n):\n    x = j\n{BUMP}"
    dim = "v = pl.slice(w, [128, 128], [idx, 0])\nn = pl.tensor.dim(v, 0)\nc = self.shift(v, c, n)\nreturn c"
    loop = "for i in pl.range(4):\n    w = self.touch(a, w)\n    " + window.format("w", "idx").replace(
        "\nc =", "\n    c ="
    )
    tuple_ = "t = pl.submit(self.touch, a, w)\nx = t[0]\n" + window.format("x", "idx")
    owned = "w: pl.InOut[W], idx: IDX"
    for functions, caller in (
        (layer(carried.format(step="8")), None),
        (layer(carried.format(step="idx"), "idx: IDX"), None),
        (layer(merged, f"{W_IDX}, u: W"), None),
        (layer(early, "idx: IDX"), None),
        (layer(read, "ctl: pl.Tensor[[4], pl.INDEX], idx: IDX"), None),
        (layer(dim, W_IDX), None),
        (layer(loop, owned), None),
        (layer(tuple_, owned), None),
        (layer(f"x = self.touch(a, w)\n{BUMP}", "w: W"), None),
        (layer(BUMP), main("with pl.manual_scope():\n    c = self.layer(a, c)")),
        (layer(BUMP), main("c, t = pl.submit(self.layer, a, c, allow_early_resolve=True)")),
        (
            layer("v = pl.slice(w, [128, 128], [idx, 0])\nc = self.mix(v, a, c)\n" + window.format("w", "0"), W_IDX),
            looped("a, c, w, i", "w: W"),
        ),
        (
            "\n".join(layer(BUMP, name=f"g{i:02}") for i in range(17)),
            main("\n".join(f"c = self.g{i:02}(a, c)" for i in range(17))),
        ),
    ):
        yield program_of(functions, caller), "extended", "host_build_graph"


def judgement(program: Analysed, target: str) -> object:
    """Everything a plan says, and what comes of it."""
    plan = plan_program(program.program, program.conformance, target)
    findings = [(f.code, program.span(f.place), f.subject) for f in plan.findings if f is not None]
    boundaries = [([p.name for p in graph.parameters], graph.nodes) for graph in plan.graphs.values()]
    return findings, boundaries, [[print_expr(a) for a in site.arguments] for site in plan.call_sites]


@cache
def right_judgements() -> list[tuple[Analysed, str, object]]:
    found = []
    for source, mode, target in sources():
        program = analysed(source, mode, target)  # type: ignore[arg-type]
        found.append((program, target, judgement(program, target)))
    return found


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_rule_switched_off_is_noticed(mutation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = right_judgements()
    owner, name, replacement = MUTATIONS[mutation]
    monkeypatch.setattr(owner, name, replacement)

    def differs(program: Analysed, target: str, expected: object) -> bool:
        try:
            return judgement(program, target) != expected
        except (AttributeError, KeyError, StopIteration, AssertionError):
            return True

    assert any(differs(*each) for each in right)


def test_without_a_mutation_nothing_differs() -> None:
    assert all(judgement(program, target) == expected for program, target, expected in right_judgements())
