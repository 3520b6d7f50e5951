"""``pto.applyAllFixes [uri]``: every safe repair of a document, in one edit."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pto_lsp.server.commands.arguments import Arguments

if TYPE_CHECKING:
    from pto_lsp.quickfix.fix_all import Left
    from pto_lsp.server.session import Session


def run(session: Session, arguments: Arguments) -> dict[str, Any] | Future[dict[str, Any]]:
    """``{applied, left}``: how many repairs were applied once the client has applied them, and why others were not."""
    uri = arguments.text(0, "the address of a document")
    if not session.is_open(uri):
        return {"applied": 0, "left": ["the document is not open"]}
    edit, fixed, left = session.fix_all(uri)
    reasons = [_reason(each) for each in left]
    if edit is None:
        return {"applied": 0, "left": reasons}
    if not session.client.applies_edits:
        return {"applied": 0, "left": ["this editor does not let a server change documents", *reasons]}
    answer: Future[dict[str, Any]] = Future()

    def done(result: Future[types.ApplyWorkspaceEditResult]) -> None:
        if answer.set_running_or_notify_cancel():
            refusal = _refusal(result)
            if refusal is None:
                answer.set_result({"applied": fixed, "left": reasons})
            else:
                answer.set_result({"applied": 0, "left": [refusal, *reasons]})

    session.apply("Fix all that pto-lsp can fix safely", edit).add_done_callback(done)
    return answer


def _refusal(result: Future[types.ApplyWorkspaceEditResult]) -> str | None:
    """Why the client did not apply the edit; None when it did."""
    if result.cancelled() or result.exception() is not None:
        return "the editor did not apply the changes"
    answer = result.result()
    if answer is not None and answer.applied:
        return None
    why = answer.failure_reason if answer is not None else None
    return f"the editor did not apply the changes{f': {why}' if why else ''}"


def _reason(left: Left) -> str:
    found = left.diagnostic
    about = f" '{found.subject}'" if found.subject else ""
    return f"line {found.range.start.line + 1}: {found.code}{about}: {left.reason}"
