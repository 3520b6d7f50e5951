"""A document that takes longer than it may: visible while it lasts."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.source.encodings import PositionEncoding
from pto_lsp.server import budget
from pto_lsp.server.budget import TimeBudget
from pto_lsp.server.status import Health
from tests.robustness.fuzzing.edits import Edit
from tests.robustness.fuzzing.sessions import Editor, Silent


class States(Silent):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, Health, str]] = []
        self.logged: list[str] = []

    def log(self, text: str) -> None:
        self.logged.append(text)

    def state(self, part: str, health: Health = Health.OK, message: str = "") -> None:
        self.said.append((part, health, message))


def test_states_follow_the_slowest_document() -> None:
    states = States()
    spent = TimeBudget(states)
    spent.spent("/a.py", "a.py", 1.9, first=True)
    spent.spent("/a.py", "a.py", 0.19, first=False)
    assert states.said == []
    spent.spent("/a.py", "a.py", 0.34, first=False)
    message = "checking a.py took 340 ms, more than the 200 ms it may take"
    assert states.said.pop() == ("time", Health.WARNING, message)
    spent.spent("/b.py", "b.py", 2.5, first=True)
    assert states.said.pop()[1:] == (Health.ERROR, "checking b.py took 2.5 s, more than the 2.0 s it may take")
    spent.spent("/b.py", "b.py", 2.6, first=False)
    assert len(states.logged) == 1, "said once, not at every keystroke"
    spent.forget("/b.py")
    assert states.said.pop()[1:] == (Health.WARNING, message)
    spent.spent("/a.py", "a.py", 0.01, first=False)
    assert states.said.pop() == ("time", Health.OK, "")


def test_the_session_keeps_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    states = States()
    editor = Editor(PositionEncoding.UTF16, states)
    editor.open("/a.py", "import pypto\n")
    editor.settle()
    monkeypatch.setattr(budget, "WARNING_SECONDS", 0.0)
    editor.edit("/a.py", Edit(0, 0, "x = 1\n"))
    editor.settle()
    assert states.said.pop()[1] is Health.WARNING
    editor.session.close("file:///a.py")
    assert states.said.pop()[1] is Health.OK
