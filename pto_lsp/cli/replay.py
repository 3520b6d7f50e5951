"""``pto-lsp replay``: record once, replay, compare with a fresh run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from pto_lsp.cli.arguments import positive
from pto_lsp.cli.program import (
    ENTRY_HELP,
    OK,
    REFUSED,
    TARGET,
    Session,
    Target,
    Unusable,
    answered,
    target,
)


def run(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    return answered(lambda: _replay(options.target, options.calls, options.format))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pto-lsp replay",
        description="Simulate a program that records its Graphs and replays them, as written and after legalizing. "
        "Shown is what each replay uses beside what is right. Without ENTRY the first program of FILE with a Graph "
        "is taken.",
        epilog=f"{ENTRY_HELP}. Exit code: 0 after legalizing every replay is right, 1 some replay is wrong or the "
        "run would fail, 2 wrong usage, unreadable file or configuration, no such entry, no Graph.",
    )
    parser.add_argument("target", type=target, metavar=TARGET)
    parser.add_argument(
        "--calls",
        type=positive,
        metavar="N",
        help="calls of each Graph; the program runs again for "
        "more than it makes (default: those of one run, at least 3)",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text: a table (default)")
    return parser


def _replay(wanted: Target, calls: int | None, form: str) -> int:
    session = Session()
    entry = session.open(wanted.file).graph_entry(wanted.entry)
    start = entry.recorded
    nothing = f"{wanted.file}: '{entry.root.name if start is None else start.name}' calls no Graph: nothing is recorded"
    if start is None:
        raise Unusable(nothing)
    from pto_lsp.analysis.graph_boundary.legalize import legalize
    from pto_lsp.analysis.replay.simulation import simulate

    written = simulate(entry.analysis.stages.final, start.key, calls=calls)
    legalized = simulate(legalize(entry.analysis.plan), start.key, calls=calls)
    if not written.calls and not written.gaps:
        raise Unusable(nothing)
    if form == "json":
        from pto_lsp.analysis.replay.document import replay_document

        print(json.dumps(replay_document(written, legalized), indent=2, ensure_ascii=False))
    else:
        from pto_lsp.analysis.replay.table import replay_table

        print(replay_table(written, legalized), end="")
    return OK if legalized.equal and not legalized.problems else REFUSED
