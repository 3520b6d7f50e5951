"""Arguments whose tracking is switched off or on (diagnostics.md TG108, TG111, TG216)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Var
from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange, Keeps, Spot, spot
from pto_lsp.quickfix.launches.graphs import graphs_of, in_statement, site_of
from pto_lsp.quickfix.launches.launch_text import Form, LaunchText, launch_text
from pto_lsp.quickfix.launches.lexical import Lexical
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    return _untracked(context) if context.finding.code == "PTO711" else _tracked(context)


def _tracked(context: Context) -> Draft:
    """Delete the entry of ``no_dep_args``, or write the argument without ``pl.no_dep``."""
    graph, site = site_of(context)
    text = context.text_of(site.statement.at.source)
    lexical = Lexical(context.project, text)
    launch = launch_text(lexical, lexical.at(site.statement.at))
    rewriter = Rewriter()
    track(rewriter, launch, context.finding.subject, _span(context, launch))
    change = GraphChange(_around(graph, site) if context.finding.code == "PTO708" else frozenset())
    alone = context.finding.place.anchor.inlined_at is None
    return Draft(rewriter, alone, graph=change)


def _span(context: Context, launch: LaunchText) -> int:
    """Where the finding begins in the file."""
    return context.text.start + context.finding.place.span.start


def track(rewriter: Rewriter, launch: LaunchText, name: str, at: int = -1) -> None:
    """Remove the opt-out of the tensor ``name``, or the one that begins at the file offset ``at``."""
    listed = launch.keyword("no_dep_args")
    if listed is not None and isinstance(listed.value, syntax.ListDisplay):
        for index, entry in enumerate(listed.value.items):
            if launch.shown(entry) == name or launch.span(entry.span).start == at:
                launch.remove_entry(rewriter, "no_dep_args", index)
                return
    wrapped = [a.value for a in launch.call.args if _opted_out(a.value) is not None]
    for value in wrapped:
        inner = _opted_out(value)
        span = launch.span(value.span)
        if inner is not None and (launch.shown(inner) == name or span.start <= at < span.end):
            rewriter.replace(launch.text.path, span.start, span.end, launch.shown(inner))
            return
    raise Refused("the opt-out was not found")


def _opted_out(value: syntax.Expr) -> syntax.Expr | None:
    """What stands in ``pl.no_dep(…)``."""
    if isinstance(value, syntax.Call) and isinstance(value.func, syntax.Attribute) and value.func.attr == "no_dep":
        return value.args[0].value if len(value.args) == 1 else None
    return None


def _untracked(context: Context) -> Draft:
    """The view is opted out on the launches that take it, like the tensor it looks into."""
    name = context.finding.subject
    rewriter = Rewriter()
    pairs: set[tuple[Spot, Spot]] = set()
    done: set[Spot] = set()
    for graph in graphs_of(context):
        for task in graph.walk.tasks:
            site = task.site
            at = site.statement.at
            for argument in task.arguments:
                label = argument.expr.label if isinstance(argument.expr, Var) else ""
                off = argument.opted_out or task.manual or spot(site) in done
                if label != name or off or at.source is not context.finding.place.source:
                    continue
                if not argument.views or any(not view.buffer.manual_dep for view in argument.views):
                    continue
                done.add(spot(site))
                pairs |= _around(graph, site)
                _opt_out(context, rewriter, site, name)
    if not done:
        raise Refused("no launch takes the view")
    return Draft(rewriter, False, comparable=False, graph=GraphChange(lost=frozenset(pairs), keeps=Keeps.NOTHING))


def _opt_out(context: Context, rewriter: Rewriter, site: Site, name: str) -> None:
    text = context.text_of(site.statement.at.source)
    lexical = Lexical(context.project, text)
    launch = launch_text(lexical, lexical.at(site.statement.at))
    if launch.form in (Form.CALL, Form.SUBMIT):
        for argument in launch.call.args:
            if argument.keyword is None and launch.shown(argument.value) == name:
                span = launch.span(argument.value.span)
                rewriter.replace(text.path, span.start, span.end, f"pl.no_dep({name})")
                return
        raise Refused("the view is no argument by itself")
    if launch.keyword("no_dep_args") is not None:
        raise Refused("the launch opts out other arguments")
    if not isinstance(launch.call.func, syntax.Attribute) or launch.call.func.attr != "at":
        raise Refused("only pl.at takes no_dep_args")
    launch.add_keyword(rewriter, f"no_dep_args=[{name}]")


def _around(graph: TaskGraph, site: Site) -> frozenset[tuple[Spot, Spot]]:
    """All pairs with the launch as one side."""
    own = [other for other in graph.walk.sites if in_statement(site.place, other)]
    mine = {spot(other) for other in own}
    others = {spot(other) for other in graph.walk.sites}
    return frozenset({(a, b) for a in mine for b in others} | {(b, a) for a in mine for b in others})
