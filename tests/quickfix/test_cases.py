"""Before and after of every repair, in every authoring style; other files compared as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.quickfix.rewriter import Refused
from tests.quickfix.case_files import FOLDER, Case, read
from tests.quickfix.workbench import Workbench

CASES = [case for path in sorted(FOLDER.glob("*.txt")) for case in read(path.stem)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_before_and_after(case: Case, tmp_path: Path) -> None:
    assert case.outcome(tmp_path) == case.expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_other_line_ends(case: Case, tmp_path: Path) -> None:
    """The same repair whatever ends the lines, and no other line end comes in."""
    files = {name: text.replace("\n", "\r\n") for name, text in case.files.items()}
    windows = Case(case.title, case.code, case.subject, files, case.expected)
    assert windows.outcome(tmp_path) == case.expected


def test_a_second_application_finds_nothing(tmp_path: Path) -> None:
    case = next(case for case in CASES if not case.expected.startswith("refused"))
    bench = Workbench(tmp_path, case.files)
    finding = bench.finding(case.code, case.subject)
    bench.apply(bench.fix(case.code, case.subject))
    with pytest.raises(Refused):
        bench.engine.attempt(bench.path("layer.py"), finding)
