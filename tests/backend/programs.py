"""Programs from text, executed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.backend.execution.run import Result, arguments_for, run
from pto_lsp.cli.program import Session

HEADER = "import pypto.language as pl\n\n\n"


def executed(
    path: Any, text: str, given: Mapping[str, Any] | None = None, order: int | None = None, **symbols: int
) -> Result:
    """The first entry of ``text`` (without its import), written to ``path`` and executed."""
    path.write_text(HEADER + text)
    found = Session().open(str(path)).orchestration_entry(None)
    assert found.orchestration is not None
    program = legalize(found.analysis.plan)
    entry = program.functions[found.orchestration.key]
    return run(program, entry, arguments_for(entry, given or {}, symbols, 0), order)
