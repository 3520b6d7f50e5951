"""Lines of C++ and the names in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_WORD = re.compile(r"[A-Za-z_]\w*")
_RESERVED = frozenset(
    """
    alignas alignof and asm auto bool break case catch char class const constexpr continue decltype default delete do
    double else enum explicit export extern false float for friend goto if inline int long mutable namespace new
    noexcept not nullptr operator or private protected public register return short signed sizeof static struct switch
    template this throw true try typedef typeid typename union unsigned using virtual void volatile while xor args std
    main window int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t hostmodel
    """.split()
)


class Lines:
    """Indented lines, four columns a level. Declarations know their name, so that unused ones can be left out."""

    def __init__(self) -> None:
        self._lines: list[tuple[str, str]] = []
        self._depth = 0

    def add(self, line: str) -> None:
        self._lines.append(("    " * self._depth + line, ""))

    def declare(self, name: str, line: str) -> None:
        """``line`` has no effect but to give ``name`` a value."""
        self._lines.append(("    " * self._depth + line, name))

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """``head {`` … ``}``."""
        self.add(f"{head} {{")
        self._depth += 1
        yield
        self._depth -= 1
        self.add("}")

    def mark(self) -> int:
        return len(self._lines)

    def cut(self, mark: int) -> None:
        """Forget everything since ``mark``."""
        del self._lines[mark:]

    def declared_since(self, mark: int) -> set[str]:
        return {name for _, name in self._lines[mark:] if name}

    def used_text(self) -> str:
        """All lines but declarations of what nothing uses."""
        uses = Counter(word for line, _ in self._lines for word in set(_WORD.findall(_code(line))))
        kept = list(self._lines)
        while True:
            unused = [(line, name) for line, name in kept if name and uses[name] <= 1]
            if not unused:
                break
            for line, _ in unused:
                uses.subtract(set(_WORD.findall(_code(line))))
            gone = {id(line) for line, _ in unused}
            kept = [entry for entry in kept if id(entry[0]) not in gone]
        return "\n".join(line for line, _ in kept) + "\n"


def _code(line: str) -> str:
    return line.partition("//")[0]


class Names:
    """Identifiers of one C++ function: the author's names, numbered where one is taken."""

    def __init__(self) -> None:
        self._taken: set[str] = set(_RESERVED)

    def fresh(self, wish: str) -> str:
        """An identifier like ``wish`` that nothing else here has."""
        base = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in wish).strip("_") or "value"
        base = f"v{base}" if base[0].isdigit() else base
        while "__" in base:
            base = base.replace("__", "_")
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name

    def taken(self) -> set[str]:
        return set(self._taken)

    def forget_all_but(self, taken: set[str]) -> None:
        self._taken = set(taken)
