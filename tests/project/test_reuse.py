"""Edits of orchestrations of which most is taken over give the programs and findings of a project opened afresh, and
take over what they should.
"""

from __future__ import annotations

import os
import random
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from pto_lsp.analysis.frontend import line_memo
from pto_lsp.analysis.ir.place import LineStart
from pto_lsp.analysis.passes import convert_to_ssa
from pto_lsp.analysis.task_graph import analysis, graph
from pto_lsp.diagnostics import Range
from pto_lsp.project import Change, Project

ROOT = Path(__file__).parents[2] / "examples"
SEEDS = range(int(os.environ.get("PTO_FUZZ_SEEDS", "2")))
ORCHESTRATION = """
import pypto.language as pl

T = 64
TILE = 16


@pl.jit.inline
def norm(x: pl.Tensor[[T, T], pl.FP32], out: pl.Tensor[[T, T], pl.FP32], row0):
    rows = TILE * 2
    half = pl.slice(out, [TILE, T], [row0, 0])
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="norm") as norm_tid:
        scale = 1.0 / T
        squares = pl.mul(x[0:TILE, :], x[0:TILE, :])
        half[:, :] = pl.mul(squares, scale)
    return norm_tid


@pl.jit.inline
def layer(x: pl.Tensor[[T, T], pl.FP32], w: pl.Tensor[[T, T], pl.FP32], out: pl.Tensor[[T, T], pl.FP32], base):
    scratch = pl.create_tensor([T, T], dtype=pl.FP32)
    tid = norm(x, scratch, base)
    for part in pl.unroll(2):
        row = part * TILE + base
        if part > 0:
            row = row + TILE
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="project", deps=[tid]):
            for k in pl.range(2):
                tile = pl.matmul(scratch[row : row + TILE, :], w[:, :])
                out[row : row + TILE, :] = pl.add(tile, tile)
    norm(out, scratch, base + TILE)
    for i in pl.range(4):
        offset = i * TILE
        band = pl.slice(scratch, [TILE, T], [offset, 0])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="band"):
            band[:, :] = pl.exp(band[:, :])
    with pl.manual_scope():
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="first") as first:
            out[0:TILE, :] = pl.exp(scratch[0:TILE, :])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="second", deps=[first, first]) as second:
            out[0:TILE, :] = pl.exp(out[0:TILE, :])
    return out


@pl.jit
def model(
    x: pl.Tensor[[T, T], pl.FP32], w: pl.Tensor[[T, T], pl.FP32], out: pl.InOut[pl.Tensor[[T, T], pl.FP32]]
):
    count = T // TILE - 4
    start = 0
    if count == 0:
        start = TILE
    for step in pl.range(2):
        out = layer(x, w, out, start)
        start = start + 0
    total = pl.read(out, [0, 0])
    out = layer(out, w, out, 0)
    for block in pl.spmd(4, name_hint="copy"):
        out[block * TILE : (block + 1) * TILE, :] = x[block * TILE : (block + 1) * TILE, :]
    return out


@pl.jit
def other(x: pl.Tensor[[T, T], pl.FP32], w: pl.Tensor[[T, T], pl.FP32], out: pl.Out[pl.Tensor[[T, T], pl.FP32]]):
    return layer(x, w, out, TILE)
"""
LINES = [
    "",
    "    # moved",
    "    tmp = pl.create_tensor([64, 64], dtype=pl.FP32)",
    "    with pl.at(level=pl.Level.CORE_GROUP):",
    "        x = pl.load(y, [0, 0], [64, 64])",
    "        broken = (",
]
WORDS = ["tmp", "undefined_name", "0", "1", "64", "+ 1", "pl.FP32", "y", "x"]


def line_edit(rng: random.Random, lines: list[str]) -> list[str]:
    """``lines`` with one inserted, dropped, doubled or indented, two swapped, or a word replaced."""
    at = rng.randrange(len(lines))
    kind = rng.randrange(6)
    changed = list(lines)
    if kind == 0:
        changed.insert(at, rng.choice(LINES))
    elif kind == 1:
        del changed[at]
    elif kind == 2:
        changed.insert(at, changed[at])
    elif kind == 3:
        changed[at] = "    " + changed[at] if rng.random() < 0.5 else changed[at].removeprefix("    ")
    elif kind == 4:
        other = min(len(lines) - 1, at + rng.randrange(1, 4))
        changed[at], changed[other] = changed[other], changed[at]
    else:
        words = changed[at].split(" ")
        words[rng.randrange(len(words))] = rng.choice(WORDS)
        changed[at] = " ".join(words)
    return changed


def common(left: str, right: str) -> int:
    """How many characters the two begin with alike."""
    length = 0
    while length < min(len(left), len(right)) and left[length] == right[length]:
        length += 1
    return length


def replaced(project: Project, path: str, old: str, new: str) -> None:
    """Send the smallest change that makes ``new`` of ``old``."""
    head = common(old, new)
    tail = common(old[head:][::-1], new[head:][::-1])
    table = project.line_table(path)
    span = Range(table.position(head), table.position(len(old) - tail))
    project.change(path, [Change(span, new[head : len(new) - tail])])


def plain(value: object) -> object:
    """``value`` as nested tuples: functions by name, lines by where they are now."""
    if isinstance(value, LineStart):
        return value.offset
    if isinstance(value, tuple):
        return tuple([plain(item) for item in value])
    if isinstance(value, dict):
        return tuple([(key, plain(item)) for key, item in value.items()])
    if is_dataclass(value):
        return (type(value).__name__, *[plain(getattr(value, field.name)) for field in fields(value)])
    return value


def programs(project: Project, path: str) -> list[object]:
    """What the passes make of every program of a file."""
    return [plain(program.stages.final) for program in project.analysis(path).programs]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "name", ["", "attention/paged_attention.py", "tutorial/two_stages.py", "moe/moe_region.py", "decoder/mlp.py"]
)
def test_incremental_equals_cold(name: str, seed: int) -> None:
    path = str(ROOT / (name or "orchestration.py"))
    source = (ROOT / name).read_text(encoding="utf-8") if name else ORCHESTRATION
    rng = random.Random(seed)
    project = Project()
    project.open(path, source)
    project.check(path)
    text, history = source, [source]
    for step in range(40):
        new = history[-1] if rng.random() < 0.3 else "\n".join(line_edit(rng, text.split("\n")))
        history.append(text)
        replaced(project, path, text, new)
        text = new
        found = project.check(path)
        if step % 2:
            continue
        cold = Project()
        cold.open(path, text)
        assert found == cold.check(path)
        assert programs(project, path) == programs(cold, path)
        if len(history) > 8:
            text = source
            replaced(project, path, new, text)
            history = [source]


@pytest.mark.long
def test_every_line_broken_and_healed() -> None:
    path = "orchestration.py"
    project = Project()
    project.open(path, ORCHESTRATION)
    before = project.check(path)
    shapes = programs(project, path)
    lines = ORCHESTRATION.split("\n")
    for at, line in enumerate(lines):
        for end in (" + 1", " = (", ")"):
            broken = "\n".join([*lines[:at], line + end, *lines[at + 1 :]])
            replaced(project, path, ORCHESTRATION, broken)
            found = project.check(path)
            if at % 7 == 3:
                cold = Project(edits=False)
                cold.open(path, broken)
                assert found == cold.check(path)
            replaced(project, path, broken, ORCHESTRATION)
            assert project.check(path) == before
        assert programs(project, path) == shapes


def counted(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[None]:
    """A list that grows by one with every call of ``owner.name``."""
    calls: list[None] = []
    original = getattr(owner, name)

    def call(*args: object, **options: object) -> object:
        calls.append(None)
        return original(*args, **options)

    monkeypatch.setattr(owner, name, call)
    return calls


def edited(old: str, new: str) -> tuple[Project, str]:
    """The orchestration with ``old`` made ``new`` and back, checked each time, so that everything is known."""
    path = "orchestration.py"
    project = Project()
    project.open(path, ORCHESTRATION)
    text = ORCHESTRATION.replace(old, new, 1)
    assert text != ORCHESTRATION
    project.check(path)
    replaced(project, path, ORCHESTRATION, text)
    project.check(path)
    replaced(project, path, text, ORCHESTRATION)
    project.check(path)
    return project, text


def test_an_edit_inside_a_kernel_leaves_the_graph_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    project, text = edited("scale = 1.0 / T", "scale = 2.0 / T")
    walks = counted(monkeypatch, graph, "walk")
    judged = counted(monkeypatch, analysis, "findings")
    replaced(project, "orchestration.py", ORCHESTRATION, text)
    project.check("orchestration.py")
    assert walks == [] and judged == []


def test_what_a_kernel_touches_is_judged_without_a_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    project, text = edited("half[:, :] = pl.mul", "half[0:8, :] = pl.mul")
    walks = counted(monkeypatch, graph, "walk")
    judged = counted(monkeypatch, analysis, "findings")
    replaced(project, "orchestration.py", ORCHESTRATION, text)
    project.check("orchestration.py")
    assert walks == [] and len(judged) == 2, "two entries reach the kernel"


@pytest.mark.parametrize(
    ("old", "new", "most"),
    [("rows = TILE * 2", "rows = TILE * 3", 12), ("count = T // TILE - 4", "count = T // TILE - 3", 8)],
)
def test_only_what_changed_is_worked_through(old: str, new: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    project, text = edited(old, new)
    worked = counted(monkeypatch, convert_to_ssa._Converter, "work")
    replaced(project, "orchestration.py", ORCHESTRATION, text)
    project.check("orchestration.py")
    assert 0 < len(worked) <= most


@pytest.mark.parametrize(
    ("old", "new"), [("count = T // TILE - 4", "count = T // TILE - 3"), ("rows = TILE * 2", "rows = TILE * 3")]
)
@pytest.mark.parametrize("constant", ["T = 64", "TILE = 16"])
def test_after_an_edit_elsewhere_that_was_taken_back(
    constant: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, _ = edited(constant, constant + " * 2")
    text = ORCHESTRATION.replace(old, new)
    lowered = counted(monkeypatch, line_memo, "_recorded")
    worked = counted(monkeypatch, convert_to_ssa._Converter, "work")
    replaced(project, "orchestration.py", ORCHESTRATION, text)
    project.check("orchestration.py")
    assert 0 < len(lowered) <= 8
    assert 0 < len(worked) <= 16


@pytest.mark.parametrize("place", ["row = part * TILE + base", "rows = TILE * 2", "offset = i * TILE"])
def test_what_was_left_alone_for_long_is_still_known(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    project, text = edited(place, place + " + 1")
    before = ORCHESTRATION
    for number in range(60):
        after = ORCHESTRATION.replace("count = T // TILE - 4", f"count = T // TILE - {number + 5}")
        replaced(project, "orchestration.py", before, after)
        project.check("orchestration.py")
        before = after
    replaced(project, "orchestration.py", before, ORCHESTRATION)
    project.check("orchestration.py")
    worked = counted(monkeypatch, convert_to_ssa._Converter, "work")
    replaced(project, "orchestration.py", ORCHESTRATION, text)
    project.check("orchestration.py")
    assert 0 < len(worked) <= 40


def test_a_statement_typed_again_brings_back_what_depends_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "    scratch = pl.create_tensor([64, 64], dtype=pl.FP32)"
    head = "import pypto.language as pl\n\n\n@pl.jit\ndef main(x: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]):\n"
    stages = [
        f"    view_{n} = pl.slice(scratch, [8, 64], [{n} * 8, 0])\n"
        f'    with pl.at(level=pl.Level.CORE_GROUP, name_hint="stage_{n}"):\n'
        f"        view_{n}[:, :] = pl.exp(x[{n} * 8 : {n} * 8 + 8, :])\n"
        for n in range(8)
    ]
    source = f"{head}{line}\n{''.join(stages)}    return x\n"
    path, project, text = "typed.py", Project(), source
    project.open(path, source)
    project.check(path)
    for length in range(len("    scratch = "), len(line)):
        shorter = source.replace(line, line[:length])
        replaced(project, path, text, shorter)
        project.check(path)
        text = shorter
    lowered = counted(monkeypatch, line_memo, "_recorded")
    worked = counted(monkeypatch, convert_to_ssa._Converter, "work")
    replaced(project, path, text, source)
    project.check(path)
    assert 0 < len(lowered) <= 2
    assert 0 < len(worked) <= 2


def test_a_call_less_renames_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    old = "    tid = norm(x, scratch, base)"
    project, text = edited(old, old + " + 1 (")
    worked = counted(monkeypatch, convert_to_ssa._Converter, "work")
    replaced(project, "orchestration.py", ORCHESTRATION, text)
    project.check("orchestration.py")
    after_edit = len(worked)
    cold = Project()
    cold.open("orchestration.py", text)
    cold.check("orchestration.py")
    assert after_edit < (len(worked) - after_edit) / 2


@pytest.mark.parametrize("head", ["for i{} in pl.range(n):", "if n > {}:"])
def test_deep_nesting_needs_no_more_stack(head: str) -> None:
    depth = 90
    lines = ["import pypto.language as pl", "", "", "@pl.jit"]
    lines += ["def main(x: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]):", "    s = 0"]
    lines += [" " * (4 + level) + head.format(level) for level in range(depth)]
    inside = " " * (4 + depth)
    lines += [inside + "s = s + 1", inside + 'with pl.at(level=pl.Level.CORE_GROUP, name_hint="only"):']
    lines += [inside + " x[0:8, :] = pl.exp(x[0:8, :])", "    return x", ""]
    project = Project()
    project.open("deep.py", "\n".join(lines))
    assert project.check("deep.py") == () and project.faults("deep.py") == ()
    replaced(project, "deep.py", "\n".join(lines), "\n".join(lines).replace("s + 1", "s + 2"))
    assert project.check("deep.py") == () and project.faults("deep.py") == ()
