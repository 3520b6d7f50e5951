"""``pto-lsp check --add-ignore``: a comment on the line of every finding, so that old code can be adopted as it is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pto_lsp.checking import checked
from pto_lsp.cli.fix import replace_file
from pto_lsp.cli.messages import complain, counted, note
from pto_lsp.config import SettingsResolver
from pto_lsp.diagnostics import Diagnostic, TextEdit
from pto_lsp.discovery import SourceError, SourceFile, decode, encode, mentions_dsl, read_bytes
from pto_lsp.project import Project
from pto_lsp.quickfix.edits import apply_edits
from pto_lsp.quickfix.suppress import suppression

_NEVER = frozenset({"PTO001", "PTO008", "PTO009"})
"""Text that cannot be read, and comments that silence nothing, are not adopted."""


def add_ignores(files: Sequence[SourceFile], resolver: SettingsResolver) -> bool:
    """Silence what is found in ``files``. False when some file could not be written.

    Files that cannot be read are left to the check that follows, as is what a comment cannot silence.
    """
    project = Project(resolver.for_file)
    contents: dict[str, bytes] = {}
    for file in files:
        try:
            content = read_bytes(file.path)
            if mentions_dsl(content):
                project.open(file.path, decode(content))
                contents[file.path] = content
        except SourceError:
            continue
    complete, added, changed = True, 0, 0
    for file in files:
        if file.path not in contents:
            continue
        text, count = _silenced(project, file.path, resolver)
        if not count:
            continue
        try:
            if read_bytes(file.path) != contents[file.path]:
                raise SourceError("changed meanwhile, left alone")
            replace_file(file.path, encode(text, contents[file.path]))
        except (OSError, SourceError) as fault:
            complain(f"{file.shown}: {fault}")
            complete = False
            continue
        added, changed = added + count, changed + 1
    note(f"{counted(added, 'finding')} silenced in {counted(changed, 'file')}")
    return complete


def _silenced(project: Project, path: str, resolver: SettingsResolver) -> tuple[str, int]:
    """The text with its comments and how many findings they silence; 0 where it would not help."""
    before = project.text(path) or ""
    settings = resolver.for_file(path)
    found = [each for each in checked(project, path, settings) if each.code not in _NEVER]
    text = before
    # One rule at a time: its comment is found, and extended, by the next.
    for code in sorted({each.code for each in found}):
        pending = [each for each in checked(project, path, settings) if each.code == code]
        text = apply_edits(text, _edits(project, path, pending))
        project.open(path, text)
    left = sum(each.code not in _NEVER for each in checked(project, path, settings))
    if left >= len(found):
        project.open(path, before)
        return before, 0
    return text, len(found) - left


def _edits(project: Project, path: str, findings: Sequence[Diagnostic]) -> list[TextEdit]:
    """One edit a place: several findings of one rule in one statement share a comment."""
    module = project.module(path)
    if module is None:
        return []
    edits = [edit for each in findings if (edit := suppression(module, each)) is not None]
    edits.sort(key=lambda edit: edit.range)
    return [next(same) for _, same in groupby(edits, key=lambda edit: edit.range)]
