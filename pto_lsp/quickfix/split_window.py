"""PTO202: a window that mixes what varies per call with what varies inside the region becomes two views (rules.md B8).

The outer view, taken at the call site, spans everything that the region looks at in one call; the inner one stays.
"""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan
from pto_lsp.analysis.graph_boundary.region import Region, Role
from pto_lsp.analysis.graph_boundary.static_calls import loop_trips
from pto_lsp.analysis.ir.affine import Affine, affine
from pto_lsp.analysis.ir.expressions import Binary, Const, Expr, ListExpr, Op, Var
from pto_lsp.analysis.ir.statements import Assign, Stmt
from pto_lsp.analysis.ir.substitution import Substitution
from pto_lsp.analysis.ir.types import is_scalar
from pto_lsp.analysis.ir.visitor import variables, walk_block
from pto_lsp.analysis.source.logical_lines import LineKind
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.mentions import fresh, mentions, names_of
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.removal import remove_line
from pto_lsp.quickfix.rewriter import Refused, Rewriter
from pto_lsp.quickfix.steps import Steps


@dataclass(frozen=True, slots=True)
class _Split:
    """One dimension: texts of the outer offset and extent, and of the inner offset."""

    offset: str
    extent: str
    inner: str


def build(context: Context) -> Draft:
    plan, text = context.plan, context.text
    stmt = _statement(plan, context.data("variable"))
    op, line = stmt.value, text.line(stmt.at)
    if line is None or line.kind is not LineKind.SIMPLE or ";" in line.text or stmt.at.source is not text.placed.source:
        raise Refused("the view shares its line with something else")
    if not isinstance(op, Op) or op.name != "tensor.slice" or op.keywords or len(op.args) != 3:
        raise Refused("the view is not a plain slice")
    source, sizes, offsets = op.args
    if not isinstance(source, Var) or not isinstance(sizes, ListExpr) or not isinstance(offsets, ListExpr):
        raise Refused("the window is not written as lists")
    if not source.label or len(sizes.items) != len(offsets.items):
        raise Refused("the window is not written as lists")
    splitter = _Splitter(plan, text, stmt)
    splits = [splitter.split(offset, size) for offset, size in zip(offsets.items, sizes.items)]
    extents = ", ".join(str(_constant(size)) for size in sizes.items)
    name = fresh(f"{source.label}_window", names_of(text))
    outer = (
        f"pl.slice({source.label}, [{', '.join(s.extent for s in splits)}], [{', '.join(s.offset for s in splits)}])"
    )
    inner = f"pl.slice({name}, [{extents}], [{', '.join(s.inner for s in splits)}])"
    rewriter = Rewriter()
    begin = text.begin_of_line(text.chunk_start + line.start)
    rewriter.insert(text.path, begin, f"{text.indentation(line)}{name} = {outer}{text.newline}")
    rewriter.replace(text.path, text.offset(stmt.at, op.span.start), text.offset(stmt.at, op.span.end), inner)
    splitter.drop_unused(rewriter)
    repair = Steps(context)
    repair.rewrite(rewriter)
    repair.hoist(name)
    # Passed beside its window, the whole tensor would be what a recording takes views of the window for.
    repair.drop_unused(source.label)
    return repair.draft()


def _statement(plan: GraphPlan, name: str) -> Assign:
    for stmt in walk_block(plan.function.body or ()):
        if isinstance(stmt, Assign) and stmt.target.name == name:
            return stmt
    raise Refused("the view is gone")


def _constant(expr: Expr) -> int:
    form = affine(expr)
    if form is None or not form.is_constant:
        raise Refused("an extent of the view is not constant")
    return form.const


class _Splitter:
    """Tells what a caller can compute from what varies inside the region, for the view bound by ``stmt``."""

    def __init__(self, plan: GraphPlan, text: FunctionText, stmt: Assign) -> None:
        self._text = text
        self._stmt = stmt
        self._region = region = Region(plan.function)
        entry = next(e for e in region.entries if e.stmt is stmt)
        trips = loop_trips(entry, region)
        if trips is None:
            raise Refused("a loop around the view has no constant bounds")
        self._trips = dict(trips)
        self._caller = {p.name: p.name for p in plan.function.params if is_scalar(p.type)}
        self._caller |= {h.var.name: h.var.label for h in plan.hoisted if h.var.label}
        self._caller |= {r.var.name: r.var.label for r in plan.renames if r.var.label}
        self._looked_through: set[str] = set()

    def split(self, offset: Expr, size: Expr) -> _Split:
        offset = self._expanded(offset)
        form = affine(offset)
        if form is None or not all(a in self._caller or a in self._trips for a in form.atoms):
            raise Refused("the window is not a sum of what the caller knows and of loop indices")
        low, high = self._span(form)
        outer = Affine(form.const + low, tuple([t for t in form.terms if t[0] in self._caller]))
        inner = Affine(-low, tuple([t for t in form.terms if t[0] in self._trips]))
        parts = self._parts(offset) if low == 0 and form.const == 0 else None
        texts = parts or (self._written(outer), self._written(inner))
        return _Split(texts[0], str(high - low + _constant(size)), texts[1])

    def _expanded(self, expr: Expr) -> Expr:
        """``expr`` with names that mix both kinds replaced by what they are bound to."""
        for _ in range(64):
            mapping: dict[str, Expr] = {}
            for var in variables(expr):
                definition = self._region.definitions.get(var.name)
                if var.name in self._caller or var.name in self._trips or definition is None:
                    continue
                if definition.role is Role.ASSIGNED and definition.value is not None:
                    mapping[var.name] = definition.value
                    self._looked_through.add(var.name)
            if not mapping:
                return expr
            expr = Substitution(mapping).expr(expr)
        raise Refused("the window is too involved")

    def _span(self, form: Affine) -> tuple[int, int]:
        """Least and greatest value of the part that loop indices make up."""
        low = high = 0
        for atom, factor in form.terms:
            trips = self._trips.get(atom)
            if trips is not None:
                if not trips:
                    raise Refused("a loop around the view makes no trip")
                ends = (trips[0] * factor, trips[-1] * factor)
                low, high = low + min(ends), high + max(ends)
        return low, high

    def _parts(self, offset: Expr) -> tuple[str, str] | None:
        """The two offsets in the author's words, where the sum is written with each term on one side."""
        if self._looked_through:
            return None
        outer: list[str] = []
        inner: list[str] = []
        for term in _terms(offset):
            names = {var.name for var in variables(term)}
            text = self._text.slice(self._stmt.at, term.span)
            if not text or (names & self._caller.keys() and names & self._trips.keys()):
                return None
            (inner if names & self._trips.keys() else outer).append(text)
        return " + ".join(outer) or "0", " + ".join(inner) or "0"

    def _written(self, form: Affine) -> str:
        terms: list[str] = []
        for atom, factor in form.terms:
            name = self._caller.get(atom) or self._region.label_of(atom)
            terms.append(name if factor == 1 else f"{name} * {factor}")
        if form.const or not terms:
            terms.append(str(form.const))
        return " + ".join(terms).replace("+ -", "- ")

    def drop_unused(self, rewriter: Rewriter) -> None:
        """Delete the bindings of names that only this window used."""
        line = self._text.line(self._stmt.at)
        assert line is not None
        here = range(self._text.chunk_start + line.start, self._text.chunk_start + line.end)
        bindings = {d.var.label: d.stmt for n in self._looked_through for d in [self._region.definitions[n]]}
        gone: dict[str, Stmt] = {}
        for label, stmt in bindings.items():
            uses = [m for m in mentions(self._text) if m.name == label and not m.binds and m.span.start not in here]
            if label and not uses and sum(m.binds for m in mentions(self._text) if m.name == label) == 1:
                gone[label] = stmt
        lines = [found for stmt in gone.values() if (found := self._text.line(stmt.at)) is not None]
        for each in lines:
            if each.kind is LineKind.SIMPLE and ";" not in each.text:
                remove_line(rewriter, self._text, each, lines)


def _terms(expr: Expr) -> list[Expr]:
    """What is added up, in order; a constant zero is nothing."""
    if isinstance(expr, Binary) and expr.op == "+":
        return _terms(expr.left) + _terms(expr.right)
    return [] if isinstance(expr, Const) and expr.value == 0 else [expr]
