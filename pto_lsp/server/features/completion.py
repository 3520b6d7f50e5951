"""Completion of what only this server knows: keywords of DSL calls, task ids, rule codes, in half-written code too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types

from pto_lsp.analysis.frontend.module import Placed
from pto_lsp.analysis.ir.expression_printer import print_type
from pto_lsp.analysis.ir.visitor import bound_variables, walk_block
from pto_lsp.analysis.rules import registry
from pto_lsp.analysis.source.logical_lines import LogicalLine
from pto_lsp.diagnostics import Diagnostic, Span
from pto_lsp.server.features.cursor_context import Bracket, CursorContext, context_of, keywords_after
from pto_lsp.server.features.dsl_keywords import Keyword, keywords_of, values_of
from pto_lsp.server.features.look import Look

_CODES = re.compile(r"#\s*pto:\s*ignore(?:-file)?\s*\[(?:[^\]]*[,\s])?(\w*)$")
_DIRECTIVE = re.compile(r"#\s*pto:\s*([\w-]*)$")
_DIRECTIVES = (
    ("ignore", "silence every rule on this line"),
    ("ignore[]", "silence these rules on this line"),
    ("ignore-file", "silence every rule in this file"),
    ("ignore-file[]", "silence these rules in this file"),
)
_LIST_OF = re.compile(r"(\w+)\s*=\s*\[[^\[\]]*$")
_VALUE = re.compile(r"(\w+)\s*=\s*([\w.]*)$")
_LISTED = {
    "deps": re.compile(r"\bTASK_ID\b"),
    "no_dep_args": re.compile(r"^pl\.Tensor\b"),
    "dumps": re.compile(r"^pl\.Tensor\b"),
}
"""What the lists of a launch hold, by the type as it is written."""
_UNROLLED = re.compile(r"for\b.*\bin\s+pl\.unroll\b", re.DOTALL)


def completions(
    look: Look, position: types.Position, found: Iterable[Diagnostic], snippets: bool
) -> list[types.CompletionItem] | None:
    """``found`` are the findings of the file, of which those on the line are offered first to be silenced."""
    asked = _Asked.at(look, position, snippets)
    items = list(asked.items(found))
    return items or None


class _Asked:
    def __init__(self, look: Look, offset: int, line: LogicalLine | None, start: int, snippets: bool) -> None:
        self._look = look
        self._offset = offset
        self._statement = start
        self._snippets = snippets
        self._count = 0
        text = look.module.document.text
        self._context = context_of(text[start:offset])
        # Not further than the line: an open bracket makes the rest of the function part of the statement.
        self._behind = text[offset : max(offset, start + len(line.text))] if line is not None else ""

    @staticmethod
    def at(look: Look, position: types.Position, snippets: bool) -> _Asked:
        document, offset = look.module.document, look.offset(position)
        index = document.chunk_index(offset)
        line = document.chunks[index].line_at(offset - document.chunk_start(index)) if index >= 0 else None
        start = look.table.line_start(look.table.position(offset).line)
        if line is not None:
            start = document.chunk_start(index) + line.start
        return _Asked(look, offset, line, start, snippets)

    def items(self, found: Iterable[Diagnostic]) -> Iterator[types.CompletionItem]:
        context = self._context
        if context.comment is not None:
            yield from self._in_comment(context.comment, found)
        elif not context.in_string and context.brackets:
            yield from self._in_brackets(context)

    # Comments.

    def _in_comment(self, comment: str, found: Iterable[Diagnostic]) -> Iterator[types.CompletionItem]:
        codes = _CODES.search(comment)
        if codes is not None:
            line = self._look.table.position(self._offset).line
            here = {each.code for each in found if each.range.start.line <= line <= each.range.end.line}
            for code in registry.codes():
                rule = registry.rule(code)
                first = code in here
                yield self._item(
                    code, codes[1], rule.name, types.CompletionItemKind.EnumMember, about=rule.summary, first=first
                )
        directive = _DIRECTIVE.search(comment)
        if directive is not None:
            for word, about in _DIRECTIVES:
                text = word.replace("[]", "[$1]") if self._snippets else word.replace("[]", "[")
                yield self._item(word, directive[1], about, types.CompletionItemKind.Keyword, text)

    # Calls.

    def _in_brackets(self, context: CursorContext) -> Iterator[types.CompletionItem]:
        inner = context.brackets[-1]
        element = context.element
        if inner.kind == "(" and inner.head.startswith("pl."):
            value = _VALUE.match(element)
            if re.fullmatch(r"\w*", element):
                yield from self._keywords(context, inner, element)
            elif value is not None:
                for each in values_of(inner.head, value[1]):
                    yield self._item(each, value[2], "", types.CompletionItemKind.Value)
        elif inner.kind == "[" and len(context.brackets) > 1 and context.brackets[-2].head.startswith("pl."):
            around = context.brackets[-2]
            listed = _LIST_OF.match(context.text[around.element :].lstrip())
            if listed is not None and re.fullmatch(r"\w*", element):
                yield from self._listed(listed[1], element)

    def _keywords(self, context: CursorContext, inner: Bracket, typed: str) -> Iterator[types.CompletionItem]:
        given = {*inner.keywords, *keywords_after(self._behind)}
        # Behind a word that is a keyword already nothing is added.
        bare = self._behind.lstrip().startswith("=")
        for keyword in keywords_of(inner.head, context.statement):
            if keyword.name not in given or bare:
                yield self._keyword(keyword, typed, bare)

    def _keyword(self, keyword: Keyword, typed: str, bare: bool) -> types.CompletionItem:
        value = keyword.value if self._snippets else keyword.value.partition("$1")[0]
        text = keyword.name if bare else f"{keyword.name}={value}"
        return self._item(f"{keyword.name}=", typed, keyword.about, types.CompletionItemKind.Property, text)

    def _listed(self, keyword: str, typed: str) -> Iterator[types.CompletionItem]:
        wanted = _LISTED.get(keyword)
        for name, shown in self._visible() if wanted is not None else ():
            if wanted is not None and wanted.search(shown):
                yield self._item(name, typed, shown, types.CompletionItemKind.Variable)

    # Names.

    def _visible(self) -> Iterator[tuple[str, str]]:
        """Names that may be used at the cursor, with their types as they are written, the nearest first.

        What was bound in a block that is over is out of scope (diagnostics.md TG011), except behind `pl.unroll`.
        """
        found = self._look.placed_at(self._offset)
        if found is None:
            return
        placed, start = found
        names: dict[str, str] = {}
        around = self._blocks(placed, self._offset)
        lowered = self._look.project.linker.lowered(self._look.module.path, self._look.module, placed).lowered
        for param in lowered.function.params:
            names[param.name] = print_type(param.type)
        for stmt in walk_block(lowered.function.body or ()):
            for var in bound_variables(stmt):
                place = start + stmt.at.offset + var.span.start
                over = [block for block in self._blocks(placed, place) if not any(block is each for each in around)]
                if place < self._statement and not [block for block in over if not _UNROLLED.match(block.text)]:
                    names.pop(var.label, None)
                    names[var.label] = print_type(var.type)
        yield from reversed(names.items())

    def _blocks(self, placed: Placed, offset: int) -> list[LogicalLine]:
        """The headers of the blocks around an offset into the file."""
        document = self._look.module.document
        local = offset - document.chunk_start(placed.chunk_index)
        blocks: list[LogicalLine] = []
        lines = document.chunks[placed.chunk_index].lines
        while True:
            line = next((each for each in reversed(lines) if each.start <= local), None)
            if line is None or local <= line.end or not line.children:
                return blocks
            blocks.append(line)
            lines = line.children

    def _item(
        self,
        label: str,
        typed: str,
        detail: str,
        kind: types.CompletionItemKind,
        text: str = "",
        about: str = "",
        first: bool = False,
    ) -> types.CompletionItem:
        """``typed`` is what it replaces, right before the cursor; ``first`` puts it before the others."""
        self._count += 1
        new = text or label
        place = self._look.range(Span(self._offset - len(typed), self._offset))
        is_snippet = "$1" in new
        return types.CompletionItem(
            label,
            kind=kind,
            detail=detail or None,
            documentation=about or None,
            sort_text=f"{'0' if first else '1'}{self._count:03}",
            filter_text=label.removesuffix("="),
            preselect=first or None,
            insert_text_format=types.InsertTextFormat.Snippet if is_snippet else None,
            text_edit=types.TextEdit(place, new),
        )
