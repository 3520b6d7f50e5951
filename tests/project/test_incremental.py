"""After any edits a project says the same as one that has just opened the same texts, and knows who depends on whom."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from pto_lsp.diagnostics import Position, Range
from pto_lsp.project import Change, Project

EXAMPLES = Path(__file__).parents[2] / "examples"
SEEDS = range(int(os.environ.get("PTO_FUZZ_SEEDS", "6")))
EDITS = int(os.environ.get("PTO_FUZZ_EDITS", "40"))

FRAGMENTS = [
    "",
    " ",
    "\n",
    "\r\n",
    "    ",
    "x",
    "=",
    "(",
    ")",
    "[",
    "]",
    ":",
    ",",
    '"',
    "'''",
    "#",
    "\\\n",
    "\f",
    "宽度",
    "🎉",
]
FRAGMENTS += ["def f():\n", "if x:\n        ", "for i in pl.range(4):\n        ", "return x\n", "pl.", "layer", " * 2"]
FRAGMENTS += ["@pl.jit\n", "T = 8\n", "base = layer * D\n    ", "import pypto.language as pl\n", "x += 1\n    "]
FRAGMENTS += ['with pl.graph("g"):\n        ', "with pl.at(level=pl.Level.CORE_GROUP):\n        "]
FRAGMENTS += ["pl.Out[", "pl.InOut[", "layer: pl.Scalar[pl.INDEX],"]


def sources() -> dict[str, str]:
    """Modules of a project that import each other, by path."""
    found = {}
    for name in ("config", "norm", "mlp", "decoder_layer"):
        found[f"/project/{name}.py"] = (EXAMPLES / "decoder" / f"{name}.py").read_text(encoding="utf-8")
    found["/project/tasks.py"] = (EXAMPLES / "tutorial" / "two_stages.py").read_text(encoding="utf-8")
    found["/project/paged.py"] = (EXAMPLES / "attention" / "paged_attention.py").read_text(encoding="utf-8")
    return found


def opened(texts: dict[str, str], edits: bool = True) -> Project:
    project = Project(edits=edits)
    for path, text in texts.items():
        project.open(path, text)
    return project


def position(text: str, offset: int) -> Position:
    project = Project()
    project.open("/one.py", text)
    return project.line_table("/one.py").position(offset)


def random_change(rng: random.Random, text: str) -> tuple[Change, str]:
    """A change and the text after it."""
    if rng.random() < 0.03:
        return Change(None, text), text
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + (rng.randrange(30) if rng.random() < 0.4 else 0))
    # An edit between the two characters of a line end has no position of its own.
    start -= text[start - 1 : start + 1] == "\r\n"
    end += text[end - 1 : end + 1] == "\r\n" and end > start
    if end < start:
        end = start
    new = rng.choice(FRAGMENTS)
    if rng.random() < 0.3:
        at = rng.randrange(len(text) + 1)
        new = text[at : at + rng.randrange(60)]
    where = Range(position(text, start), position(text, end))
    return Change(where, new), text[:start] + new + text[end:]


@pytest.mark.parametrize("seed", SEEDS)
def test_incremental_equals_cold(seed: int) -> None:
    rng = random.Random(seed)
    texts = sources()
    project = opened(texts)
    before = {path: project.check(path) for path in texts}
    history: list[tuple[str, str]] = []
    for step in range(EDITS):
        if history and rng.random() < 0.25:
            path, restored = history.pop()
            change, texts[path] = Change(None, restored), restored
        else:
            path = rng.choice(sorted(texts))
            history.append((path, texts[path]))
            change, texts[path] = random_change(rng, texts[path])
        dependents = project.dependents(path)
        project.change(path, [change])
        assert project.text(path) == texts[path]
        found = {each: project.check(each) for each in texts}
        for each in texts:
            if each != path and found[each] != before[each]:
                assert each in dependents, f"{each} was not known to depend on {path}"
        before = found
        if step % 5 == 4:
            cold = opened(texts, edits=False)
            for each in texts:
                assert found[each] == cold.check(each)


def test_closing_and_reopening() -> None:
    texts = sources()
    project = opened(texts)
    path = "/project/decoder_layer.py"
    first = project.check(path)
    assert [d.code for d in first].count("PTO201") == 4
    project.close("/project/config.py")
    project.check(path)
    project.open("/project/config.py", texts["/project/config.py"])
    assert project.check(path) == first
