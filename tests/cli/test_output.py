"""Where reports go and what they hold for programs that read them, with the real analysis."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pto_lsp.reporters import FORMATS
from tests.cli.command import IN_CLASS, pto


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("layer.py").write_text(IN_CLASS)


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_gets_what_standard_output_would(name: str) -> None:
    code, out, err = pto("check", "--output-format", name)
    assert "PTO101" in out
    assert pto("check", "--output-format", name, "--output-file", "report") == (code, "", err)
    assert Path("report").read_text(encoding="utf-8") == out


def test_the_default_format_of_a_file_is_concise_and_statistics_go_there_too() -> None:
    assert pto("check", "--output-file", "report")[:2] == (0, "")
    assert Path("report").read_text().startswith("layer.py:24:9: PTO101")
    assert pto("check", "--output-file", "report", "--statistics")[:2] == (0, "")
    assert Path("report").read_text() == "1  PTO101  derived-boundary-scalar\n"


def test_a_report_that_cannot_be_written_is_an_error() -> None:
    assert pto("check", "--output-file", "gone/report") == (
        2,
        "",
        "pto-lsp: error: gone/report: cannot be written: no such file or directory\n",
    )


def test_sarif_carries_the_repair_and_the_page() -> None:
    (run,) = json.loads(pto("check", "--output-format", "sarif")[1])["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["name"] == "DerivedBoundaryScalar" and rule["fullDescription"]["text"]
    (result,) = run["results"]
    assert result["fixes"][0]["artifactChanges"][0]["artifactLocation"]["uri"] == "layer.py"
    assert result["relatedLocations"]


def test_files_that_cannot_be_read_are_part_of_the_report() -> None:
    Path("broken.py").write_bytes(b"pypto \xff")
    code, out, _ = pto("check", "--output-format", "junit")
    assert code == 2
    root = ElementTree.fromstring(out)
    assert [suite.get("name") for suite in root] == ["layer.py", "broken.py"]
    (invocation,) = json.loads(pto("check", "--output-format", "sarif")[1])["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
