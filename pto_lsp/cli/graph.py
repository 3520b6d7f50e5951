"""``pto-lsp graph``: which task waits for which, and why, in one of several forms."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pto_lsp.cli.messages import note
from pto_lsp.cli.program import (
    ENTRY_HELP,
    OK,
    REFUSED,
    TARGET,
    OpenFile,
    Session,
    Target,
    Unusable,
    answered,
    print_concise,
    target,
)

if TYPE_CHECKING:
    from pto_lsp.analysis.task_graph.comparison import Comparison
    from pto_lsp.analysis.task_graph.graph import TaskGraph
    from pto_lsp.diagnostics import Diagnostic

T = TypeVar("T")

FORMS = ("text", "json", "dot", "mermaid", "svg")
SINGLE = ("mermaid", "svg")
"""Forms of which one file holds only one graph."""
DRAWN = ("dot", "mermaid", "svg")
EDGES = ("full", "reduced", "omitted", "reduced_dataflow", "omitted_dataflow")

_UNROLLED = 40_000


def run(arguments: Sequence[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.unroll and options.format not in ("text", "json"):
        parser.error("--unroll lists tasks: it is for --format text and json")
    if options.edges is not None and options.format not in DRAWN:
        parser.error("--edges selects what is drawn: it is for --format dot, mermaid and svg")
    if options.format in SINGLE and len(options.targets) > 1:
        parser.error(f"--format {options.format} shows one FILE at a time")
    if options.observed is not None and len(options.targets) > 1:
        parser.error("--observed is compared with one FILE")
    return answered(lambda: _graphs(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pto-lsp graph",
        description="Show which task of an orchestration function waits for which, and why. Without ENTRY it is the "
        "first one of FILE. JSON is one document, or with several FILEs an array of them.",
        epilog=f"{ENTRY_HELP}; a Graph's name shows the tasks inside of it. Exit code: 0 shown, 1 what --fail-on "
        "names was found, 2 wrong usage, unreadable file or configuration, no such entry.",
    )
    parser.add_argument("targets", type=target, nargs="+", metavar=TARGET)
    parser.add_argument("--format", choices=FORMS, default="text", help="default: text")
    parser.add_argument("--unroll", action="store_true", help="list every task (constant trip counts only)")
    parser.add_argument(
        "--edges",
        choices=EDGES,
        help="which waits are drawn, by the names of the runtime's deps_viewer: all, those that no longer path implies "
        "(default), or only the implied ones; in the dataflow modes a wait is implied only when its tensor comes from "
        "somebody else as well",
    )
    parser.add_argument(
        "--observed",
        metavar="DEPS_JSON",
        help="compare with a graph that the runtime recorded, and mark which waits are in both. The names of kernels "
        "are taken from a name_map*.json beside it",
    )
    parser.add_argument(
        "--fail-on",
        choices=("race",),
        help="exit with 1 when tasks race: two that touch the same memory, one of them writing, in no order",
    )
    return parser


def _graphs(options: argparse.Namespace) -> int:
    session = Session()
    documents: list[dict[str, Any]] = []
    texts: list[str] = []

    def show(wanted: Target) -> int:
        file = session.open(wanted.file)
        graph = _graph_of(file, wanted, options.unroll)
        comparison = None
        if options.observed is not None:
            graph, comparison = _compared(graph, options.observed)
        if options.format == "json":
            documents.append(_document(session, graph, options.unroll, comparison))
        else:
            texts.append(_drawn(file, graph, options, comparison))
        if options.fail_on is None:
            return OK
        races = _races(session, graph)
        print_concise(session, races)
        return REFUSED if races else OK

    # One after the other, whatever becomes of those before.
    codes = [answered(partial(show, wanted)) for wanted in options.targets]
    if options.format == "json" and (len(options.targets) > 1 or documents):
        shown = documents if len(options.targets) > 1 else documents[0]
        print(json.dumps(shown, indent=2, ensure_ascii=False))
    print("\n".join(texts), end="")
    return max(codes)


def _graph_of(file: OpenFile, wanted: Target, unroll: bool) -> TaskGraph:
    from pto_lsp.analysis.task_graph.walk import VIEW_LIMIT

    entry = file.orchestration_entry(wanted.entry)
    function = entry.orchestration
    if function is None:
        raise Unusable(f"{wanted.file}: nothing in '{entry.root.name}' starts a task")
    analyser = entry.analysis.tasks.analyser
    graph = analyser.graph(function, VIEW_LIMIT)
    if unroll and not graph.walk.exact:
        longer = analyser.graph(function, _UNROLLED)
        if longer.walk.exact:
            return longer
        note(f"{wanted.file}: not every trip count and condition of '{function.name}' is constant: not unrolled")
    return graph


def _compared(graph: TaskGraph, path: str) -> tuple[TaskGraph, Comparison]:
    """The graph, with a trip count that only the run knows taken from the record at ``path``, and what is in both.

    Raises `Unusable`.
    """
    from pto_lsp.analysis.task_graph.comparison import compare, fitted
    from pto_lsp.analysis.task_graph.recording import parse_names, parse_recording

    beside = sorted(Path(path).parent.glob("name_map*.json"), key=lambda each: (each.stat().st_mtime, each.name))
    names = _parsed(str(beside[-1]), parse_names) if beside else {}
    recording = _parsed(path, lambda text: parse_recording(text, names))
    if not beside:
        note(f"{path}: no name_map*.json beside it: tasks are matched in order of submission")
    graph = fitted(graph, recording, _UNROLLED)
    return graph, compare(graph, recording)


def _parsed(path: str, parse: Callable[[str], T]) -> T:
    """What ``parse`` makes of a file. Raises `Unusable`, which names it."""
    from pto_lsp.analysis.task_graph.recording import Malformed
    from pto_lsp.discovery import SourceError, decode, read_bytes

    try:
        return parse(decode(read_bytes(path)))
    except (SourceError, Malformed) as fault:
        raise Unusable(f"{path}: {fault}") from fault


def _document(session: Session, graph: TaskGraph, unroll: bool, comparison: Comparison | None) -> dict[str, Any]:
    from pto_lsp.analysis.task_graph.document import document

    return document(graph, session.locate, unroll and graph.walk.exact, comparison=comparison)


def _drawn(file: OpenFile, graph: TaskGraph, options: argparse.Namespace, comparison: Comparison | None) -> str:
    from pto_lsp.analysis.task_graph import dot_view, mermaid_view, svg_view, text_view, unrolled_view
    from pto_lsp.analysis.task_graph.reduction import EdgeMode

    form, mode = options.format, EdgeMode(options.edges or "reduced")
    if form == "svg":
        return svg_view.render(graph, comparison, mode)
    if form == "mermaid" and mermaid_view.fits(graph, mode):
        return mermaid_view.render(graph, comparison, mode)
    if form == "mermaid":
        note(f"more than {mermaid_view.EDGE_LIMIT} edges, too many for Mermaid: this is DOT")
    if form in ("dot", "mermaid"):
        return dot_view.render(graph, comparison, mode)
    if options.unroll and graph.walk.exact:
        return unrolled_view.render(graph, file.locate, comparison)
    return text_view.render(graph, file.locate, comparison)


def _races(session: Session, graph: TaskGraph) -> tuple[Diagnostic, ...]:
    """The races in ``graph`` that no comment and no setting silences."""
    from pto_lsp.analysis.task_graph.checks import races
    from pto_lsp.cli.findings import unsilenced

    return unsilenced(session.project, session.resolver, races.check(graph))
