"""A file that ends after every one of its characters: as it is while somebody writes it, and cold."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pto_lsp.project import Project
from tests.robustness.fuzzing.corpus import Source
from tests.robustness.fuzzing.edits import Edit
from tests.robustness.fuzzing.report import Report
from tests.robustness.fuzzing.sessions import Editor


def run(seed: int, sources: Sequence[Source], report: Report, characters: int = 400) -> None:
    """A stretch of ``characters`` positions of one file, typed from its end backwards and then forwards."""
    rng = random.Random(seed)
    source = rng.choice(sources)
    last = rng.randint(min(characters, len(source.text)), len(source.text))
    first = max(0, last - characters)
    editor = Editor()
    with report.step("open", seed, 0, source.text, limit=None):
        editor.open(source.path, source.text[:last])
        editor.settle()
    for length in (*range(last - 1, first - 1, -1), *range(first, last)):
        text = editor.texts[source.path]
        removing = length < len(text)
        if removing:
            edit = Edit(length, len(text), "")
        else:
            edit = Edit(length, length, source.text[length : length + 1])
        with report.step("truncation", seed, length, text):
            editor.edit(source.path, edit)
            editor.settle()
        if report.failures and report.failures[-1][1:3] == (seed, length):
            return
    differences = editor.differences()
    if differences:
        report.fail("incremental", seed, first, "\n".join(differences), editor.texts[source.path])


def cold(seed: int, sources: Sequence[Source], report: Report, cuts: int = 20) -> None:
    """Some places where a file might end, each in a new project."""
    rng = random.Random(seed)
    source = rng.choice(sources)
    for cut in sorted(rng.sample(range(len(source.text) + 1), min(cuts, len(source.text) + 1))):
        with report.step("cold truncation", seed, cut, source.text[:cut], limit=None):
            project = Project()
            project.open(source.path, source.text[:cut])
            project.check(source.path)
