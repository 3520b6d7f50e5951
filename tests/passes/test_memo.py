"""Which versions of a function a memo keeps."""

from __future__ import annotations

import random

from pto_lsp.analysis.ir.place import FUNCTION_START, Anchor, SourceId
from pto_lsp.analysis.ir.program import Function, FunctionKind
from pto_lsp.analysis.passes.memo import Memo

SOURCE = SourceId("a.py", "main", 0)


def version(source: SourceId = SOURCE) -> Function:
    return Function("main", "main", FunctionKind.ORCHESTRATION, (), (), (), Anchor(source, FUNCTION_START))


def asked(memo: Memo[str], function: Function, value: str) -> bool:
    """Ask as after another edit, and put the value where it is missing; whether it was there."""
    memo.next_edit()
    found = memo.get(function)
    if found is None:
        memo.put(function, value)
    return found is not None


def test_the_version_that_an_edit_is_taken_back_to_is_there_every_time() -> None:
    memo: Memo[str] = Memo()
    known = version()
    asked(memo, known, "known")
    for number in range(20):
        assert not asked(memo, version(), f"edit {number}")
        assert asked(memo, known, "known")


def test_so_it_is_when_edits_elsewhere_come_between() -> None:
    memo: Memo[str] = Memo()
    versions = [version(), version()]
    for each in versions:
        asked(memo, each, "first")
    rng = random.Random(1)
    for _ in range(50):
        for _ in range(rng.randrange(30)):
            memo.next_edit()
        known, edited = versions[-1], version()
        assert not asked(memo, edited, "edit")
        # Otherwise the edit stays.
        if rng.random() < 0.5:
            assert asked(memo, known, "known")
        else:
            versions.append(edited)


def test_what_an_edit_replaced_goes_some_edits_later() -> None:
    memo: Memo[str] = Memo()
    before, after, other = version(), version(), version(SourceId("a.py", "other", 0))
    for function in (before, after, other):
        asked(memo, function, "known")
    for _ in range(20):
        memo.next_edit()
    assert [memo.get(function) for function in (before, after, other)] == [None, "known", "known"]


def test_two_programs_may_see_a_function_differently() -> None:
    memo: Memo[str] = Memo()
    versions = version(), version()
    for function in versions:
        memo.put(function, "known")
    for _ in range(20):
        memo.next_edit()
        assert all(memo.get(function) == "known" for function in versions)


def test_the_least_recently_asked_for_goes_when_there_are_too_many() -> None:
    memo: Memo[str] = Memo(capacity=3)
    functions = [version(SourceId("a.py", str(number), 0)) for number in range(4)]
    for function in functions[:3]:
        memo.put(function, "known")
    memo.get(functions[0])
    memo.put(functions[3], "known")
    assert [memo.get(function) for function in functions] == ["known", None, "known", "known"]
    for _ in range(20):
        memo.next_edit()
    assert memo.get(functions[3]) == "known"
