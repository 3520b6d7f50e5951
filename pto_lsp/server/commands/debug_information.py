"""``pto.printDebugInformation [uri|null]``: what a report of a fault should hold, and nothing of the user's code."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from pto_lsp import __version__
from pto_lsp.server.commands.arguments import Arguments
from pto_lsp.server.commands.settings import settings_text
from pto_lsp.server.uris import to_key

if TYPE_CHECKING:
    from pto_lsp.server.session import Session

_LIBRARIES = ("libcst", "pygls", "lsprotocol", "pathspec")


def run(session: Session, arguments: Arguments) -> dict[str, Any]:
    """``{text}``."""
    uri = arguments.optional_text(0, "the address of a document")
    lines = [
        f"pto-lsp {__version__}",
        f"Python {platform.python_version()} ({sys.executable}) on {platform.platform()}",
        f"libraries: {', '.join(f'{name} {_version(name)}' for name in _LIBRARIES)}",
        f"client: {session.client}",
        f"folders: {', '.join(session.folders) or 'none'}",
        "open documents:",
        *[f"  {line}" for line in session.report()],
    ]
    if uri is not None:
        lines += ["", f"settings of {uri}:", settings_text(session, to_key(uri)).rstrip()]
    return {"text": "\n".join(lines) + "\n"}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not found"
