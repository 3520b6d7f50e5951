"""A Graph in words: how much of the runtime's limits it uses, what a replay patches and what it freezes."""

from __future__ import annotations

from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan
from pto_lsp.analysis.graph_boundary.limits import MAX_NODES, MAX_SCALARS, MAX_TENSORS
from pto_lsp.analysis.ir.program import Function, Param
from pto_lsp.analysis.ir.types import UnknownType, is_scalar


def budget(plan: GraphPlan) -> str:
    """``tensors 12/128, scalars 3/64, tasks 40/1024``, hoisted values included; "" where a type is not known."""
    if any(isinstance(param.type, UnknownType) for param in plan.parameters):
        return ""
    scalars = sum(is_scalar(param.type) for param in plan.parameters)
    parts = [f"tensors {len(plan.parameters) - scalars}/{MAX_TENSORS}", f"scalars {scalars}/{MAX_SCALARS}"]
    if plan.nodes is not None:
        parts.append(f"tasks {plan.nodes}/{MAX_NODES}")
    return ", ".join(parts)


def graph_text(plan: GraphPlan) -> str:
    """Markdown."""
    lines = [f"Graph `{plan.name}`"]
    used = budget(plan)
    if used:
        lines.append(used)
        tensors = [_shown(plan, p) for p in plan.parameters if not is_scalar(p.type)]
        scalars = [_shown(plan, p) for p in plan.parameters if is_scalar(p.type)]
        patched = []
        if tensors:
            patched.append(f"the addresses of {', '.join(tensors)}")
        if scalars:
            patched.append(f"the values of {', '.join(scalars)}")
        if patched:
            lines.append(f"A replay patches {' and '.join(patched)}.")
    if plan.in_place:
        windows = ", ".join(dict.fromkeys(f"`{view.var.label}`" for view in plan.in_place))
        lines.append(f"It keeps the windows of {windows} and moves them with their tensors.")
    lines.append("It freezes which tasks run and in which order, their core counts, and every other value.")
    return "\n\n".join(lines)


def _shown(plan: GraphPlan, param: Param) -> str:
    if not param.hoisted:
        return f"`{param.name}`"
    hoist = plan.hoist_of(param.name)
    return f"`{param.name if hoist is None else hoist.name}` (computed at the call site)"


def parameter_text(graph: Function, param: Param) -> str:
    """What becomes of a parameter of a Graph at a replay; "" where its type is not known."""
    if isinstance(param.type, UnknownType):
        return ""
    if is_scalar(param.type):
        return (
            f"boundary scalar of Graph '{graph.name}': a replay passes the value of its call to the tasks that take "
            f"'{param.name}' itself"
        )
    return (
        f"boundary tensor of Graph '{graph.name}': a replay patches its address; its shape and type must be those of "
        f"the recording"
    )
