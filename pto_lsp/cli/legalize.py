"""``pto-lsp legalize``: the program as the compiler will have it after hoisting."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace

from pto_lsp.cli.program import ENTRY_HELP, OK, REFUSED, TARGET, Session, Target, answered, print_concise, target
from pto_lsp.diagnostics import Diagnostic, Severity


def run(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    return answered(lambda: _legalize(options.target, options.format))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pto-lsp legalize",
        description="Print a program with everything hoisted that a replay needs to be given by the caller. "
        "Without ENTRY the first program of FILE with a Graph is taken. Findings go to standard error.",
        epilog=f"{ENTRY_HELP}. Exit code: 0 done, 1 the program is refused (what can be hoisted is printed all the "
        "same), 2 wrong usage, unreadable file or configuration, no such entry.",
    )
    parser.add_argument("target", type=target, metavar=TARGET)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text: PyPTO source (default)")
    return parser


def _legalize(wanted: Target, form: str) -> int:
    session = Session()
    file = session.open(wanted.file)
    analysis = file.graph_entry(wanted.entry).analysis
    from pto_lsp.cli.findings import of_program

    found = of_program(session.project, session.resolver, file.module, analysis)
    if form == "json":
        from pto_lsp.analysis.graph_boundary.document import legalize_document
        from pto_lsp.reporters.json_ import documents

        document = legalize_document(analysis.plan, file.line)
        document["diagnostics"] = documents(session.report(_with_fixes(session, found)))
        print(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        from pto_lsp.analysis.graph_boundary.legalize import legalize
        from pto_lsp.analysis.ir.printer import print_program

        print_concise(session, found)
        print(print_program(legalize(analysis.plan)), end="")
    refused = not analysis.plan.accepted or any(each.severity is Severity.ERROR for each in found)
    return REFUSED if refused else OK


def _with_fixes(session: Session, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    from pto_lsp.quickfix.engine import FixEngine
    from pto_lsp.quickfix.file_index import project_root

    engine = FixEngine(session.project, project_root)
    return tuple([replace(each, fix=engine.fix(each.path, each)) for each in found])
