"""Python text around DSL functions, put together from logical lines.

A skeleton holds everything but the DSL functions and classes themselves, for which it has stubs. It stays the same
while somebody types inside a DSL function, so what is computed from it does too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from keyword import kwlist

from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine

KEYWORDS = frozenset(kwlist)
DSL_DECORATORS = frozenset({"jit", "function", "program", "inline"})
_DECORATOR = re.compile(r"@\s*((?:\w+\.)*\w+)")
_ANY_DECORATOR = re.compile(r"^[ \t]+@(?:\w+\.)*(?:jit|function|program|inline)\b", re.MULTILINE)
_NAMED = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_BOUND = re.compile(r"(\w+)\s*(?::[^=]*)?=(?!=)")


def is_dsl(decorator: str) -> bool:
    """Whether the text ``@…`` makes the definition below part of the DSL (surface.md §1, §2: by name)."""
    match = _DECORATOR.match(decorator)
    return match is not None and not DSL_DECORATORS.isdisjoint(match[1].split("."))


def holds_dsl(text: str) -> bool:
    """Whether an indented DSL definition may stand in ``text``."""
    return _ANY_DECORATOR.search(text) is not None


def skeleton(lines: Sequence[LogicalLine]) -> str:
    """Text of the lines and those below them, with stubs for DSL definitions."""
    parts: list[str] = []
    emit(lines, parts)
    return "\n".join(parts)


def emit(lines: Sequence[LogicalLine], parts: list[str]) -> None:
    for line, dsl in definitions(lines):
        if dsl:
            parts.append(stub(line))
        else:
            parts.append(" " * line.column + line.text)
            if line.children:
                emit(line.children, parts)


def definitions(lines: Sequence[LogicalLine]) -> Iterator[tuple[LogicalLine, bool]]:
    """The lines of one level and whether each begins a DSL definition, whose decorators are left out."""
    decorators: list[LogicalLine] = []
    for line in lines:
        if line.kind is LineKind.DECORATOR:
            decorators.append(line)
            continue
        dsl = line.kind in (LineKind.DEF, LineKind.CLASS) and any(is_dsl(each.text) for each in decorators)
        if not dsl:
            for decorator in decorators:
                yield decorator, False
        yield line, dsl
        decorators.clear()
    for decorator in decorators:
        yield decorator, False


def defined_name(line: LogicalLine) -> str:
    """The name that a ``def`` or ``class`` line defines; "_" while there is none."""
    match = _NAMED.match(line.text)
    return match[1] if match is not None else "_"


def stub(line: LogicalLine) -> str:
    """A DSL definition of the same name and kind without its content."""
    name = defined_name(line)
    blank = " " * line.column
    head = f"class {name}" if line.kind is LineKind.CLASS else f"def {name}()"
    return f"{blank}@{'program' if line.kind is LineKind.CLASS else 'function'}\n{blank}{head}: pass"


def repaired(lines: Sequence[LogicalLine]) -> str:
    """The skeleton with harmless statements for the lines that are none, which may be why it does not parse."""
    parts: list[str] = []
    _repair(lines, parts)
    return "\n".join(parts)


def _repair(lines: Sequence[LogicalLine], parts: list[str]) -> None:
    for line, dsl in definitions(lines):
        if dsl:
            parts.append(stub(line))
            continue
        sound = line.kind is not LineKind.SIMPLE or _parses(line.text)
        parts.append(" " * line.column + (line.text if sound else _harmless(line)))
        if line.children:
            _repair(line.children, parts)
        elif line.kind is not LineKind.SIMPLE and line.text.endswith(":"):
            parts.append(" " * (line.column + 1) + "pass")


def _harmless(line: LogicalLine) -> str:
    """A statement that binds the names the line looks like binding to something unknown."""
    return " = ".join([*sorted(broken_names([line]) - KEYWORDS), "_"]) + " = _unparsable"


def _parses(text: str) -> bool:
    try:
        ast.parse(f"def _():\n {text}")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def broken_names(lines: Sequence[LogicalLine]) -> set[str]:
    """Names that lines, which need not be valid Python, look like binding."""
    names: set[str] = set()
    stack = list(lines)
    while stack:
        line = stack.pop()
        match = _NAMED.match(line.text)
        if match is not None:
            names.add(match[1])
            continue
        stack.extend(line.children)
        match = _BOUND.match(line.text)
        if match is not None:
            names.add(match[1])
        elif line.text.startswith(("import ", "from ")):
            names.update(re.findall(r"\w+", line.text.rpartition("import")[2]))
        elif line.text.startswith(("for ", "with ", "(", "[")) or "," in line.text:
            names.update(re.findall(r"[^\W\d]\w*", line.text.partition("=")[0]))
    return names
