"""What a quick fix would do to the task graph, told before it is applied."""

from __future__ import annotations

from pto_lsp.project import Project
from pto_lsp.quickfix.engine import FixEngine
from pto_lsp.quickfix.preview import Preview, preview
from tests.task_graph.build import jit

PATH = "graph.py"


def text(body: str) -> str:
    return jit(body).replace("w: pl.InOut[", "w: pl.Out[")


def previews(body: str, code: str) -> tuple[Project, list[Preview]]:
    project = Project()
    project.open(PATH, text(body))
    (finding, *_) = [each for each in project.check(PATH) if each.code == code]
    fix = FixEngine(project, lambda path: "").fix(PATH, finding)
    assert fix is not None
    return project, preview(project, PATH, fix)


def test_a_wait_that_comes_up() -> None:
    body = """\
with pl.at(level=pl.Level.CORE_GROUP, name_hint="first"):
    s[:, :] = pl.add(x, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="second"):
    y[:, :] = pl.add(s, x)
with pl.at(level=pl.Level.CORE_GROUP, name_hint="third"):
    s[:, :] = pl.mul(x, x)
"""
    _, (found,) = previews(body, "PTO701")
    assert found.function == "main"
    assert found.text == "longest chain 2 → 3 · width 2 → 1 · waits then: third for second (explicit)"
    assert [(wait.pred, wait.succ) for wait in found.added] == [(1, 2)] and not found.removed


def test_waits_that_go() -> None:
    body = """\
for i in pl.range(4):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="band"):
        w[i * 32 : i * 32 + 32, :] = pl.add(x, x)
"""
    project, (found,) = previews(body, "PTO805")
    assert found.text == "longest chain 4 → 1 · width 1 → 4 · no longer waits: band for band (WAW w, i→i+1)"
    assert [(wait.pred, wait.succ, wait.carried) for wait in found.removed] == [(0, 0, True)] and not found.added
    # Trying it out leaves no trace.
    again = Project()
    again.open(PATH, text(body))
    assert project.check(PATH) == again.check(PATH)


def test_launches_that_come_in_are_no_change_of_the_others() -> None:
    body = """\
for i in pl.range(2):
    s = put(x, s)
y = bump(s, y)
"""
    project = Project()
    project.open(PATH, jit(body))
    for finding in project.check(PATH):
        fix = FixEngine(project, lambda path: "").fix(PATH, finding)
        for found in [] if fix is None else preview(project, PATH, fix):
            assert all(0 <= wait.pred <= 1 and 0 <= wait.succ <= 1 for wait in (*found.added, *found.removed))
