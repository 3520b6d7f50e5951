"""PTO302: an allocation whose shape every caller passes as one and the same constant (rules.md F2)."""

from __future__ import annotations

from pto_lsp.analysis.graph_boundary.region import Region
from pto_lsp.analysis.graph_boundary.static_calls import number
from pto_lsp.analysis.ir.affine import affine
from pto_lsp.analysis.ir.expressions import Const, Expr, ListExpr, Op, Var
from pto_lsp.analysis.ir.statements import Assign
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.analysis.ir.visitor import variables, walk_block
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.rewriter import Refused, Rewriter
from pto_lsp.quickfix.steps import Steps


def build(context: Context) -> Draft:
    plan, text = context.plan, context.text
    name = context.data("variable")
    stmt = next(
        (s for s in walk_block(plan.function.body or ()) if isinstance(s, Assign) and s.target.name == name), None
    )
    if stmt is None or not isinstance(stmt.value, Op) or stmt.at.source is not text.placed.source:
        raise Refused("the allocation has no line of its own")
    sizes = stmt.value.args[0] if stmt.value.args else None
    if not isinstance(sizes, ListExpr) or not stmt.target.label:
        raise Refused("the shape is not written as a list")
    rewriter = Rewriter()
    for extent in sizes.items:
        form = affine(extent)
        if form is None or not form.is_constant:
            start, end = text.offset(stmt.at, extent.span.start), text.offset(stmt.at, extent.span.end)
            rewriter.replace(text.path, start, end, str(_Extents(context).value(extent)))
    repair = Steps(context)
    repair.rewrite(rewriter)
    repair.hoist(stmt.target.label)
    return repair.draft()


class _Extents:
    """Values that are the same at every call of the Graph."""

    def __init__(self, context: Context) -> None:
        self._plan = context.plan
        program = context.program
        assert program is not None
        self._sites = [site for site in program.plan.call_sites if site.graph == self._plan.key]
        self._region = Region(self._plan.function)

    def value(self, extent: Expr) -> int:
        """Raises `Refused` where calls differ, or one is not known."""
        values = {self._at(index, extent) for index in range(len(self._sites))}
        found = values.pop() if len(values) == 1 else None
        if found is None:
            raise Refused("the shape is not one constant at every call")
        return found

    def _at(self, index: int, extent: Expr) -> int | None:
        site = self._sites[index]
        caller = Region(site.caller)
        known: dict[str, Expr] = {}
        for param, argument in zip(self._plan.function.params, site.launch.args):
            value = number(argument, {}, caller)
            if value is not None:
                known[param.name] = Const(value)
        return number(Substitution(known).expr(self._folded(extent)), {}, self._region)

    def _folded(self, extent: Expr) -> Expr:
        """Extents of boundary tensors are what their types say."""
        if isinstance(extent, Op) and extent.name == "tensor.dim" and len(extent.args) == 2:
            tensor, axis = extent.args
            type_ = tensor.type if isinstance(tensor, Var) else None
            if isinstance(type_, TensorType) and type_.shape and isinstance(axis, Const):
                position = axis.value
                if isinstance(position, int) and -len(type_.shape) <= position < len(type_.shape):
                    return type_.shape[position]
        names = {v.name: d.value for v in variables(extent) if (d := self._region.definitions.get(v.name)) and d.value}
        return Substitution({n: self._folded(v) for n, v in names.items()}).expr(extent) if names else extent
