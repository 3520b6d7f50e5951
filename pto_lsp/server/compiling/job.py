"""The process in which a document is compiled, so that typing is not delayed and nothing half-done is left when it is
killed: it reads and computes, and writes nothing but its answers.

One request as JSON on standard input (`Request`), answers one a line on standard output: first what was made
(``{"entries": [...]}``), then what the C++ compiler says of it (``{"complaints": [...]}``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pto_lsp.analysis.entries import Entry
    from pto_lsp.analysis.frontend.module import Module
    from pto_lsp.cli.compilation import Compilation
    from pto_lsp.config import SettingsResolver
    from pto_lsp.diagnostics import Diagnostic
    from pto_lsp.project import Project

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """``path`` is compiled, all its entries or the one called ``entry``. ``documents`` are texts that count instead of
    what is on disk, by path; ``editor`` are the editor's settings (`EditorSettings.state`).
    """

    path: str
    entry: str | None
    documents: dict[str, str]
    editor: Json
    directory: str


def main() -> None:
    from pto_lsp.server.transport import claim_stdio

    stdin, stdout = claim_stdio()
    if hasattr(os, "nice"):
        os.nice(5)
    job = _Job(Request(**json.loads(stdin.read())))
    for answer in job.answers():
        stdout.write(json.dumps(answer).encode() + b"\n")
        stdout.flush()
    stdout.close()
    # Taking down a large heap piece by piece would take longer than the work.
    os._exit(0)


class _Job:
    def __init__(self, request: Request) -> None:
        from pto_lsp.config import SettingsResolver
        from pto_lsp.project import Project
        from pto_lsp.server.editor_settings import EditorSettings

        self._request = request
        editor = EditorSettings.of_state(request.editor)
        self._resolver: SettingsResolver = SettingsResolver(request.directory, editor=editor.layer_for)
        self._project: Project = Project(self._resolver.for_file)
        for path, text in request.documents.items():
            self._project.open(path, text)

    def answers(self) -> Iterator[Json]:
        module = self._project.module(self._request.path)
        if module is None:
            yield {"entries": [], "messages": ["the file cannot be read"]}
            return
        wanted = self._entries(module)
        if isinstance(wanted, str):
            yield {"entries": [], "messages": [wanted]}
            return
        made: list[Compilation] = []
        entries = [self._entry(module, entry, made) for entry in wanted]
        yield {"entries": entries, "messages": []}
        yield {"complaints": [_document(each) for each in self._complaints(made)]}

    def _entries(self, module: Module) -> list[Entry] | str:
        from pto_lsp.analysis import entries

        analyzer, name = self._project.analyzer(module.path), self._request.entry
        if name is None:
            return entries.startable_entries(analyzer, module)
        found = entries.named_entry(analyzer, module, name)
        if found is None:
            return f"no entry '{name}' in this file"
        return [found] if found.orchestration is not None else f"'{name}' starts no task"

    def _entry(self, module: Module, entry: Entry, made: list[Compilation]) -> Json:
        """Its name, its files by path, and what stands in the way of them."""
        from pto_lsp.cli.compilation import compiled, shape_hint
        from pto_lsp.diagnostics import Severity

        function = entry.orchestration
        assert function is not None
        done = compiled(self._project, self._resolver, module, entry, {})
        if done.artefacts is None:
            errors = [_document(each) for each in done.findings if each.severity is Severity.ERROR]
            return {"entry": function.name, "files": {}, "errors": errors, "missing": []}
        if done.complete:
            made.append(done)
        missing = [_document(each) for each in done.missing]
        for name in done.open if missing else ():
            missing[0]["message"] += f"; {shape_hint(name)}: annotate it, or call '{function.name}' in this file"
        return {
            "entry": done.artefacts.entry,
            "files": dict(done.artefacts.files) if done.complete else {},
            "errors": [],
            "missing": missing,
        }

    def _complaints(self, made: list[Compilation]) -> Iterator[Diagnostic]:
        """What the C++ compiler of this machine says, on the line of Python that it is about."""
        from pto_lsp.analysis.locate import range_of
        from pto_lsp.backend.hostmodel.complaints import complaints
        from pto_lsp.backend.hostmodel.record import find_compiler
        from pto_lsp.diagnostics import COMPLAINT, Diagnostic, Position, Range, Severity

        compiler = find_compiler()
        if compiler is None:
            return
        for done in made:
            artefacts, shaped = done.artefacts, done.shaped
            assert artefacts is not None and shaped is not None
            places = artefacts.places.get(artefacts.orchestration, ())
            for line, severity, text in complaints(compiler, artefacts.files[artefacts.orchestration]):
                place = places[line] if line < len(places) else None
                where = None if place is None else range_of(place, shaped.project)
                path = self._request.path if place is None or where is None else place.source.path
                complaint = Diagnostic(
                    "",
                    COMPLAINT,
                    Severity.ERROR if severity == "error" else Severity.WARNING,
                    f"{artefacts.orchestration}:{line + 1}: {text}",
                    path,
                    where or Range(Position(0, 0), Position(0, 0)),
                )
                yield shaped.original(complaint)


def _document(found: Diagnostic) -> Json:
    return {**asdict(found), "severity": found.severity.value, "tags": [], "fix": None, "related": []}


def diagnostic(document: Json) -> Diagnostic:
    """What `_document` made a document of."""
    from pto_lsp.diagnostics import Diagnostic, Position, Range, Severity

    start, end = document["range"]
    place = Range(Position(*start), Position(*end))
    values = {**document, "severity": Severity(document["severity"]), "range": place, "tags": (), "related": ()}
    return Diagnostic(**values)


if __name__ == "__main__":
    main()
