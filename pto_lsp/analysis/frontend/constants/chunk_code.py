"""What one top-level statement does to its module, parsed as far as needed and cached by text."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from pto_lsp.analysis.frontend.constants.code import FunctionCode
from pto_lsp.analysis.frontend.constants.effects import bound_names, global_names, number_functions
from pto_lsp.analysis.frontend.constants.skeleton import broken_names, holds_dsl, is_dsl, repaired, skeleton
from pto_lsp.analysis.frontend.constants.text_cache import TextCache
from pto_lsp.analysis.source.document import Chunk
from pto_lsp.analysis.source.logical_lines import LogicalLine

_DEFINITION = re.compile(r"(?:async\s+)?(def|class)\s+(\w+)")
_MAIN = re.compile(r"if\s+__name__\s*==\s*(?:'__main__'|\"__main__\")\s*:")


_CHARACTERS = 1_000_000
"""A large model with all that it imports has as much. Every edit makes a new text of a whole function."""


class ChunkCode:
    """Immutable. ``kind`` says what to do:

    * "function": bind ``name`` to a function; ``code`` is None for a DSL function
    * "program": bind ``name`` to a DSL class
    * "main": ``if __name__ == "__main__"`` without ``else``, whose ``statements`` run in a script only
    * "broken": ``names`` are bound to something unknown
    * "statements": execute ``statements``

    ``parameters`` are those of a function when some have defaults. ``names`` are all names it may bind; ``volatile``
    those that functions rebind through ``global``. ``functions`` counts the definitions inside by qualified name and
    by being part of the DSL, for the ordinals of later ones.
    """

    __slots__ = ("code", "functions", "kind", "name", "names", "parameters", "statements", "volatile")

    def __init__(self, kind: str, name: str = "", code: FunctionCode | None = None) -> None:
        self.kind = kind
        self.name = name
        self.code = code
        self.names: frozenset[str] = frozenset((name,)) if name else frozenset()
        self.parameters: ast.arguments | None = None
        self.statements: list[ast.stmt] = []
        self.volatile: frozenset[str] = frozenset()
        self.functions: dict[tuple[str, bool], int] = {(name, code is None): 1} if name else {}


class ChunkCache:
    """Code by chunk text, least recently used dropped first. Texts that differ only inside DSL functions share one."""

    def __init__(self) -> None:
        self._by_text: TextCache[ChunkCode] = TextCache(_CHARACTERS)
        self._by_skeleton: TextCache[ChunkCode] = TextCache(_CHARACTERS // 2)

    def get(self, chunk: Chunk) -> ChunkCode:
        text = chunk.text
        found = self._by_text.get(text)
        if found is None:
            found = self._make(chunk)
            self._by_text.put(text, found)
        return found

    def parse(self, lines: Sequence[LogicalLine], text: str) -> ChunkCode:
        """Code for statements whose ``text`` was put together from ``lines``."""
        return self._intern(f"\n{text}", lambda: _statements(text, lambda: lines))

    def _make(self, chunk: Chunk) -> ChunkCode:
        text = chunk.text
        heads = [text[start:end] for start, end, column in chunk.raw_lines if column == 0]
        decorators = [head for head in heads if head.startswith("@")]
        head = next((head for head in heads if not head.startswith("@")), "")
        match = _DEFINITION.match(head)
        if match is not None and any(map(is_dsl, decorators)):
            kind = "function" if match[1] == "def" else "program"
            name = match[2]
            return self._intern(f"@{kind} {name}", lambda: ChunkCode(kind, name))
        reduced = skeleton(chunk.lines) if len(chunk.raw_lines) > 1 and holds_dsl(text) else text
        if match is not None and match[1] == "def":
            name = match[2]
            return self._intern(reduced, lambda: _function(name, head, reduced, lambda: chunk.lines))
        main = len(heads) == 1 and _MAIN.match(head) is not None
        return self._intern(reduced, lambda: _statements(reduced, lambda: chunk.lines, main))

    def _intern(self, text: str, make: Callable[[], ChunkCode]) -> ChunkCode:
        found = self._by_skeleton.get(text)
        if found is None:
            found = make()
            self._by_skeleton.put(text, found)
        return found


def parse(text: str, lines: Callable[[], Sequence[LogicalLine]]) -> list[ast.stmt]:
    """Statements of ``text``, with harmless ones for those of its ``lines`` that Python cannot parse."""
    sources: tuple[Callable[[], str], ...] = (lambda: text, lambda: repaired(lines()))
    for source in sources:
        try:
            return ast.parse(source()).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return []


def _function(name: str, head: str, text: str, lines: Callable[[], Sequence[LogicalLine]]) -> ChunkCode:
    code = ChunkCode("function", name, FunctionCode(text))
    if "=" in head:
        code.parameters = _parameters(head)
    if "global " in text:
        code.volatile = frozenset(global_names(parse(text, lines)))
    return code


def _parameters(head: str) -> ast.arguments | None:
    """Parameters of a ``def`` line, with its body if that is on the line."""
    try:
        function = ast.parse(f"{head} pass" if head.endswith(":") else head).body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return function.args if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _statements(text: str, lines: Callable[[], Sequence[LogicalLine]], main: bool = False) -> ChunkCode:
    statements = parse(text, lines)
    if not statements or isinstance(statements[0], ast.Pass):
        code = ChunkCode("broken")
        code.names = frozenset(broken_names(lines()))
        return code
    code = ChunkCode("main" if main else "statements")
    code.statements = statements
    code.names = frozenset(bound_names(statements))
    if "global " in text:
        code.volatile = frozenset(global_names(statements))
    if "def " in text or "class " in text:
        number_functions(statements, "", code.functions)
    return code
