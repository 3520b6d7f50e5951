"""What the runtime or the compiler refuses, or silently does not replay, at the call of a Graph.

rules.md C5–C7, V13, X11–X13; replay.md §2 and §5.1.
"""

from __future__ import annotations

from pto_lsp.analysis.findings import Finding, Note
from pto_lsp.analysis.graph_boundary.buffers import CallerBuffers
from pto_lsp.analysis.graph_boundary.call_sites import CallSite
from pto_lsp.analysis.graph_boundary.coincidences import check_coincidences
from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan
from pto_lsp.analysis.graph_boundary.limits import MAX_RECORDINGS
from pto_lsp.analysis.graph_boundary.report import note, on_function, report
from pto_lsp.analysis.graph_boundary.return_maps import ReturnMaps
from pto_lsp.analysis.ir.expressions import Const, Expr, Op, Var
from pto_lsp.analysis.ir.printer import print_expr
from pto_lsp.analysis.ir.program import FunctionKind
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.diagnostics import Span

CALLERS = frozenset({FunctionKind.ORCHESTRATION, FunctionKind.OPAQUE})
UNJUDGED_CALLERS = frozenset({FunctionKind.GRAPH, FunctionKind.HOST, FunctionKind.INLINE})
"""A Graph caller is D7; the others are not what a launch finally stands in."""

IGNORED_OPTIONS = ("core_num", "sync_start", "allow_early_resolve")


def check_call_sites(sites: list[CallSite], plans: dict[str, GraphPlan], maps: ReturnMaps) -> list[Finding]:
    """Findings of all call sites, in their order, then those about several sites of one Graph."""
    found: list[Finding] = []
    by_graph: dict[str, list[CallSite]] = {}
    for site in sites:
        plan = plans[site.graph]
        by_graph.setdefault(site.graph, []).append(site)
        found.extend(_refusals(site, plan))
        found.extend(_ignored_options(site, plan))
        if site.manual:
            found.append(_manual_scope(site, plan))
    buffers = CallerBuffers(maps)
    for graph, group in by_graph.items():
        found.extend(_disagreements(plans[graph], group, buffers))
        found.extend(_aliases(plans[graph], group, buffers))
        found.extend(check_coincidences(plans[graph], group))
    found.extend(_too_many_graphs([plans[graph] for graph in by_graph]))
    return found


def _refusals(site: CallSite, plan: GraphPlan) -> list[Finding]:
    """C5, C6, C7, then V13: the first that applies, because all are about the one call (section E)."""
    caller, launch, graph = site.caller, site.launch, plan.function
    if caller.kind is FunctionKind.GRAPH:
        return []
    passed, wanted = len(launch.args), len(graph.params)
    optional = sum(1 for param in graph.params[passed:] if param.has_default)
    if passed != wanted and passed + optional != wanted:
        hoisted = len(plan.hoisted)
        counting = f", counting {hoisted} that hoisting adds" if hoisted else ""
        message = (
            f"'{caller.name}' passes {passed + hoisted} arguments to Graph '{graph.name}', which has "
            f"{wanted + hoisted} parameters{counting}: a Graph takes all of them, none is allocated by the runtime."
        )
        return [_at_call("PTO414", site, plan, message, (note(graph.at, graph.name_span, "the Graph"),))]
    options = launch.options
    if options.deps:
        message = (
            f"'{caller.name}' launches Graph '{graph.name}' with deps=: with an explicit dependency the runtime does "
            f"not cache the launch. Drop it; tensors that both touch order the launches."
        )
        return [_at_call("PTO415", site, plan, message)]
    if options.predicate is not None:
        message = (
            f"'{caller.name}' launches Graph '{graph.name}' with a predicate: the runtime ignores it and runs the "
            f"region in any case. Put the predicate on tasks inside, or the call under an 'if'."
        )
        return [_at_call("PTO416", site, plan, message)]
    if caller.kind not in CALLERS and caller.kind not in UNJUDGED_CALLERS:
        message = (
            f"'{caller.name}' is no orchestration function ({caller.kind.value}), so it cannot launch Graph "
            f"'{graph.name}'."
        )
        return [_at_call("PTO417", site, plan, message, (note(caller.at, caller.name_span, "the caller"),))]
    return []


def _ignored_options(site: CallSite, plan: GraphPlan) -> list[Finding]:
    """X13."""
    options = site.launch.options
    values = {
        "core_num": options.core_num is not None,
        "sync_start": bool(options.sync_start),
        "allow_early_resolve": bool(options.allow_early_resolve),
    }
    spans = {keyword.name: keyword.span for keyword in options.keywords}
    found = []
    for name in IGNORED_OPTIONS:
        if values[name]:
            message = (
                f"{name}= on the launch of Graph '{plan.name}' has no effect: the tasks of the region keep what was "
                f"recorded for them. Put it on the tasks inside."
            )
            span = spans.get(name, site.launch.span)
            found.append(_at_span("PTO418", site, plan, span, plan.name, message))
    return found


def _manual_scope(site: CallSite, plan: GraphPlan) -> Finding:
    message = (
        f"Graph '{plan.name}' is launched in a manual scope: there the launch gets no dependencies at all and "
        f"cannot be given any, so it may run before its inputs are written. Move it out of the scope."
    )
    return _at_call("PTO422", site, plan, message)


def _disagreements(plan: GraphPlan, sites: list[CallSite], buffers: CallerBuffers) -> list[Finding]:
    """X12: a call whose boundary differs from that of the recorded call runs as ordinary tasks."""
    found = []
    first = sites[0]
    for site in sites[1:]:
        for index, param in enumerate(plan.function.params):
            if isinstance(param.type, ScalarType) or index >= min(len(site.launch.args), len(first.launch.args)):
                continue
            here, there = site.launch.args[index], first.launch.args[index]
            reason = _type_difference(here, there)
            if reason is None:
                continue
            message = (
                f"this call passes '{print_expr(here)}' for '{param.name}' of Graph '{plan.name}', {reason} than "
                f"another call: whichever comes second does not match the recording and runs as ordinary tasks."
            )
            notes = (note(first.stmt.at, there.span, f"another call passes '{print_expr(there)}'"),)
            found.append(_at_span("PTO420", site, plan, here.span, plan.name, message, notes))
        shared = buffers.shared(site)
        for pair in sorted(shared ^ buffers.shared(first)):
            if not (buffers.known(site, pair) and buffers.known(first, pair)):
                continue
            names = [plan.function.params[index].name for index in pair]
            which = "one buffer" if pair in shared else "two buffers"
            other = "two" if pair in shared else "one"
            message = (
                f"this call passes {which} for '{names[0]}' and '{names[1]}' of Graph '{plan.name}', another call "
                f"{other}: whichever comes second does not match the recording and runs as ordinary tasks."
            )
            span = site.launch.args[pair[1]].span
            notes = (note(first.stmt.at, first.launch.args[pair[1]].span, f"another call passes {other} here"),)
            found.append(_at_span("PTO420", site, plan, span, plan.name, message, notes))
    return found


def _type_difference(here: Expr, there: Expr) -> str | None:
    left, right = _tensor_type(here), _tensor_type(there)
    if left is None or right is None:
        return None
    if left.dtype and right.dtype and left.dtype != right.dtype:
        return f"of another data type ({left.dtype}, not {right.dtype})"
    if left.shape is None or right.shape is None:
        return None
    if len(left.shape) != len(right.shape):
        return f"of another rank ({len(left.shape)}, not {len(right.shape)})"
    for one, other in zip(left.shape, right.shape):
        if isinstance(one, Const) and isinstance(other, Const) and one.value != other.value:
            return f"of another shape ({_shape_text(left.shape)}, not {_shape_text(right.shape)})"
    return None


def _tensor_type(expr: Expr) -> TensorType | None:
    return expr.type if isinstance(expr, (Var, Op)) and isinstance(expr.type, TensorType) else None


def _shape_text(shape: tuple[Expr, ...]) -> str:
    return f"[{', '.join([print_expr(extent) for extent in shape])}]"


def _aliases(plan: GraphPlan, sites: list[CallSite], buffers: CallerBuffers) -> list[Finding]:
    """replay.md §2: a task's tensor is matched to the first boundary tensor that fits in the recorded call."""
    viewed = {
        index
        for index, param in enumerate(plan.function.params)
        if any(view.root == param.name for view in plan.in_place)
        or any(hoist.root == param.name for hoist in plan.hoisted)
    }
    found = []
    for site in sites:
        for pair in sorted(buffers.shared(site)):
            apart = next(
                (other for other in sites if buffers.known(other, pair) and pair not in buffers.shared(other)), None
            )
            if apart is None and not viewed.intersection(pair):
                continue
            names = [plan.function.params[index].name for index in pair]
            why = "another call passes two" if apart is not None else "the region takes a view of it"
            message = (
                f"'{names[0]}' and '{names[1]}' of Graph '{plan.name}' are one buffer in this call and {why}: a "
                f"recording remembers each tensor by the first parameter that matches it, so a later call can use the "
                f"wrong one. Pass the buffer once."
            )
            span = site.launch.args[pair[1]].span
            notes: tuple[Note, ...] = (
                note(site.stmt.at, site.launch.args[pair[0]].span, f"also passed for '{names[0]}'"),
            )
            if apart is not None:
                notes = (*notes, note(apart.stmt.at, apart.launch.span, "two buffers in this call"))
            found.append(_at_span("PTO424", site, plan, span, names[1], message, notes))
    return found


def _too_many_graphs(launched: list[GraphPlan]) -> list[Finding]:
    """X11."""
    if len(launched) <= MAX_RECORDINGS:
        return []
    plan = launched[MAX_RECORDINGS]
    message = (
        f"the program launches {len(launched)} different Graphs, but the runtime keeps {MAX_RECORDINGS} recordings: "
        f"'{plan.name}' and every Graph after it may run as ordinary tasks."
    )
    return [on_function("PTO419", plan.function, message, graph=plan.key, count=len(launched))]


def _at_call(code: str, site: CallSite, plan: GraphPlan, message: str, notes: tuple[Note, ...] = ()) -> Finding:
    return _at_span(code, site, plan, site.launch.span, plan.name, message, notes)


def _at_span(
    code: str,
    site: CallSite,
    plan: GraphPlan,
    span: Span,
    subject: str,
    message: str,
    notes: tuple[Note, ...] = (),
) -> Finding:
    return report(
        code, subject, site.stmt.at, span, message, site.caller.name, notes, graph=plan.key, caller=site.caller.key
    )
