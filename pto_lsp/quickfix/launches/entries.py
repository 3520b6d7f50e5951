"""Entries of ``deps=``, ids and keywords that go or are written otherwise (diagnostics.md TG007, TG010, TG020, TG114,
TG201, TG202, TG204, TG212).
"""

from __future__ import annotations

import re

from pto_lsp.analysis.ir.expressions import Const
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.ir.types import ArrayType
from pto_lsp.analysis.source import syntax
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange
from pto_lsp.quickfix.launches.launch_text import Form, LaunchText, launch_text
from pto_lsp.quickfix.launches.lexical import Lexical
from pto_lsp.quickfix.mentions import mentions
from pto_lsp.quickfix.rewriter import Refused, Rewriter

_SLOTS = 16
"""Slots of an array that are written out one by one at most."""


def build(context: Context) -> Draft:
    text = context.text
    lexical = Lexical(context.project, text)
    launch = launch_text(lexical, lexical.at(context.finding.place.anchor))
    rewriter = Rewriter()
    alone = context.finding.place.anchor.inlined_at is None
    code = context.finding.code
    if code == "PTO607":
        _slots(context, rewriter, launch)
        # Slots that are written out one by one may be empty, as they were.
        return Draft(rewriter, alone, reveals=frozenset({"PTO714"}), comparable=False)
    if code in ("PTO620", "PTO812"):
        safe = _flag(context, rewriter, launch, lexical)
        return Draft(rewriter, safe and alone, comparable=context.ran, graph=GraphChange())
    if code == "PTO804":
        _unbind(rewriter, launch)
        return Draft(rewriter, alone, graph=GraphChange())
    index = _entry(context, launch)
    name = launch.shown(launch.entries()[index])
    launch.remove_entry(rewriter, "deps", index)
    if code in ("PTO801", "PTO802") and name.isidentifier():
        _unbind_unused(rewriter, lexical, name)
    safe = code == "PTO714" and alone
    graph = GraphChange(lost=None) if code in ("PTO801", "PTO802") else GraphChange()
    return Draft(rewriter, safe, comparable=context.ran, graph=None if code == "PTO610" else graph)


def _entry(context: Context, launch: LaunchText) -> int:
    """The entry of ``deps=`` that the finding points at."""
    start = context.text.start + context.finding.place.span.start
    for index, entry in enumerate(launch.entries()):
        span = launch.span(entry.span)
        if span.start <= start < span.end:
            return index
    raise Refused("the entry was not found")


def _slots(context: Context, rewriter: Rewriter, launch: LaunchText) -> None:
    """A whole array covers its slots; beside the slots of another one it is written slot by slot."""
    array = context.finding.subject
    entries = launch.entries()
    shown = [launch.shown(entry) for entry in entries]
    single = [index for index, entry in enumerate(entries) if isinstance(entry, syntax.Subscript)]
    own = [index for index in single if re.match(rf"{re.escape(array)}\s*\[", shown[index])]
    if single == own:
        deps = launch.keyword("deps")
        assert deps is not None
        kept = [text for index, text in enumerate(shown) if index not in own]
        span = launch.span(deps.value.span)
        rewriter.replace(launch.text.path, span.start, span.end, f"[{', '.join(kept)}]")
        return
    slots = _extent(context, array)
    for index, entry in enumerate(entries):
        if shown[index] == array:
            span = launch.span(entry.span)
            written = ", ".join(f"{array}[{slot}]" for slot in range(slots))
            rewriter.replace(launch.text.path, span.start, span.end, written)


def _extent(context: Context, array: str) -> int:
    lowered = Lexical(context.project, context.text)
    for stmt in lowered.statements():
        if isinstance(stmt, Assign) and stmt.target.label == array and isinstance(stmt.target.type, ArrayType):
            extent = stmt.target.type.extent
            count = extent.value if isinstance(extent, Const) else extent
            if type(count) is int and 0 < count <= _SLOTS:
                return count
    raise Refused(f"'{array}' has too many slots to write them out")


def _flag(context: Context, rewriter: Rewriter, launch: LaunchText, lexical: Lexical) -> bool:
    """A name that holds a constant is written out; otherwise the flag goes."""
    flag = launch.keyword("allow_early_resolve")
    if flag is None:
        raise Refused("the flag was not found")
    known = _constant(lexical, flag.value) if context.finding.code == "PTO620" else None
    if known is not None and launch.form is not Form.CALL:
        span = launch.span(flag.value.span)
        rewriter.replace(launch.text.path, span.start, span.end, str(known))
    else:
        launch.remove_keyword(rewriter, "allow_early_resolve")
    return True


def _constant(lexical: Lexical, value: syntax.Expr) -> bool | None:
    """What a name is bound to, when that is one ``True`` or ``False``."""
    if not isinstance(value, syntax.Name):
        return None
    bound = [stmt for stmt in lexical.statements() if isinstance(stmt, Assign) and stmt.target.label == value.id]
    if len(bound) == 1 and isinstance(bound[0].value, Const) and isinstance(bound[0].value.value, bool):
        return bound[0].value.value
    return None


def _unbind(rewriter: Rewriter, launch: LaunchText) -> None:
    """``as t`` goes; where a form needs a name, ``_t`` says that nobody wants it."""
    bound = launch.task_id()
    if bound is None:
        raise Refused("the task id has no name")
    span = launch.span(bound.span)
    func = launch.call.func
    grid = isinstance(func, syntax.Attribute) and func.attr == "spmd" and launch.keyword("deps") is not None
    if launch.form is Form.WITH and not grid:
        rewriter.replace(launch.text.path, launch.span(launch.call.span).end, span.end, "")
    else:
        rewriter.insert(launch.text.path, span.start, "_")


def _unbind_unused(rewriter: Rewriter, lexical: Lexical, name: str) -> None:
    """The id whose last entry goes loses its name."""
    uses = [mention for mention in mentions(lexical.text) if mention.name == name]
    if sum(mention.binds for mention in uses) != 1 or len(uses) != 2 or name.startswith("_"):
        return
    for stmt in lexical.statements():
        try:
            launch = launch_text(lexical, lexical.of(stmt))
        except Refused:
            continue
        bound = launch.task_id()
        if bound is not None and bound.id == name and launch.form is not Form.DUMMY:
            _unbind(rewriter, launch)
            return
