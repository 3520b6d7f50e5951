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
        own = [param for param in plan.parameters if not param.hoisted]
        patched = []
        if tensors := [f"`{param.name}`" for param in own if not is_scalar(param.type)]:
            patched.append(f"the addresses of {', '.join(tensors)}")
        if scalars := [f"`{param.name}`" for param in own if is_scalar(param.type)]:
            patched.append(f"the values of {', '.join(scalars)}")
        if patched:
            lines.append(f"A replay patches {' and '.join(patched)}.")
        if hoisted := hoisted_names(plan):
            names = ", ".join(f"`{name}`" for name in hoisted)
            lines.append(f"Moved to the call site by the compiler, and computed anew by each call: {names}.")
    if plan.in_place:
        windows = ", ".join(dict.fromkeys(f"`{view.var.label}`" for view in plan.in_place))
        lines.append(f"It keeps the windows of {windows} and moves them with their tensors.")
    lines.append("It freezes which tasks run and in which order, their core counts, and every other value.")
    return "\n\n".join(lines)


def hoisted_names(plan: GraphPlan) -> list[str]:
    """What the compiler adds to the boundary, in the order of the parameters."""
    hoists = [plan.hoist_of(param.name) for param in plan.parameters if param.hoisted]
    return [hoist.name for hoist in hoists if hoist is not None]


def variable_text(plan: GraphPlan, name: str) -> str:
    """What becomes of a variable of a Graph, by its unique name, at a replay; "" where nothing is known."""
    if plan.hoist_of(name) is not None:
        return f"moved by the compiler to the call site of Graph '{plan.name}': each call computes it anew"
    if any(view.var.name == name for view in plan.in_place):
        return f"stays in Graph '{plan.name}': a replay moves the window with its tensor"
    param = next((param for param in plan.function.params if param.name == name and is_scalar(param.type)), None)
    return "" if param is None else parameter_text(plan.function, param)


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
