"""SARIF 2.1.0: findings with their rules, repairs and related places, for code scanning services.

Lines and columns are 1-based, columns count code points (``columnKind``), ends are exclusive.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pto_lsp import __version__
from pto_lsp.diagnostics import Diagnostic, Fix, Range, RelatedLocation, Severity
from pto_lsp.reporters.fingerprints import fingerprints
from pto_lsp.reporters.paths import is_inside, portable
from pto_lsp.reporters.report import Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_HOME = "https://github.com/hw-native-sys/pto-lsp"
_ROOT = "%SRCROOT%"
_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFORMATION: "note", Severity.HINT: "note"}

_Object = dict[str, Any]


def render(report: Report) -> str:
    codes = sorted({found.code for found in report.diagnostics})
    index = {code: number for number, code in enumerate(codes)}
    driver = {
        "name": "pto-lsp",
        "version": __version__,
        "informationUri": _HOME,
        "rules": [_rule(code, report) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(report)],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(found, index[found.code], name, report)
            for found, name in zip(report.diagnostics, fingerprints(report))
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str, report: Report) -> _Object:
    document: _Object = {"id": code, "helpUri": report.url(code)}
    text = report.rule(code)
    if text is not None:
        document["name"] = "".join(word.capitalize() for word in text.name.split("-"))
        document["shortDescription"] = {"text": f"{text.summary}."}
        document["fullDescription"] = _markdown(text.what)
        fix = text.fix or "There is no automatic fix."
        document["help"] = _markdown(f"{text.why.strip()}\n\n{fix.strip()}")
        document["defaultConfiguration"] = {"level": _LEVEL[text.severity]}
        document["properties"] = {"tags": [text.name]}
    return document


def _markdown(text: str) -> _Object:
    return {"text": text.strip(), "markdown": text.strip()}


def _invocation(report: Report) -> _Object:
    document: _Object = {"executionSuccessful": not report.faults}
    if report.faults:
        document["toolExecutionNotifications"] = [
            {"level": "error", "message": {"text": f"{fault.shown}: {fault.reason}"}} for fault in report.faults
        ]
    return document


def _result(found: Diagnostic, rule: int, fingerprint: str, report: Report) -> _Object:
    document: _Object = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": _LEVEL[found.severity],
        "message": {"text": found.message},
        "locations": [_location(found, report)],
        "partialFingerprints": {"ptoLsp/v1": fingerprint},
        "properties": {"severity": found.severity.value, "subject": found.subject},
    }
    if found.related:
        document["relatedLocations"] = [
            _related(number, other, report) for number, other in enumerate(found.related, start=1)
        ]
    if found.fix is not None and found.fix.edits:
        document["fixes"] = [_fix(found.fix, report)]
    return document


def _location(found: Diagnostic, report: Report) -> _Object:
    document: _Object = {"physicalLocation": _physical(found.path, found.range, report)}
    if found.function:
        document["logicalLocations"] = [{"name": found.function, "kind": "function"}]
    return document


def _related(number: int, other: RelatedLocation, report: Report) -> _Object:
    place = _physical(other.path, other.range, report)
    return {"id": number, "message": {"text": other.message}, "physicalLocation": place}


def _physical(path: str, place: Range, report: Report) -> _Object:
    return {"artifactLocation": _artifact(path, report), "region": _region(place)}


def _artifact(path: str, report: Report) -> _Object:
    shown = portable(report, path)
    if is_inside(shown):
        return {"uri": quote(shown, errors="surrogatepass"), "uriBaseId": _ROOT}
    if os.path.isabs(path):
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(shown, errors="surrogatepass")}


def _region(place: Range) -> _Object:
    (line, column), (end_line, end_column) = place
    return {
        "startLine": line + 1,
        "startColumn": column + 1,
        "endLine": end_line + 1,
        "endColumn": end_column + 1,
    }


def _fix(fix: Fix, report: Report) -> _Object:
    changes: dict[str, list[_Object]] = {}
    for edit in fix.edits:
        replacement: _Object = {"deletedRegion": _region(edit.range)}
        if edit.content:
            replacement["insertedContent"] = {"text": edit.content}
        changes.setdefault(edit.path, []).append(replacement)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": _artifact(path, report), "replacements": replacements}
            for path, replacements in changes.items()
        ],
        "properties": {"applicability": fix.applicability.value},
    }
