"""A DSL function with its lines parsed into units."""

from __future__ import annotations

from collections.abc import Sequence

from pto_lsp.analysis.frontend.blocks import Line, matched
from pto_lsp.analysis.frontend.decorators import Declaration
from pto_lsp.analysis.frontend.functions import Found
from pto_lsp.analysis.ir.place import LineStart, SourceId
from pto_lsp.analysis.node import node
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.document import Chunk
from pto_lsp.analysis.source.logical_lines import Fault, LineKind, LogicalLine
from pto_lsp.analysis.source.units import UnitCache, UnitKind
from pto_lsp.diagnostics import Span


@node
class ParameterPiece:
    """A parameter and the offset of its text in its function."""

    parameter: syntax.Parameter
    start: int


@node
class DslFunction:
    """One decorated function. All offsets count from the beginning of the line of its first decorator.

    ``text`` is the function from there to its end. ``owner`` is the qualified name of the ``@pl.program`` class of a
    method, ""
    otherwise. ``broken`` are the lines that Python cannot parse.
    """

    source: SourceId
    name: str
    text: str
    declaration: Declaration
    head: syntax.DefHead
    name_span: Span
    params: tuple[ParameterPiece, ...]
    lines: tuple[Line, ...]
    owner: str
    broken: tuple[tuple[Span, syntax.Broken], ...]

    @property
    def method(self) -> bool:
        return bool(self.owner)


_KINDS = {LineKind.SIMPLE: UnitKind.SIMPLE, LineKind.DECORATOR: UnitKind.DECORATOR}


def unit_kind(line: LogicalLine) -> UnitKind:
    """How the text of ``line`` has to be parsed; a ``def`` header of a nested function is not split."""
    return _KINDS.get(line.kind, UnitKind.HEADER)


def unit_texts(found: Found, cache: UnitCache) -> list[tuple[str, UnitKind]]:
    """All units of a function, for parsing many functions in one go."""
    texts: list[tuple[str, UnitKind]] = []
    signature = cache.signature(found.head.text)
    if signature is not None:
        texts.append((signature.head_text, UnitKind.DEF_HEAD))
        texts.extend((piece.text, UnitKind.PARAMETER) for piece in signature.parameters if piece.text)
    stack = list(found.head.children)
    while stack:
        line = stack.pop()
        texts.append((line.text, unit_kind(line)))
        stack.extend(line.children)
    return texts


_FAULTS = {
    Fault.UNEXPECTED_INDENT: "unexpected indent",
    Fault.INCONSISTENT_DEDENT: "the indentation matches no block around it",
    Fault.MISSING_BLOCK: "an indented block is missing below this line",
    Fault.MISPLACED_CLAUSE: "this clause continues no statement before it",
    Fault.MISSING_HANDLER: "this try has neither an except nor a finally",
    Fault.DANGLING_DECORATOR: "no function or class follows this decorator",
}


def fault_message(fault: Fault) -> str:
    """What is wrong with the layout, in words."""
    return _FAULTS.get(fault, fault.value)


def build(
    found: Found, chunk: Chunk, source: SourceId, text: str, cache: UnitCache, before: DslFunction | None = None
) -> DslFunction:
    """Parse the lines of ``found`` in ``chunk``; ``text`` is its text.

    Takes over the lines of ``before``, the function with its former text, that are still there, and moves them.
    """
    return _Builder(found, chunk, source, text, cache).build(before.lines if before is not None else ())


class _Builder:
    def __init__(self, found: Found, chunk: Chunk, source: SourceId, text: str, cache: UnitCache) -> None:
        self._found = found
        self._faults = chunk.faults
        self._source = source
        self._text = text
        self._cache = cache
        self._broken: list[tuple[Span, syntax.Broken]] = []

    def build(self, before: tuple[Line, ...]) -> DslFunction:
        found = self._found
        start = found.head.start - found.start
        head = syntax.DefHead(found.name, None, syntax.NO_SPAN, syntax.NO_SPAN)
        inline: tuple[Line, ...] = ()
        params: list[ParameterPiece] = []
        signature = self._cache.signature(found.head.text)
        if signature is not None:
            unit = self._cache.get(signature.head_text, UnitKind.DEF_HEAD)
            if unit.broken is not None:
                span = Span(signature.from_head(unit.broken.span.start), signature.from_head(unit.broken.span.end))
                self._note(start, syntax.Broken(unit.broken.message, span, unit.broken.too_deep))
            elif isinstance(unit.statements[0], syntax.DefHead):
                head = unit.statements[0]
                body = unit.statements[1:]
                if body:
                    # A body on the header's line stands behind the parameters, its spans begin at the cut.
                    shift = signature.from_head(len(signature.before.text)) - len(signature.before.text)
                    inline = (Line(syntax.Unit(unit.text, body, None), LineStart(start + shift), ()),)
            for piece in signature.parameters:
                if not piece.text:
                    continue
                unit = self._cache.get(piece.text, UnitKind.PARAMETER)
                if unit.broken is not None:
                    self._note(start + piece.start, unit.broken)
                elif isinstance(unit.statements[0], syntax.Parameter):
                    params.append(ParameterPiece(unit.statements[0], start + piece.start))
        lines = inline + self._lines(found.head.children, before)
        name_span = head.name_span.shifted(start)
        return DslFunction(
            self._source,
            found.name,
            self._text,
            found.declaration,
            head,
            name_span,
            tuple(params),
            lines,
            found.owner,
            tuple(self._broken),
        )

    def _lines(self, lines: Sequence[LogicalLine], before: tuple[Line, ...]) -> tuple[Line, ...]:
        found: list[Line] = []
        units = [self._cache.get(line.text, unit_kind(line)) for line in lines]
        for line, unit, known in zip(lines, units, matched(units, before)):
            start = line.start - self._found.start
            if unit.broken is not None:
                self._note(start, unit.broken)
            elif line in self._faults:
                whole = Span(0, len(line.text))
                self._note(start, syntax.Broken(fault_message(self._faults[line]), whole, False))
            body = self._lines(line.children, known.body if known is not None else ()) if line.children else ()
            if known is None:
                found.append(Line(unit, LineStart(start), body))
                continue
            # A line with another text still stands where it stood.
            known.start.offset = start
            same = known.unit is unit and len(body) == len(known.body) and all(a is b for a, b in zip(body, known.body))
            found.append(known if same else Line(unit, known.start, body))
        return tuple(found)

    def _note(self, start: int, broken: syntax.Broken) -> None:
        self._broken.append((broken.span.shifted(start), broken))
