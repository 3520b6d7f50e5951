"""``pto-lsp compile``: write what the host_build_graph toolchain builds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pto_lsp.cli.messages import counted
from pto_lsp.cli.program import (
    ENTRY_HELP,
    OK,
    REFUSED,
    TARGET,
    Session,
    Target,
    Unusable,
    answered,
    print_concise,
    target,
)
from pto_lsp.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from pto_lsp.backend.artefacts import Artefacts


def run(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    return answered(lambda: _compile(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pto-lsp compile",
        description="Write the orchestration and the kernels of a program in C++, and the manifest that says how to "
        "build them, for the host_build_graph runtime. Without ENTRY the first program of FILE that starts tasks is "
        "taken. Findings go to standard error.",
        epilog=f"{ENTRY_HELP}. Exit code: 0 written; 1 the program is refused, as 'check' refuses it, or something in "
        "it has no C++ (PTO007), and nothing is written; 2 wrong usage, unreadable file or configuration, no such "
        "entry, or DIR holds files that were not written here.",
    )
    parser.add_argument("target", type=target, metavar=TARGET)
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder to write; replaced as a whole")
    parser.add_argument(
        "--orchestration-only",
        action="store_true",
        help="write also when kernels have no C++: the orchestration, the manifest, and those kernels that have",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="of what is printed")
    return parser


def _compile(options: argparse.Namespace) -> int:
    wanted: Target = options.target
    session = Session()
    file = session.open(wanted.file)
    found = file.orchestration_entry(wanted.entry)
    entry = found.orchestration
    if entry is None:
        raise Unusable(f"{wanted.file}: '{found.root.name}' starts no task")
    from pto_lsp.cli.findings import of_program, unsilenced

    problems = of_program(session.project, session.resolver, file.module, found.analysis)
    if any(each.severity is Severity.ERROR for each in problems):
        return _answer(session, options, problems, None, False)
    from pto_lsp.backend.compile import ForeignFolder, compile_entry, write
    from pto_lsp.backend.kernels.emit import emit_kernel

    artefacts = compile_entry(found.analysis, entry, session.project, emit_kernel)
    missing = unsilenced(session.project, session.resolver, artefacts.findings)
    fit = artefacts.runs_tasks and (options.orchestration_only or not artefacts.findings)
    if fit:
        try:
            write(artefacts, options.output)
        except ForeignFolder as fault:
            raise Unusable(str(fault)) from fault
        except OSError as fault:
            raise Unusable(f"{options.output}: {fault.strerror}") from fault
    return _answer(session, options, (*problems, *missing), artefacts, fit)


def _answer(
    session: Session,
    options: argparse.Namespace,
    problems: tuple[Diagnostic, ...],
    artefacts: Artefacts | None,
    written: bool,
) -> int:
    files = sorted(artefacts.files) if artefacts is not None and written else []
    if options.format == "json":
        from pto_lsp.reporters.json_ import documents

        kernels = artefacts.kernels if artefacts is not None and written else ()
        document = {
            "entry": artefacts.entry if artefacts is not None else None,
            "directory": options.output,
            "written": written,
            "files": files,
            "kernels": [{"id": kernel.id, "name": kernel.name, "core": kernel.core} for kernel in kernels],
            "diagnostics": documents(session.report(problems)),
        }
        print(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        print_concise(session, problems)
        if written and artefacts is not None:
            print(f"{artefacts.entry}: {counted(len(files), 'file')} in {options.output}")
            for name in files:
                print(f"  {name}")
        else:
            print("nothing written", file=sys.stderr)
    return OK if written else REFUSED
