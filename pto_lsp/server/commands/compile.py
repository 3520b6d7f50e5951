"""``pto.compile [uri, entry|null]``: write what the toolchain builds of a document, as it is now."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from pto_lsp.server.commands.arguments import Arguments
from pto_lsp.server.uris import to_key

if TYPE_CHECKING:
    from pto_lsp.server.session import Session


def run(session: Session, arguments: Arguments) -> dict[str, Any] | Future[dict[str, Any]]:
    """``{outputDir, entries, files, messages}``: which entries were compiled, and why others were not."""
    uri, entry = arguments.text(0, "the address of a document"), arguments.optional_text(1, "the name of an entry")
    path = to_key(uri)
    why = None
    if not session.is_open(uri):
        why = "the document is not open"
    elif not session.trusted:
        why = "the workspace is not trusted: nothing is compiled"
    elif not session.starts_tasks(path):
        why = "nothing in this file starts a task"
    if why is not None:
        return {"outputDir": session.settings_for(path).output_dir, "entries": [], "files": [], "messages": [why]}
    return session.compilations.compile(path, entry)
