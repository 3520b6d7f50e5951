"""Every call of a Graph in the project, as it stands in the text."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pto_lsp.analysis.frontend.linker import Linker
from pto_lsp.analysis.frontend.module import Module
from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.statements import Assign, Evaluate, Return, Stmt, Unpack
from pto_lsp.analysis.ir.visitor import statement_exprs, walk, walk_block
from pto_lsp.project import Project
from pto_lsp.quickfix.file_index import FileIndex
from pto_lsp.quickfix.mentions import names_of
from pto_lsp.quickfix.places import FunctionText, function_text
from pto_lsp.quickfix.rewriter import Modules

UNRESOLVED = "PTO004"
_HARMLESS = re.compile(r"(?:from|import|@)\b|[\"']")
"""Imports and docstrings mention a function without using it."""


@dataclass(frozen=True, slots=True)
class TextualCall:
    """One call before the passes. ``statement`` is the one that holds it; ``names`` are those taken in its function."""

    caller: FunctionText
    statement: Stmt
    call: Call | Submit
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Callers:
    """``complete`` is False when some place may call the function that the analysis cannot see through."""

    calls: tuple[TextualCall, ...]
    complete: bool


def callers_in_project(project: Project, target: SourceId, root: str, index: FileIndex) -> Callers:
    """Calls of ``target`` in its own file, in open documents and below ``root``.

    Not complete either when it may be called from outside of the project.
    """
    # What has no place on disk yet cannot be imported from there.
    on_disk = os.path.isabs(target.path)
    around = index.files(root) if on_disk else ()
    files = dict.fromkeys((target.path, *project.open_paths, *(around or ())))
    found = callers_of(project, project.linker, target, files)
    exported = on_disk and os.path.exists(os.path.join(os.path.dirname(target.path), "__init__.py"))
    return Callers(found.calls, found.complete and around is not None and not exported)


def callers_of(
    modules: Modules,
    linker: Linker,
    target: SourceId,
    files: Iterable[str],
    between_files: Callable[[], None] = lambda: None,
) -> Callers:
    """Calls of ``target`` in ``files`` (absolute paths or document keys). ``between_files`` may raise."""
    calls: list[TextualCall] = []
    complete = True
    paths = tuple(files)
    called = _imported_as(modules, target.qualname.rpartition(".")[2], paths, between_files)
    for path in paths:
        between_files()
        module = modules.module(path)
        if module is None or "pypto" not in module.document.text:
            continue
        here = [name for name in called if name in module.document.text]
        complete = complete and not any(_handed_around(module, name) for name in here)
        for placed in module.syntax.functions:
            if placed.source is target or not any(name in placed.function.text for name in here):
                continue
            found = linker.lowered(path, module, placed)
            lowered = found.lowered
            if any(f.code == UNRESOLVED and f.subject.rpartition(".")[2] in called for f in found.findings):
                complete = False
            keys = {key for key, signature in lowered.callees.items() if signature.source is target}
            text = function_text(modules, placed.source)
            if not keys or text is None:
                continue
            body = lowered.function.body or ()
            complete = complete and lowered.function.complete
            names = names_of(text)
            for stmt, call in _calls(body, keys):
                calls.append(TextualCall(text, stmt, call, names))
    return Callers(tuple(calls), complete)


def _imported_as(
    modules: Modules, name: str, paths: tuple[str, ...], between_files: Callable[[], None]
) -> tuple[str, ...]:
    """The names by which ``name`` may be called: an import can give it another one, and the next file that one's."""
    texts: list[str] = []
    for path in paths:
        between_files()
        module = modules.module(path)
        if module is not None:
            texts.append(module.document.text)
    found = [name]
    for each in found:
        renamed = re.compile(rf"\b{re.escape(each)}[ \t]+as[ \t]+(\w+)")
        for text in texts:
            if each in text:
                found.extend(new for new in renamed.findall(text) if new not in found)
    return tuple(found)


def _handed_around(module: Module, name: str) -> bool:
    """Whether host code outside of DSL functions uses ``name`` as a value, so that it may be called by another name."""
    mention = re.compile(rf"(?<![\w.\"'`]){re.escape(name)}(?![\w(\"'`])")
    dsl = {id(module.document.chunks[placed.chunk_index]) for placed in module.syntax.functions}
    for chunk in module.document.chunks:
        if id(chunk) in dsl or name not in chunk.text or _HARMLESS.match(chunk.text):
            continue
        commented = {offset for offset, _ in chunk.comments}
        for match in mention.finditer(chunk.text):
            if not any(start <= match.start() for start in commented if "\n" not in chunk.text[start : match.start()]):
                return True
    return False


def _calls(body: tuple[Stmt, ...], keys: set[str]) -> Iterator[tuple[Stmt, Call | Submit]]:
    for stmt in walk_block(body):
        if isinstance(stmt, (Assign, Unpack, Evaluate, Return)):
            for expr in statement_exprs(stmt):
                for each in walk(expr):
                    if isinstance(each, (Call, Submit)) and each.callee in keys:
                        yield stmt, each
