"""Random edits in an editor with a few files open: nothing raises or hangs, and edited equals cold."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from pto_lsp.analysis.source.encodings import PositionEncoding
from tests.robustness.fuzzing.corpus import Source
from tests.robustness.fuzzing.edits import Edit, apply, random_edit
from tests.robustness.fuzzing.report import LIMIT_SECONDS, Report
from tests.robustness.fuzzing.sessions import Editor

COMPARE_EVERY = 50


def run(seed: int, sources: Sequence[Source], report: Report, steps: int = 200) -> None:
    """One editing session of ``steps`` edits, most of them undone later so that the files keep their shape."""
    rng = random.Random(seed)
    opened = _neighbours(rng, sources)
    others = [rng.choice(sources).text for _ in range(3)]
    editor = Editor(rng.choice(list(PositionEncoding)))
    started = time.thread_time()
    with report.step("open", seed, 0, opened[0].text, limit=None):
        for source in opened:
            editor.open(source.path, source.text)
        editor.settle()
    # An edit may change all that is known: a constant that everything depends on, for instance. The same computation
    # has been seen to take half as long again where other processes share the processor's cores.
    limit = max(LIMIT_SECONDS, 2 * (time.thread_time() - started))
    undo: dict[str, list[Edit]] = {source.path: [] for source in opened}
    for step in range(1, steps + 1):
        path = rng.choices(opened, [4] + [1] * (len(opened) - 1))[0].path
        text = editor.texts[path]
        # A burst: several edits before anything is computed to its end.
        stopped = [rng.random() < 0.2 for _ in range(rng.choice((1, 1, 1, 2, 5)))]
        with report.step("edit", seed, step, text, limit * (1 + sum(stopped))):
            for stop in stopped:
                _edit(rng, editor, path, undo[path], others)
                if stop:
                    editor.stop_after(path, rng.randint(1, 60))
            editor.settle()
        if report.failures and report.failures[-1][1:3] == (seed, step):
            return
        if step % COMPARE_EVERY == 0:
            report.counts["compared with cold"] += 1
            differences = editor.differences()
            if differences:
                report.fail("incremental", seed, step, "\n".join(differences), editor.texts[path])
                return


def _neighbours(rng: random.Random, sources: Sequence[Source]) -> list[Source]:
    """A file, and up to two others, of the same folder where there are any: what it imports may be among them."""
    first = rng.choice(sources)
    folder = first.path.rpartition("/")[0]
    around = [each for each in sources if each.path != first.path and each.path.rpartition("/")[0] == folder]
    return [first, *rng.sample(around, min(len(around), rng.randint(0, 2)))]


def _edit(rng: random.Random, editor: Editor, path: str, undo: list[Edit], others: Sequence[str]) -> None:
    text = editor.texts[path]
    if undo and (len(undo) > 12 or rng.random() < 0.4):
        edit = undo.pop()
    else:
        edit = random_edit(rng, text, others)
        undo.append(Edit(edit.start, edit.start + len(edit.content), text[edit.start : edit.end]))
        if any(_splits_line_end(apply(text, edit), place) for place in (undo[-1].start, undo[-1].end)):
            # Undoing this would be an edit in the middle of a line end, which no client sends.
            undo.clear()
            undo.append(Edit(0, len(apply(text, edit)), text))
    editor.edit(path, edit)


def _splits_line_end(text: str, offset: int) -> bool:
    return text[max(0, offset - 1) : offset + 1] == "\r\n"
