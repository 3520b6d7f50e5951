"""Documentation pages as programs: their code blocks are run from top to bottom in an empty folder.

Each fenced block is one of these, by its language or by the HTML comment on the line before it:

* ``console``: lines that begin with ``$ `` are commands, what follows is all that they print. A comment
  ``<!-- exit: N -->`` says how the last one ends, when not with 0;
* ``<!-- file: NAME -->``: the block is written to that file;
* ``<!-- from: NAME -->``: the block stands in that file, which a command has written or changed;
* ``<!-- output: COMMAND -->``: the block is what the command prints.

Whatever has none of these must at least be text of its language.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>file|from|output|exit): (?P<value>.+) -->\n)?"
    r"^```(?P<language>\w+)\n(?P<body>(?:(?!```).*\n)*)^```$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Block:
    """``start`` and ``end`` enclose ``body`` in the page."""

    language: str
    mark: str
    value: str
    body: str
    start: int
    end: int


def blocks(text: str) -> Iterator[Block]:
    for match in _BLOCK.finditer(text):
        yield Block(match["language"], match["mark"] or "", match["value"] or "", match["body"], *match.span("body"))


class Session:
    """Runs the blocks of one page in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        commands = folder.parent / "commands"
        commands.mkdir(exist_ok=True)
        launcher = commands / "pto-lsp"
        launcher.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pto_lsp "$@"\n')
        launcher.chmod(0o755)
        self._environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PYTHONIOENCODING": "utf-8",
        }

    def actual(self, block: Block) -> str:
        """What the body of ``block`` has to be. Writes files and runs commands."""
        if block.mark == "file":
            path = self._folder / block.value
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
        elif block.mark == "from":
            text = (self._folder / block.value).read_text(encoding="utf-8")
            return block.body if block.body in text else text
        elif block.mark == "output":
            return self._run(block.value)[0]
        elif block.language == "console":
            return self._console(block)
        return block.body

    def _console(self, block: Block) -> str:
        printed = []
        code = 0
        for line in block.body.splitlines():
            if line.startswith("$ "):
                output, code = self._run(line[2:])
                printed.append(f"{line}\n{output}")
        wanted = int(block.value) if block.mark == "exit" else 0
        if code != wanted:
            printed.append(f"(exit code {code}, not {wanted})\n")
        return "".join(printed)

    def _run(self, command: str) -> tuple[str, int]:
        done = subprocess.run(
            command,
            shell=True,
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        text = done.stdout
        return text if not text or text.endswith("\n") else text + "\n", done.returncode


def rewritten(text: str, folder: Path) -> str:
    """The page with what its blocks really print."""
    session = Session(folder)
    parts: list[str] = []
    position = 0
    for block in blocks(text):
        parts += (text[position : block.start], session.actual(block))
        position = block.end
    return "".join((*parts, text[position:]))
