"""Breaking long lines of printed programs the way Black does, roughly: inside the last pair of brackets."""

from __future__ import annotations

WIDTH = 120
_OPENING = "([{"
_CLOSING = ")]}"


def wrapped(line: str, indent: str) -> list[str]:
    """``line`` (without indentation) as lines of at most ``WIDTH`` columns where brackets allow it."""
    if len(indent) + len(line) <= WIDTH:
        return [indent + line]
    pair = _last_brackets(line)
    if pair is None:
        return [indent + line]
    start, end = pair
    inside = line[start + 1 : end]
    inner = indent + "    "
    head, tail = indent + line[: start + 1], indent + line[end:]
    if len(inner) + len(inside) <= WIDTH and len(tail) <= WIDTH:
        return [head, inner + inside, tail]
    found = [head]
    for item in split_items(inside):
        found.extend(wrapped(item + ",", inner))
    found.append(tail)
    return found


def _last_brackets(line: str) -> tuple[int, int] | None:
    """The outermost pair of brackets that closes last and holds something."""
    depth, end, quoted = 0, -1, False
    for index in range(len(line) - 1, -1, -1):
        char = line[index]
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in _CLOSING:
            if depth == 0:
                end = index
            depth += 1
        elif char in _OPENING:
            depth -= 1
            if depth == 0 and end - index > 1:
                return index, end
    return None


def split_items(text: str) -> list[str]:
    """The items of a comma-separated list, commas inside brackets and strings not counted."""
    found: list[str] = []
    depth, start, quoted = 0, 0, False
    for index, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == "," and depth == 0:
            found.append(text[start:index].strip())
            start = index + 1
    rest = text[start:].strip()
    return [*found, rest] if rest else found
