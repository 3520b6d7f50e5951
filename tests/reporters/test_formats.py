"""Each format on the same findings."""

from __future__ import annotations

import json
import re

from pto_lsp.diagnostics import (
    Applicability,
    Diagnostic,
    Fix,
    Position,
    Range,
    RelatedLocation,
    Severity,
    TextEdit,
)
from pto_lsp.reporters import FORMATS, Report, reporter

TEXT = 'import pypto.language as pl\n\tx = "张😀"; base = i * 2\ny = f(\n  base,\n)\n\x0cz = 1'
LINES = TEXT.split("\n")


def at(line: int, column: int, end_line: int, end_column: int) -> Range:
    return Range(Position(line, column), Position(end_line, end_column))


FINDINGS = (
    Diagnostic(
        code="PTO101",
        name="derived-boundary-scalar",
        severity=Severity.WARNING,
        message="'base' is derived\nfrom 'i'",
        path="/p/a.py",
        range=at(1, 11, 1, 15),
        subject="base",
        function="layer",
        related=(RelatedLocation("/p/b.py", at(4, 11, 4, 12), "scalar parameter 'i'"),),
        fix=Fix("Hoist 'base' to call site", Applicability.SAFE, (TextEdit("/p/a.py", at(1, 0, 2, 0), ""),)),
    ),
    Diagnostic("PTO005", "call-arity", Severity.ERROR, "'f' misses 'b'", "/p/a.py", at(2, 4, 4, 1), "f"),
    Diagnostic(
        code="PTO106",
        name="unused-boundary-scalar",
        severity=Severity.HINT,
        message="'z' is unused",
        path="/p/a.py",
        range=at(5, 1, 5, 2),
        subject="z",
        fix=Fix("Remove 'z'", Applicability.UNSAFE, ()),
    ),
    Diagnostic("PTO001", "syntax-error", Severity.INFORMATION, "nowhere", "/p/gone.py", at(0, 0, 0, 0)),
)


def line_of(path: str, number: int) -> str | None:
    return LINES[number] if path == "/p/a.py" and number < len(LINES) else None


def rendered(name: str, findings: tuple[Diagnostic, ...] = FINDINGS, colour: bool = False) -> str:
    report = Report(findings, lambda path: path.removeprefix("/p/"), line_of, lambda code: f"url:{code}", colour)
    return reporter(name)(report)


def test_concise_has_one_line_a_finding() -> None:
    assert rendered("concise") == (
        "a.py:2:12: PTO101 'base' is derived from 'i'\n"
        "a.py:3:5: PTO005 'f' misses 'b'\n"
        "a.py:6:2: PTO106 'z' is unused\n"
        "gone.py:1:1: PTO001 nowhere\n"
    )


def test_full_shows_the_place_as_it_looks() -> None:
    assert rendered("full") == (
        "a.py:2:12: warning[PTO101] 'base' is derived\nfrom 'i'\n"
        "  |\n"
        "1 | import pypto.language as pl\n"
        '2 |     x = "张😀"; base = i * 2\n'
        "  |                 ^^^^\n"
        "  |\n"
        "  = b.py:5:12: scalar parameter 'i'\n"
        "  = fix: Hoist 'base' to call site\n"
        "\n"
        "a.py:3:5: error[PTO005] 'f' misses 'b'\n"
        "  |\n"
        "1 | import pypto.language as pl\n"
        '2 |     x = "张😀"; base = i * 2\n'
        "3 | y = f(\n"
        "  |     ^^\n"
        "  |\n"
        "\n"
        "a.py:6:2: hint[PTO106] 'z' is unused\n"
        "  |\n"
        "4 |   base,\n"
        "5 | )\n"
        "6 | \N{REPLACEMENT CHARACTER}z = 1\n"
        "  |  ^\n"
        "  |\n"
        "  = fix (unsafe): Remove 'z'\n"
        "\n"
        "gone.py:1:1: information[PTO001] nowhere\n"
    )


def test_json_is_the_contract() -> None:
    documents = json.loads(rendered("json"))
    assert documents[0] == {
        "code": "PTO101",
        "name": "derived-boundary-scalar",
        "severity": "warning",
        "message": "'base' is derived\nfrom 'i'",
        "filename": "a.py",
        "subject": "base",
        "function": "layer",
        "location": {"row": 2, "column": 12},
        "end_location": {"row": 2, "column": 16},
        "related": [
            {
                "filename": "b.py",
                "location": {"row": 5, "column": 12},
                "end_location": {"row": 5, "column": 13},
                "message": "scalar parameter 'i'",
            }
        ],
        "fix": {
            "title": "Hoist 'base' to call site",
            "applicability": "safe",
            "edits": [
                {
                    "filename": "a.py",
                    "location": {"row": 2, "column": 1},
                    "end_location": {"row": 3, "column": 1},
                    "content": "",
                }
            ],
        },
        "url": "url:PTO101",
    }
    assert [document["fix"] and document["fix"]["applicability"] for document in documents] == [
        "safe",
        None,
        "unsafe",
        None,
    ]


def test_colour_adds_nothing_but_colour() -> None:
    for name in ("full", "concise"):
        coloured = rendered(name, colour=True)
        assert "\x1b[1;31m" in coloured
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == rendered(name)


def test_no_findings() -> None:
    empty = {name: rendered(name, ()) for name in ("full", "concise", "github", "json", "gitlab")}
    assert empty == {"full": "", "concise": "", "github": "", "json": "[]\n", "gitlab": "[]\n"}


def test_formats_for_machines_print_a_lone_surrogate() -> None:
    finding = Diagnostic("PTO003", "undefined-name", Severity.ERROR, "'\ud800'", "/p/a.py", at(0, 0, 0, 1), "\ud800")
    for name in FORMATS.keys() - {"full", "concise", "github"}:
        assert rendered(name, (finding,)).encode("ascii"), name
