"""Scopes that go, or that their function allows (diagnostics.md TG014, TG016, TG119, TG217)."""

from __future__ import annotations

import re

from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.ir.statements import Region, RegionKind, Scope, ScopeMode
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange, pairs_of
from pto_lsp.quickfix.launches import opt_outs
from pto_lsp.quickfix.launches.blocks import unwrap
from pto_lsp.quickfix.launches.graphs import graphs_of
from pto_lsp.quickfix.launches.launch_text import launch_text
from pto_lsp.quickfix.launches.lexical import Chain, Lexical
from pto_lsp.quickfix.rewriter import Refused, Rewriter

_RENAMED = frozenset({"PTO705", "PTO706", "PTO707"})
"""One and the same missing wait has another code in another scope."""

_DECORATOR = re.compile(r"@pl\.(?:function|jit(?:\.\w+)?)\b")


def build(context: Context) -> Draft:
    code = context.finding.code
    if code == "PTO616":
        return _cluster(context)
    if code == "PTO719":
        return _scope_of_writer(context)
    return _scope(context)


def _scope(context: Context) -> Draft:
    """The scope that the finding is about goes; its statements stay."""
    text = context.text
    lexical = Lexical(context.project, text)
    written = lexical.at(context.finding.place.anchor)
    scope = written.stmt
    if not isinstance(scope, Scope):
        raise Refused("the scope was not found")
    outer = [stmt for stmt, _ in written.chain if isinstance(stmt, (Scope, Region))]
    rewriter = Rewriter()
    if context.finding.code == "PTO614" and scope.mode is ScopeMode.AUTO and not outer:
        _own_scopes(context, rewriter)
        return Draft(rewriter, False, comparable=False, title="Let the function place its scopes")
    unwrap(rewriter, text, written.line)
    if context.finding.code == "PTO614":
        nested = any(isinstance(stmt, Scope) and stmt.mode is ScopeMode.MANUAL for stmt in outer)
        return Draft(rewriter, nested and scope.mode is ScopeMode.MANUAL, reveals=_RENAMED, comparable=False)
    return Draft(rewriter, False, comparable=False, graph=_tracked(context, scope))


def _tracked(context: Context, scope: Scope) -> GraphChange:
    """Waits of the tasks in ``scope`` may come up; none goes."""
    for graph in graphs_of(context):
        inside = [s for s in graph.walk.sites if s.scope is not None and s.scope.at.offset == scope.at.offset]
        return GraphChange(pairs_of((site, other) for site in inside for other in graph.walk.sites))
    raise Refused("the scope was not found")


def _own_scopes(context: Context, rewriter: Rewriter) -> None:
    """``auto_scope=False`` on the function, so that it places its scopes itself."""
    text = context.text
    if text.placed.found.declaration.kind is FunctionKind.INLINE:
        raise Refused("the function is spliced into others")
    head = text.text[text.start : text.start + 2000]
    found = _DECORATOR.search(head.partition("def ")[0])
    if found is None:
        raise Refused("the decorator is not written in the usual way")
    at = text.start + found.end()
    if text.text[at : at + 1] != "(":
        rewriter.insert(text.path, at, "(auto_scope=False)")
        return
    close = text.text.index(")", at)
    if "(" in text.text[at + 1 : close]:
        raise Refused("the decorator is not written in the usual way")
    empty = not text.text[at + 1 : close].strip()
    rewriter.insert(text.path, close, "auto_scope=False" if empty else ", auto_scope=False")


def _scope_of_writer(context: Context) -> Draft:
    """The manual scope around the writer, or its opt-out, goes, so that its write is seen."""
    lexical = Lexical(context.project, context.text)
    written = lexical.at(context.finding.notes[0].place.anchor)
    scope = _innermost_manual(written.chain)
    rewriter = Rewriter()
    if scope is None:
        opt_outs.track(rewriter, launch_text(lexical, written), context.finding.subject)
    else:
        unwrap(rewriter, context.text, lexical.of(scope).line)
    # The read stalls now: that is how it gets the value.
    stall = frozenset({"PTO810"})
    return Draft(rewriter, False, reveals=stall, comparable=False, graph=GraphChange(None))


def _innermost_manual(chain: Chain) -> Scope | None:
    for stmt, _ in reversed(chain):
        if isinstance(stmt, Scope) and stmt.mode is ScopeMode.MANUAL:
            return stmt
    return None


def _cluster(context: Context) -> Draft:
    """A cluster of one launch is that launch."""
    lexical = Lexical(context.project, context.text)
    written = lexical.at(context.finding.notes[0].place.anchor)
    if not isinstance(written.stmt, Region) or written.stmt.kind is not RegionKind.CLUSTER:
        raise Refused("the cluster was not found")
    if len(written.stmt.body) != 1 or len(written.line.children) != 1:
        raise Refused("the cluster holds more than one launch")
    if written.stmt.options.keywords or written.stmt.task_id is not None:
        raise Refused("the cluster has options of its own")
    rewriter = Rewriter()
    unwrap(rewriter, context.text, written.line)
    return Draft(rewriter, False, comparable=False)
