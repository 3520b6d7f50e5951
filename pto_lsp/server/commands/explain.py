"""``pto.explain [code]``: the page of a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pto_lsp.analysis.rules import page, registry
from pto_lsp.server.commands.arguments import Arguments

if TYPE_CHECKING:
    from pto_lsp.server.session import Session


def run(session: Session, arguments: Arguments) -> dict[str, Any]:
    """``{markdown}``, or ``{message}`` where there is no such rule. A rule's name is as good as its code."""
    wanted = arguments.text(0, "a rule's code or name")
    rule = registry.find(wanted)
    return {"message": f"there is no rule '{wanted}'"} if rule is None else {"markdown": page.render(rule)}
