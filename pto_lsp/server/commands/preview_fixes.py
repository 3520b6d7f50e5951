"""``pto.previewFixes [uri, position]``: what the quick fixes of the findings there would do to the task graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pto_lsp.server.commands.about import about
from pto_lsp.server.commands.arguments import Arguments

if TYPE_CHECKING:
    from pto_lsp.quickfix.preview import Wait
    from pto_lsp.server.session import Session


def run(session: Session, arguments: Arguments) -> dict[str, Any]:
    """``{previews}``, each with ``title``, ``function``, ``text`` and the waits that are ``removed`` and ``added``,
    between nodes of the function's graph; or ``{message}``.
    """
    uri, position = arguments.text(0, "the address of a document"), arguments.position(1)
    return about(session, uri, lambda look: {"previews": []}) | {
        "previews": [
            {
                "title": each.title,
                "function": each.function,
                "text": each.text,
                "removed": [_wait(wait) for wait in each.removed],
                "added": [_wait(wait) for wait in each.added],
            }
            for each in session.fix_previews(uri, position)
        ]
    }


def _wait(wait: Wait) -> dict[str, Any]:
    return {
        "pred": f"n{wait.pred + 1}",
        "succ": f"n{wait.succ + 1}",
        "carried": wait.carried,
        "reasons": list(wait.reasons),
    }
