"""``pto.legalizedSource [uri, function|null]``: the program as the compiler will have it after hoisting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pto_lsp.analysis import entries
from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.ir.printer import print_program
from pto_lsp.server.commands.about import Answer, about, selected_entry
from pto_lsp.server.commands.arguments import Arguments, Selection

if TYPE_CHECKING:
    from pto_lsp.server.features.look import Look
    from pto_lsp.server.session import Session


def run(session: Session, arguments: Arguments) -> dict[str, Any]:
    """``{text, language, message?}``: PyPTO source, and what it is not yet if something stands in the way."""
    uri, wanted = arguments.text(0, "the address of a document"), arguments.selection(1)
    answer = about(session, uri, lambda look: _legalized(look, wanted))
    return {"text": "", "language": "python", **answer}


def _legalized(look: Look, wanted: Selection) -> Answer:
    entry = selected_entry(look, wanted, entries.graph_entry)
    if isinstance(entry, str):
        return {"message": entry}
    plan = entry.analysis.plan
    answer: Answer = {"text": print_program(legalize(plan))}
    if not plan.accepted:
        answer["message"] = "the compiler refuses this program: only what can be hoisted is"
    elif not plan.graphs:
        answer["message"] = "no Graph in this program: nothing is hoisted"
    return answer
