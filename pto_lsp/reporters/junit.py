"""JUnit XML, as continuous integration servers read it: a suite for each file, a failed case for each finding."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from xml.etree import ElementTree as xml

from pto_lsp.diagnostics import Diagnostic
from pto_lsp.reporters.paths import portable
from pto_lsp.reporters.report import Fault, Report


def render(report: Report) -> str:
    total, faults = len(report.diagnostics), len(report.faults)
    root = xml.Element("testsuites", {"name": "pto-lsp", **_counts(max(1, total + faults), total, faults)})
    for path, found in groupby(report.diagnostics, lambda each: each.path):
        _suite(root, portable(report, path), list(found), report)
    for fault in report.faults:
        _broken(root, fault)
    if not total + faults:
        # Servers take a report without any case for one that was never written.
        suite = xml.SubElement(root, "testsuite", {"name": "pto-lsp", **_counts(1, 0, 0)})
        xml.SubElement(suite, "testcase", {"name": "No findings", "classname": "pto-lsp"})
    xml.indent(root)
    # ASCII with character references survives any encoding of the output.
    text: bytes = xml.tostring(root, encoding="us-ascii", xml_declaration=True)
    return text.decode("ascii") + "\n"


def _suite(root: xml.Element, name: str, found: list[Diagnostic], report: Report) -> None:
    suite = xml.SubElement(root, "testsuite", {"name": _legal(name), **_counts(len(found), len(found), 0)})
    for each in found:
        line, column = each.range.start
        place = {"file": _legal(name), "line": str(line + 1), "column": str(column + 1)}
        case = xml.SubElement(
            suite, "testcase", {"name": f"{each.code} {each.name}", "classname": _legal(name), **place}
        )
        failure = xml.SubElement(case, "failure", {"type": each.severity.value, "message": _legal(each.message)})
        failure.text = _legal("\n".join(_lines(each, report)))


def _lines(found: Diagnostic, report: Report) -> Iterable[str]:
    line, column = found.range.start
    yield f"{portable(report, found.path)}:{line + 1}:{column + 1}: {found.code} {found.message}"
    for other in found.related:
        line, column = other.range.start
        yield f"{portable(report, other.path)}:{line + 1}:{column + 1}: {other.message}"
    yield report.url(found.code)


def _broken(root: xml.Element, fault: Fault) -> None:
    name = _legal(fault.shown)
    suite = xml.SubElement(root, "testsuite", {"name": name, **_counts(1, 0, 1)})
    case = xml.SubElement(suite, "testcase", {"name": "check", "classname": name})
    xml.SubElement(case, "error", {"type": "error", "message": _legal(fault.reason)})


def _counts(tests: int, failures: int, errors: int) -> dict[str, str]:
    return {"tests": str(tests), "failures": str(failures), "errors": str(errors)}


def _legal(text: str) -> str:
    """``text`` with a placeholder for what XML cannot express."""
    return "".join(char if _is_legal(ord(char)) else "\N{REPLACEMENT CHARACTER}" for char in text)


def _is_legal(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
