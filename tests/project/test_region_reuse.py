"""Edits of orchestrations whose regions are taken over give the programs and findings of a project opened afresh."""

from __future__ import annotations

import os
import random
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from pto_lsp.analysis.ir.place import LineStart
from pto_lsp.diagnostics import Range
from pto_lsp.project import Change, Project

ROOT = Path(__file__).parents[2] / "examples"
SEEDS = range(int(os.environ.get("PTO_FUZZ_SEEDS", "4")))
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
@pytest.mark.parametrize("name", ["attention/paged_attention.py", "tutorial/two_stages.py", "moe/moe_region.py"])
def test_incremental_equals_cold(name: str, seed: int) -> None:
    source = (ROOT / name).read_text(encoding="utf-8")
    path = str(ROOT / name)
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
