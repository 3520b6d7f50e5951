"""The command line. This module only chooses the subcommand: each is a module of its own, imported when it is named.

Start-up time counts (``check`` runs in every commit): nothing here imports the analysis, libcst or the LSP libraries.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

USAGE_ERROR = 2


class Command(NamedTuple):
    """``module`` has ``run(arguments) -> exit code``."""

    module: str
    summary: str


COMMANDS = {
    "server": Command("pto_lsp.cli.server", "language server on stdin and stdout (the default)"),
    "check": Command("pto_lsp.cli.check", "check files and report findings"),
    "legalize": Command("pto_lsp.cli.legalize", "print a program with everything hoisted that a replay needs"),
    "replay": Command("pto_lsp.cli.replay", "simulate recording and replaying, and compare with a fresh run"),
    "graph": Command("pto_lsp.cli.graph", "show which task waits for which, and why"),
    "run": Command("pto_lsp.cli.execute", "execute a program's tasks on numpy arrays"),
    "compile": Command("pto_lsp.cli.compile", "write the C++ and the manifest of a program"),
    "explain": Command("pto_lsp.cli.explain", "print the page of a rule"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (without the program's name) and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        # The process is ours, and has a short life in which nearly everything that is allocated stays. What lives
        # longer sees to it itself.
        gc.disable()
    try:
        return _dispatch(words)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`). Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    finally:
        if arguments is None:
            gc.freeze()  # Python looks for garbage once more on its way out, which takes as long as a small file


def _dispatch(words: list[str]) -> int:
    first = words[0] if words else "server"
    if first in COMMANDS:
        return _run(first, words[1:])
    if first in ("-h", "--help"):
        print(_help(), end="")
        return 0
    if first in ("-V", "--version"):
        from pto_lsp import __version__

        print(f"pto-lsp {__version__}")
        return 0
    if "--check" in words:
        words.remove("--check")
        return _run("check", words)
    if first == "--stdio":
        return _run("server", words)
    print(f"pto-lsp: error: unknown command '{first}'\n\n{_help()}", end="", file=sys.stderr)
    return USAGE_ERROR


def _run(name: str, words: list[str]) -> int:
    code: int = import_module(COMMANDS[name].module).run(words)
    return code


def _help() -> str:
    lines = ["usage: pto-lsp [COMMAND] ...", "", "Language server and checker for PyPTO task-graph programs.", ""]
    lines += ["commands:", *(f"  {name:10} {command.summary}" for name, command in COMMANDS.items())]
    lines += ["", "  --check    same as 'check'", "  --version  print the version", ""]
    lines += ["'pto-lsp COMMAND --help' describes one command.", ""]
    return "\n".join(lines)
