"""Rows of the specification's labelled data, and a command line run on each of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from pto_lsp.cli import main

SPEC = Path(__file__).resolve().parents[3] / "shared" / "spec"
"""Lies beside the project; where it does not, these tests are skipped."""
STEP = 1 if os.environ.get("PTO_LSP_ALL_ROWS") else 7
"""Every so many rows are taken: the ordinary run has other things to do."""

Row = dict[str, Any]


def rows(file: Path) -> Iterator[Row]:
    for line in file.read_text(encoding="utf-8").splitlines()[::STEP]:
        yield json.loads(line)


def document(directory: Path, source: str, *words: str) -> tuple[int, Any]:
    """Exit code and JSON document of ``pto-lsp WORDS program.py --format json`` with ``source`` in that file."""
    file = directory / "program.py"
    file.write_text(source, encoding="utf-8")
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([words[0], str(file), *words[1:], "--format", "json"])
    assert err.getvalue() == ""
    return code, json.loads(out.getvalue())
