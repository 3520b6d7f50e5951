"""``pto-lsp compile``: write what the host_build_graph toolchain builds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pto_lsp.cli.arguments import Number, TensorText, argument
from pto_lsp.cli.messages import counted, note
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

if TYPE_CHECKING:
    from pto_lsp.backend.shapes.shape import Shape
    from pto_lsp.cli.compilation import Compilation


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
        "--arg",
        type=argument,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="type and shape of a parameter that is a bare pl.Tensor: FP32[128,64]; without it they come from a call "
        "of the entry in FILE that shows them, or from the tensor at run time. Or a number for a parameter of the "
        "Python function that the program is made in",
    )
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
    if found.orchestration is None:
        raise Unusable(f"{wanted.file}: '{found.root.name}' starts no task")
    from pto_lsp.backend.compile import ForeignFolder, write
    from pto_lsp.backend.shapes.specialize import Contradiction
    from pto_lsp.cli.compilation import compiled

    try:
        done = compiled(
            session.project, session.resolver, file.module, found, _shapes(options.arg), _numbers(options.arg)
        )
    except Contradiction as fault:
        raise Unusable(f"{file.shown}: --arg: {fault}") from fault
    fit = done.artefacts is not None and done.artefacts.runs_tasks and (options.orchestration_only or done.complete)
    if done.artefacts is not None and fit:
        try:
            write(done.artefacts, options.output)
        except ForeignFolder as fault:
            raise Unusable(str(fault)) from fault
        except OSError as fault:
            raise Unusable(f"{options.output}: {fault.strerror}") from fault
    return _answer(session, options, done, fit)


def _numbers(given: list[tuple[str, Number | TensorText]]) -> dict[str, Number]:
    return {name: value for name, value in given if not isinstance(value, TensorText)}


def _shapes(given: list[tuple[str, Number | TensorText]]) -> dict[str, Shape]:
    from pto_lsp.analysis.frontend.operators import DTYPES
    from pto_lsp.backend.shapes.shape import Shape

    tensors = [(name, value) for name, value in given if isinstance(value, TensorText)]
    unknown = [text.dtype for _, text in tensors if text.dtype not in DTYPES]
    if unknown:
        raise Unusable(f"--arg: no data type '{unknown[0]}'")
    return {name: Shape(text.dtype, text.shape) for name, text in tensors}


def _answer(session: Session, options: argparse.Namespace, done: Compilation, written: bool) -> int:
    artefacts = done.artefacts
    files = sorted(artefacts.files) if artefacts is not None and written else []
    problems = (*done.findings, *done.missing)
    if options.format == "json":
        from pto_lsp.reporters.json_ import documents

        kernels = artefacts.kernels if artefacts is not None and written else ()
        document = {
            "entry": artefacts.entry if artefacts is not None else None,
            "directory": options.output,
            "written": written,
            "files": files,
            "kernels": [{"id": kernel.id, "name": kernel.name, "core": kernel.core} for kernel in kernels],
            "open_parameters": list(done.open),
            "diagnostics": documents(session.report(problems)),
        }
        print(json.dumps(document, indent=2, ensure_ascii=False))
        return OK if written else REFUSED
    print_concise(session, problems)
    if done.missing:
        from pto_lsp.cli.compilation import shape_hint

        for name in done.open:
            note(f"{shape_hint(name)}: give them, for example --arg '{name}=FP32[128, 128]'")
    if artefacts is not None and written:
        print(f"{artefacts.entry}: {counted(len(files), 'file')} in {options.output}")
        for name in files:
            print(f"  {name}")
        return OK
    print("nothing written", file=sys.stderr)
    return REFUSED
