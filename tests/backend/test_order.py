"""Orders of tasks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pto_lsp.backend.execution.run import legal_order
from pto_lsp.backend.execution.tasks import Task


@st.composite
def graphs(draw: st.DrawFn) -> list[Task]:
    count = draw(st.integers(0, 12))
    return [Task(None, tuple(draw(st.lists(st.integers(0, i - 1), max_size=4)) if i else ())) for i in range(count)]


@settings(max_examples=200, deadline=None)
@given(graphs(), st.integers(0, 1000))
def test_every_task_comes_once_and_after_what_it_waits_for(tasks: list[Task], seed: int) -> None:
    order = legal_order(tasks, seed)
    assert sorted(order) == list(range(len(tasks)))
    position = {task: place for place, task in enumerate(order)}
    assert all(position[waited] < position[index] for index, task in enumerate(tasks) for waited in task.waits)
    assert order == legal_order(tasks, seed)


def test_independent_tasks_come_in_every_order() -> None:
    tasks = [Task(None, ()), Task(None, ()), Task(None, (0, 1))]
    assert {tuple(legal_order(tasks, seed)) for seed in range(20)} == {(0, 1, 2), (1, 0, 2)}
    assert legal_order(tasks, None) == [0, 1, 2]
