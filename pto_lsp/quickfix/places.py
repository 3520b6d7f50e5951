"""Where IR statements stand in the text: the lines, headers and calls that fixes change."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.frontend.module import Module, Placed
from pto_lsp.analysis.ir.place import Anchor, SourceId
from pto_lsp.analysis.source.logical_lines import LogicalLine
from pto_lsp.diagnostics import Span
from pto_lsp.quickfix.rewriter import Modules


@dataclass(frozen=True, slots=True)
class FunctionText:
    """A DSL function in its file. Offsets handed out are code points of the file."""

    module: Module
    placed: Placed
    chunk_start: int

    @property
    def path(self) -> str:
        return self.module.path

    @property
    def start(self) -> int:
        """Offset of the function's text (the line of its first decorator)."""
        return self.chunk_start + self.placed.found.start

    @property
    def text(self) -> str:
        return self.module.document.text

    def slice(self, at: Anchor, span: Span) -> str:
        """The text of ``span`` of the statement at ``at``."""
        return self.text[self.offset(at, span.start) : self.offset(at, span.end)]

    def offset(self, at: Anchor, offset: int) -> int:
        """File offset of an offset in the statement at ``at``."""
        return self.start + at.offset + offset

    def line(self, at: Anchor) -> LogicalLine | None:
        """The logical line of the statement at ``at``."""
        chunk = self.module.document.chunks[self.placed.chunk_index]
        return chunk.line_at(self.placed.found.start + at.offset)

    def path_to(self, at: Anchor) -> tuple[LogicalLine, ...]:
        """The lines around the statement at ``at``, outermost first, its own line last."""
        line = self.line(at)
        found: list[LogicalLine] = []
        level = list(self.module.document.chunks[self.placed.chunk_index].lines)
        while line is not None:
            inside = [candidate for candidate in level if candidate.start <= line.start]
            if not inside:
                break
            found.append(inside[-1])
            if inside[-1] is line:
                return tuple(found)
            level = list(inside[-1].children)
        return ()

    def begin_of_line(self, offset: int) -> int:
        """Beginning of the physical line of a file offset."""
        text = self.text
        return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1

    def end_of_line(self, offset: int) -> int:
        """End of the physical line of a file offset, its terminator included."""
        text = self.text
        end = offset
        while end < len(text) and text[end] not in "\r\n":
            end += 1
        if text.startswith("\r\n", end):
            return end + 2
        return min(end + 1, len(text))

    def indentation(self, line: LogicalLine) -> str:
        """The white space before a logical line of this function's chunk."""
        begin = self.begin_of_line(self.chunk_start + line.start)
        return self.text[begin : self.chunk_start + line.start]

    @property
    def newline(self) -> str:
        """The line terminator in use around the function."""
        first = self.end_of_line(self.start)
        before = self.text[max(0, first - 2) : first]
        return "\r\n" if before == "\r\n" else before[-1:] if before[-1:] in ("\n", "\r") else "\n"


def function_text(modules: Modules, source: SourceId) -> FunctionText | None:
    """The function ``source`` as it stands now."""
    module = modules.module(source.path)
    placed = module.syntax.by_source(source) if module is not None else None
    if module is None or placed is None:
        return None
    return FunctionText(module, placed, module.document.chunk_start(placed.chunk_index))
