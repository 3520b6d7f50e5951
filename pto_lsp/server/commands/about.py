"""What the commands about one open document share."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pto_lsp.analysis import entries
from pto_lsp.analysis.entries import Entry
from pto_lsp.server.commands.arguments import Selection

if TYPE_CHECKING:
    from pto_lsp.server.features.look import Look
    from pto_lsp.server.session import Session

Answer = dict[str, Any]


def about(session: Session, uri: str, answer: Callable[[Look], Answer]) -> Answer:
    """What ``answer`` says of an open document, else a ``message`` why there is nothing to say."""
    found = session.looked(uri, answer)
    if found is not None:
        return found
    name = posixpath.basename(uri)
    why = "holds no PyPTO function" if session.is_open(uri) else "is not open"
    return {"message": f"'{name}' {why}"}


def selected_entry(look: Look, wanted: Selection, otherwise: Callable[..., Entry | None]) -> Entry | str:
    """The program that is meant, ``otherwise`` says which where nothing is selected; or why there is none."""
    analyzer, module = look.project.analyzer(look.module.path), look.module
    if wanted.function is not None:
        entry = entries.named_entry(analyzer, module, wanted.function)
        if entry is not None:
            return entry
        names = entries.entry_names(analyzer, module)
        return f"no entry '{wanted.function}'; " + (f"there are: {', '.join(names)}" if names else "there is none")
    if wanted.position is not None:
        found = look.placed_at(look.offset(wanted.position))
        entry = None if found is None else entries.entry_with(analyzer, module, found[0].source)
        if entry is not None:
            return entry
    return otherwise(analyzer, module) or "no orchestration function and no Graph in this file"
