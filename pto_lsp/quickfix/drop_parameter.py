"""Taking a parameter away from a function and from all its callers."""

from __future__ import annotations

from pto_lsp.analysis.ir.place import SourceId
from pto_lsp.quickfix.call_text import call_text
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.rewriter import Refused, Rewriter
from pto_lsp.quickfix.signature_text import SignatureText


def drop_parameter(context: Context, source: SourceId, name: str) -> Draft:
    """Remove the parameter ``name`` of the function ``source``. Raises `Refused`."""
    text = context.text_of(source)
    linker = context.project.linker
    params = linker.lowered(text.path, text.module, text.placed).lowered.signature.params
    index = next((number for number, param in enumerate(params) if param.name == name), None)
    if index is None:
        raise Refused(f"'{name}' is no parameter")
    rewriter = Rewriter()
    SignatureText(text).remove(rewriter, index)
    callers = context.callers(source)
    complete = callers.complete
    for call in callers.calls:
        written = call_text(call, params)
        if written is None:
            complete = False
        else:
            written.remove_argument(rewriter, index, name)
    return Draft(rewriter, complete)
