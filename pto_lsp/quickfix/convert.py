"""Between the two ways to write a Graph: which of them can be had at a place, and the change itself."""

from __future__ import annotations

from collections.abc import Callable

from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.diagnostics import Applicability, Fix
from pto_lsp.project import Project
from pto_lsp.quickfix import function_to_scope, scope_to_function
from pto_lsp.quickfix.callers import callers_in_project
from pto_lsp.quickfix.context import Draft
from pto_lsp.quickfix.file_index import FileIndex
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.proof import prove
from pto_lsp.quickfix.rewriter import Conflict, Refused


def title(project: Project, path: str, offset: int) -> str | None:
    """What a conversion at this place would be called; None where there is no Graph. Quick."""
    found = _place(project, path, offset)
    if found is None:
        return None
    text, scope = found
    if scope is not None:
        return "Convert to a Graph function"
    return f"Convert '{text.placed.found.name}' to a 'with pl.graph' region"


def convert(project: Project, path: str, offset: int, root: Callable[[str], str], index: FileIndex) -> Fix:
    """The conversion, proved. Raises `Refused`."""
    found = _place(project, path, offset)
    shown = title(project, path, offset)
    if found is None or shown is None:
        raise Refused("there is no Graph here")
    draft = _draft(project, *found, root, index)
    try:
        edits = draft.rewriter.text_edits(project)
    except Conflict:
        raise Refused("two parts of the change would change the same text") from None
    prove(project, draft, path, None)
    return Fix(shown, Applicability.SAFE if draft.safe else Applicability.UNSAFE, edits)


def _place(project: Project, path: str, offset: int) -> tuple[FunctionText, int | None] | None:
    """The function around ``offset``, with the offset of the ``with`` line of a region; None for neither."""
    module = project.module(path)
    if module is None:
        return None
    for placed in module.syntax.functions:
        text = FunctionText(module, placed, module.document.chunk_start(placed.chunk_index))
        if not text.start <= offset <= text.chunk_start + placed.found.end:
            continue
        line = module.document.chunks[placed.chunk_index].line_at(offset - text.chunk_start)
        if line is not None and line.keyword == "with" and "pl.graph(" in line.text:
            return text, line.start
        head = placed.found.head
        if placed.found.declaration.kind is FunctionKind.GRAPH and offset <= text.chunk_start + head.end:
            return text, None
    return None


def _draft(
    project: Project, text: FunctionText, scope: int | None, root: Callable[[str], str], index: FileIndex
) -> Draft:
    source = text.placed.source
    if scope is None:
        params = project.linker.lowered(text.path, text.module, text.placed).lowered.signature.params
        return function_to_scope.build(text, params, callers_in_project(project, source, root(source.path), index))
    line = text.module.document.chunks[text.placed.chunk_index].line_at(scope)
    assert line is not None
    for program in project.analysis(text.path).programs:
        for plan in program.plan.graphs.values():
            at = plan.function.at
            if at.source is source and at.offset + text.start == text.chunk_start + scope:
                return scope_to_function.build(project, program, plan, text, line)
    raise Refused("the region is not one Graph")
