"""``pto-lsp server``: the language server on stdin and stdout."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


def run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="pto-lsp server", description="Language server on stdin and stdout.")
    parser.add_argument("--stdio", action="store_true", help="accepted for editors that always pass it")
    parser.add_argument("--clientProcessId", type=int, help=argparse.SUPPRESS)
    parser.parse_args(arguments)
    from pto_lsp.server import serve

    serve()
