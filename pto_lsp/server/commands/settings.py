"""``pto.showSettings [uri]``: the settings in force for a file, each with where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pto_lsp.config.settings import describe
from pto_lsp.server.commands.arguments import Arguments
from pto_lsp.server.uris import to_key

if TYPE_CHECKING:
    from pto_lsp.server.session import Session


def run(session: Session, arguments: Arguments) -> dict[str, Any]:
    """``{text}``: what ``pto-lsp check --show-settings`` prints, and what is wrong with the configuration."""
    return {"text": settings_text(session, to_key(arguments.text(0, "the address of a document")))}


def settings_text(session: Session, path: str) -> str:
    lines = [f"{key} = {value}  # {origin}" for key, value, origin in describe(session.settings_for(path))]
    for problem in session.problems_of(path):
        where = "editor" if problem.path is None else f"{problem.path}:{problem.range.start.line + 1}"
        lines.append(f"# error: {where}: {problem.message}")
    return "\n".join(lines) + "\n"
