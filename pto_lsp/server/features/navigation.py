"""Go to definition and find references: DSL functions in the whole project, names inside of one function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lsprotocol import types

from pto_lsp.analysis.frontend.dsl_function import DslFunction
from pto_lsp.analysis.interruption import Cancelled
from pto_lsp.analysis.ir.expressions import NO_SPAN, Call, Submit
from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.analysis.ir.visitor import statement_exprs, walk, walk_block
from pto_lsp.analysis.node import node
from pto_lsp.analysis.source import syntax
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.callers import callers_of
from pto_lsp.quickfix.mentions import mentions
from pto_lsp.quickfix.places import FunctionText, function_text
from pto_lsp.server.features.look import Look
from pto_lsp.server.features.words import Word, is_last_of, word_at


@node
class _Occurrence:
    """``span`` in the file of ``text``; ``binds`` when it gives the name its value."""

    text: FunctionText
    span: Span
    binds: bool


def definition(look: Look, position: types.Position) -> list[types.Location] | None:
    """A function, a parameter, or the binding that a name has its value from: the last one above it."""
    word = word_at(look, position)
    if word is None:
        return None
    function = _function_at(look, word)
    if function is not None:
        return _locations(look, [_name_of(look, function)])
    found = _variable_at(look, word)
    if found is None:
        return None
    here = word.span.shifted(word.start)
    binding = [each for each in found if each.binds]
    if all(each.text.placed.source is not word.source for each in found):
        return _locations(look, binding[:1])
    # `s = put(x, s)` reads what was bound above it.
    above = [each for each in binding if each.span.start < here.start and not _in_one_line(each, here)]
    own = [each for each in binding if each.span == here]
    return _locations(look, (own or above[-1:] or binding[:1]))


def references(
    look: Look, position: types.Position, declaration: bool, files: Callable[[], Iterable[str]]
) -> list[types.Location] | None:
    """Every place that means the same; ``files`` are those in which calls of a function are looked for.

    Raises `Cancelled` between two files.
    """
    word = word_at(look, position)
    if word is None:
        return None
    function = _function_at(look, word)
    if function is not None:
        own = [_name_of(look, function)] if declaration else []
        return _locations(look, [*own, *_calls_of(look, function, files())])
    found = _variable_at(look, word)
    if found is None:
        return None
    first = next((each for each in found if each.binds), None)
    return _locations(look, [each for each in found if declaration or each is not first])


# Functions.


def _function_at(look: Look, word: Word) -> SourceId | None:
    """The DSL function that is called or defined at the word."""
    placed = look.module.syntax.by_source(word.source)
    if placed is None:
        return None
    if placed.function.name_span == word.span:
        return word.source
    return next((callee for span, callee in _callees(look, word.source) if is_last_of(word, span)), None)


def _callees(look: Look, source: SourceId) -> Iterator[tuple[Span, SourceId]]:
    """The names of called functions in the text of ``source``, dotted ones as a whole, and what they mean."""
    placed = look.module.syntax.by_source(source)
    if placed is None:
        return
    lowered = look.project.linker.lowered(look.module.path, look.module, placed).lowered
    for stmt in walk_block(lowered.function.body or ()):
        for expr in statement_exprs(stmt):
            for each in walk(expr):
                if isinstance(each, (Call, Submit)) and each.callee in lowered.callees and each.callee_span != NO_SPAN:
                    yield each.callee_span.shifted(stmt.at.offset), lowered.callees[each.callee].source


def _name_of(look: Look, source: SourceId) -> _Occurrence | None:
    text = function_text(look.project, source)
    return None if text is None else _Occurrence(text, text.placed.function.name_span.shifted(text.start), True)


def _calls_of(look: Look, target: SourceId, files: Iterable[str]) -> Iterator[_Occurrence]:
    def between_files() -> None:
        if look.interrupted():
            raise Cancelled

    for found in callers_of(look.project, look.project.linker, target, files, between_files).calls:
        if found.call.callee_span != NO_SPAN:
            whole = found.call.callee_span.shifted(found.caller.offset(found.statement.at, 0))
            name = found.caller.text[whole.start : whole.end].rpartition(".")[2].lstrip()
            yield _Occurrence(found.caller, Span(whole.end - len(name), whole.end), False)


# Names inside of a function.


def _variable_at(look: Look, word: Word) -> list[_Occurrence] | None:
    """All places of the variable or parameter at the word, in the order of the text; None where there is none."""
    text = function_text(look.project, word.source)
    if text is None:
        return None
    owner = _keyword_owner(look, text, word)
    if owner is not None:
        text = function_text(look.project, owner)
        return None if text is None else [each for each in _variable(text, word.name)]
    found = _variable(text, word.name)
    here = word.span.shifted(word.start)
    return found if any(each.span == here for each in found) and any(each.binds for each in found) else None


def _variable(text: FunctionText, name: str) -> list[_Occurrence]:
    params = [
        _Occurrence(text, piece.parameter.name_span.shifted(text.start + piece.start), True)
        for piece in text.placed.function.params
        if piece.parameter.name == name
    ]
    body = [_Occurrence(text, each.span, each.binds) for each in mentions(text) if each.name == name]
    return sorted([*params, *body], key=lambda each: each.span.start)


def _keyword_owner(look: Look, text: FunctionText, word: Word) -> SourceId | None:
    """The function whose parameter is named at the word, as in ``put(x, s=buffer)``."""
    offset = word.span.end
    code = text.placed.function.text
    if not code[offset:].lstrip().startswith("=") or code[offset:].lstrip().startswith("=="):
        return None
    for name, call in _calls(text.placed.function):
        for argument in call.args:
            if argument.keyword == word.name and argument.span.start + name == word.span.start:
                func = call.func.span.shifted(name)
                return next((s for span, s in _callees(look, word.source) if func.start <= span.start < func.end), None)
    return None


def _calls(function: DslFunction) -> Iterator[tuple[int, syntax.Call]]:
    """Every call with the offset its spans count from."""
    lines = list(function.lines)
    while lines:
        line = lines.pop()
        nodes: list[object] = list(line.unit.statements)
        while nodes:
            each = nodes.pop()
            if isinstance(each, tuple):
                nodes.extend(each)
            elif type(each).__module__ == syntax.__name__:
                if isinstance(each, syntax.Call):
                    yield line.start.offset, each
                nodes.extend(getattr(each, field) for field in type(each).__slots__)  # type: ignore[attr-defined]
        lines.extend(line.body)


def _in_one_line(one: _Occurrence, here: Span) -> bool:
    """Whether both stand in the same logical line."""
    chunk = one.text.module.document.chunks[one.text.placed.chunk_index]
    base = one.text.chunk_start
    return chunk.line_at(one.span.start - base) is chunk.line_at(here.start - base)


def _locations(look: Look, found: Iterable[_Occurrence | None]) -> list[types.Location] | None:
    places = [look.file_location(each.text.module, each.span) for each in found if each is not None]
    return places or None
