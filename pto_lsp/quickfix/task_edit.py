"""Repairs of task launches that change one place of the text: an entry of a list, a name, an annotation."""

from __future__ import annotations

import re
from collections.abc import Callable

from pto_lsp.analysis.ir.expressions import Const
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.launches.lexical import Lexical
from pto_lsp.quickfix.rewriter import Refused, Rewriter

Edit = tuple[int, int, str]
"""Code points of the file to replace, and by what."""


def build(context: Context) -> Draft:
    """Write the repair. Raises `Refused` where the text is not of the expected form."""
    code = context.finding.code
    text = context.text
    span = context.finding.place.span
    start, end = text.start + span.start, text.start + span.end
    first, last, content = _EDITS[code](context, text.text, start, end)
    rewriter = Rewriter()
    rewriter.replace(text.path, first, last, content)
    # What is noise in one caller of a helper need not be in another.
    alone = context.finding.place.anchor.inlined_at is None
    return Draft(rewriter, safe=code in _SAFE and alone)


def _bracketed(context: Context, text: str, start: int, end: int) -> Edit:
    """``deps=made`` → ``deps=[made]``."""
    return start, end, f"[{text[start:end]}]"


def _without_entry(context: Context, text: str, start: int, end: int) -> Edit:
    """Take one entry out of a list; the last one takes its keyword along."""
    after = re.compile(r"\s*,\s*").match(text, end)
    if after is not None and text[after.end() : after.end() + 1] != "]":
        return start, after.end(), ""
    before = re.search(r",\s*$", text[:start])
    if before is not None:
        return before.start(), end, ""
    opening = re.search(r"(,\s*)?\b(deps|no_dep_args)\s*=\s*\[\s*$", text[:start])
    closing = re.compile(r"\s*,?\s*\]").match(text, end)
    if opening is None or closing is None or opening.group(1) is None:
        raise Refused("the list is not written in the usual way")
    return opening.start(), closing.end(), ""


def _all_indices(context: Context, text: str, start: int, end: int) -> Edit:
    """``g[0]`` → ``g[0, 0]`` for a tensor of two dimensions."""
    rank, given = context.data("rank"), context.data("given")
    if not rank or int(given) >= int(rank) or text[end - 1 : end] != "]":
        raise Refused("no index is missing")
    return end - 1, end - 1, ", 0" * (int(rank) - int(given))


def _literal(context: Context, text: str, start: int, end: int) -> Edit:
    """A name that stands for one integer is written out."""
    name = text[start:end]
    bound = [
        stmt.value
        for stmt in Lexical(context.project, context.text).statements()
        if isinstance(stmt, Assign) and stmt.target.label == name
    ]
    known = bound[0].value if len(bound) == 1 and isinstance(bound[0], Const) else None
    if type(known) is not int:
        raise Refused("the guard is more than one comparison with a known integer")
    return start, end, str(known)


def _result(context: Context, text: str, start: int, end: int) -> Edit:
    """The name that a buffer has after a kernel has written it."""
    if not context.data("result"):
        raise Refused("the result has no name")
    return start, end, context.data("result")


def _with_deps(context: Context, text: str, start: int, end: int) -> Edit:
    """``task_dummy([a])`` → ``task_dummy(deps=[a])``."""
    call = text[start:end]
    opening = call.find("(")
    inside = call[opening + 1 : -1].strip()
    if opening < 0 or not call.endswith(")") or not (not inside or inside.isidentifier() or inside[0] in "[("):
        raise Refused("the arguments are not one list")
    listed = f"[{inside}]" if inside.isidentifier() else inside or "[]"
    return start + opening + 1, end - 1, f"deps={listed}"


def _stored(context: Context, text: str, start: int, end: int) -> Edit:
    """``y = value`` → ``y[:] = value``."""
    name = context.finding.subject
    found = re.compile(rf"{re.escape(name)}\s*(?==[^=])").match(text, start)
    if found is None:
        raise Refused("the assignment is not a plain one")
    return start, start + len(name), f"{name}[:]"


def _rewrapped(old: str, new: str) -> Callable[[Context, str, int, int], Edit]:
    """Change the direction an annotation is wrapped in; "" is a plain tensor."""

    def edit(context: Context, text: str, start: int, end: int) -> Edit:
        written = text[start:end]
        found = re.search(rf"\bpl\.{old}\[" if old else r"\bpl(d)?\.\w*Tensor\b", written)
        if found is None or not written.endswith("]"):
            raise Refused("the annotation is not written in the usual way")
        inner = written[found.end() : -1] if old else written[found.start() :]
        content = f"pl.{new}[{inner}]" if new else inner
        return start + found.start(), end, content

    return edit


def _output(context: Context, text: str, start: int, end: int) -> Edit:
    """``y: pl.Tensor[…]`` → ``y: pl.Out[pl.Tensor[…]]``, or InOut where some task reads it first."""
    return _rewrapped("", context.data("direction") or "InOut")(context, text, start, end)


_EDITS: dict[str, Callable[[Context, str, int, int], Edit]] = {
    "PTO602": _literal,
    "PTO603": _all_indices,
    "PTO606": _bracketed,
    "PTO615": _without_entry,
    "PTO619": _with_deps,
    "PTO622": _result,
    "PTO715": _rewrapped("Out", "InOut"),
    "PTO720": _output,
    "PTO721": _stored,
    "PTO803": _without_entry,
    "PTO809": _rewrapped("InOut", "Out"),
    "PTO819": _rewrapped("InOut", ""),
}

_SAFE = frozenset({"PTO602", "PTO606", "PTO615", "PTO619", "PTO622", "PTO803"})
"""Every task still waits for what it waited for, and the host sees what it saw. The rest is the author's to decide."""
