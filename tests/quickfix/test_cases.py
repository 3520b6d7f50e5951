"""Before and after of every repair, in every authoring style; other files compared as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.diagnostics import Applicability
from pto_lsp.project import Project
from pto_lsp.quickfix.engine import FixEngine
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


def test_a_document_that_is_no_file(tmp_path: Path) -> None:
    """Its callers are in it, whatever lies in the working directory."""
    case = next(case for case in CASES if case.title == "a scalar and the one it needs")
    project = Project()
    path = "untitled:Untitled-1"
    project.open(path, case.files["layer.py"])
    engine = FixEngine(project, lambda each: str(tmp_path))
    finding = next(d for d in project.check(path) if d.subject == case.subject)
    fix = engine.attempt(path, finding)
    assert fix.applicability is Applicability.SAFE
    assert {edit.path for edit in fix.edits} == {path}
