"""Hoist values of a Graph to its call sites: scalars, views and allocations (rules.md A3, B5, F3, C1-C5).

What the compiler would do silently is written into the source: the binding leaves the region, the Graph gets a
parameter, every caller computes the value from its own arguments. In the scope form the binding moves in front of the
``with``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pto_lsp.analysis.frontend.constants.comparison import same
from pto_lsp.analysis.frontend.constants.values import MISSING, UNKNOWN
from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan
from pto_lsp.analysis.graph_boundary.hoisting import Hoisted, HoistKind
from pto_lsp.analysis.ir.expressions import Const, Expr, Var
from pto_lsp.analysis.ir.printer import print_type
from pto_lsp.analysis.ir.program import Direction, FunctionKind
from pto_lsp.analysis.ir.types import ScalarType
from pto_lsp.analysis.ir.visitor import bound_variables, statement_exprs, variables, walk_block
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine
from pto_lsp.quickfix.binding import Binding, Said, binding_of
from pto_lsp.quickfix.call_text import CallText, call_text
from pto_lsp.quickfix.callers import Callers, TextualCall
from pto_lsp.quickfix.context import Closures
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.removal import remove_line
from pto_lsp.quickfix.rewriter import Refused, Rewriter
from pto_lsp.quickfix.signature_text import SignatureText

INLINE_LENGTH = 24
"""A scalar no longer than this that is used once is written as the argument itself."""


@dataclass(slots=True)
class _Moved:
    """One value on its way: its binding in the text and whether the region keeps using it."""

    hoisted: Hoisted
    binding: Binding
    parameter: bool
    uses: int = 0


@dataclass(slots=True)
class Hoist:
    """Moves ``targets`` (unique names) and what they are computed from out of one Graph."""

    plan: GraphPlan
    text: FunctionText
    callers: Callers
    closures: Closures
    rewriter: Rewriter = field(default_factory=Rewriter)
    complete: bool = True
    _before: dict[int, set[str]] = field(default_factory=dict)

    def names_before(self, call: TextualCall) -> set[str]:
        """Names bound in front of the statement that holds ``call``, for another call in it."""
        return self._before.setdefault(id(call.statement), set())

    def run(self, targets: frozenset[str]) -> None:
        """Fills ``rewriter``. ``complete`` becomes False when some caller was left alone. Raises `Refused`."""
        moved = self._moved(targets)
        if self.text.placed.found.declaration.kind is FunctionKind.GRAPH:
            self._decorated(moved)
        else:
            self._scoped(moved)

    def _moved(self, targets: frozenset[str]) -> list[_Moved]:
        by_name = {h.var.name: h for h in self.plan.hoisted}
        wanted: set[str] = set()
        queue = sorted(targets)
        while queue:
            name = queue.pop()
            if name in wanted:
                continue
            if name not in by_name:
                raise Refused(f"'{name}' is not hoisted")
            wanted.add(name)
            queue.extend(v.name for v in variables(by_name[name].value) if v.name in by_name)
        chosen = [h for h in self.plan.hoisted if h.var.name in wanted]
        labels = [h.name for h in chosen]
        if len(set(labels)) < len(labels):
            raise Refused("two values of one name would have to move")
        remaining = self._remaining_uses({id(h.statement) for h in chosen})
        moved: list[_Moved] = []
        for hoisted in chosen:
            if (
                hoisted.statement.at.inlined_at is not None
                or hoisted.statement.at.source is not self.text.placed.source
            ):
                raise Refused("the value is bound in a helper")
            self._check_label(hoisted, wanted)
            binding = binding_of(self.text, hoisted.statement, hoisted.value)
            if binding is None:
                raise Refused("the binding shares its line with something else")
            moved.append(_Moved(hoisted, binding, hoisted.var.name in remaining))
        if len({m.binding.line.start for m in moved}) < len(moved):
            raise Refused("the binding is one of several made by an unrolled loop")
        for each in moved:
            each.uses = each.parameter + sum(
                sum(v.name == each.hoisted.var.name for v in variables(other.hoisted.value)) for other in moved
            )
        return moved

    def _remaining_uses(self, gone: set[int]) -> set[str]:
        """Names that the region still reads when the statements ``gone`` have left; renames count as their readers."""
        found: set[str] = set()
        for stmt in walk_block(self.plan.function.body or ()):
            if id(stmt) not in gone:
                for expr in statement_exprs(stmt):
                    found.update(v.name for v in variables(expr))
        return found

    def _check_label(self, hoisted: Hoisted, wanted: set[str]) -> None:
        """A parameter must not be hidden by an earlier binding of its name that stays in the region."""
        if hoisted.var.name == hoisted.name:
            # The first binding of the name (architecture.md, "Names"): what rebinds it comes later and still does.
            return
        for stmt in walk_block(self.plan.function.body or ()):
            for var in bound_variables(stmt):
                if var.label == hoisted.name and var.name not in wanted:
                    raise Refused(f"'{hoisted.name}' is bound again in the region")
        if any(p.name == hoisted.name for p in self.plan.function.params):
            raise Refused(f"'{hoisted.name}' is a parameter already")

    # Decorator form

    def _decorated(self, moved: list[_Moved]) -> None:
        for each in moved:
            remove_line(self.rewriter, self.text, each.binding.line, [m.binding.line for m in moved])
        parameters = [m for m in moved if m.parameter]
        index = SignatureText(self.text).append(
            self.rewriter, [f"{m.hoisted.name}: {self._annotation(m)}" for m in parameters]
        )
        for call in self.callers.calls:
            self._extend_call(call, moved, parameters, index)
        self.complete = self.complete and self.callers.complete

    def _annotation(self, moved: _Moved) -> str:
        hoisted = moved.hoisted
        if hoisted.kind is HoistKind.SCALAR:
            dtype = (
                hoisted.var.type.dtype
                if isinstance(hoisted.var.type, ScalarType) and hoisted.var.type.dtype
                else "INDEX"
            )
            return f"pl.Scalar[pl.{dtype}]"
        written = moved.binding.tensor_annotation(self._name_of_constant)
        if written is None:
            written = print_type(hoisted.var.type)
            if "..." in written or written == "":
                raise Refused("the shape of the view is not known")
        return f"pl.InOut[{written}]" if hoisted.direction is Direction.INOUT else written

    def _name_of_constant(self, name: str) -> bool:
        """Whether ``name`` may be used in the signature: a module-level value."""
        return self.closures.graph(name) is not MISSING

    def _extend_call(self, call: TextualCall, moved: list[_Moved], parameters: list[_Moved], index: int) -> None:
        found = call_text(call, self.plan.function.params)
        if found is None:
            self.complete = False
            return
        inside = _Site(self, call, found, moved)
        values = inside.values()
        if values is None:
            self.complete = False
            return
        inside.write(values, parameters, index)

    # Scope form

    def _scoped(self, moved: list[_Moved]) -> None:
        around = self.text.path_to(moved[0].hoisted.statement.at)
        scope = next((line for line in reversed(around) if _opens_graph(line, self.plan.name)), None)
        if scope is None:
            raise Refused("the region's 'with' line was not found")
        lines: list[str] = []
        indent = self.text.indentation(scope)
        for each in moved:
            value = each.binding.rewritten(self._in_front)
            if value is None:
                raise Refused("the value uses a name that exists inside the region only")
            value = each.binding.indented(value, indent)
            lines.append(f"{indent}{each.hoisted.name} = {value}{each.binding.comment}{self.text.newline}")
            remove_line(self.rewriter, self.text, each.binding.line, [m.binding.line for m in moved])
        at = self.text.begin_of_line(self.text.chunk_start + scope.start)
        self.rewriter.insert(self.text.path, at, "".join(lines))

    def _in_front(self, written: str, meaning: Expr | None) -> Said | None:
        """Names in front of the region: parameters of the outlined Graph are the captured names themselves."""
        if isinstance(meaning, Var):
            return Said(meaning.label) if meaning.label else None
        return Said(written)


class _Site:
    """One call of the Graph that gets extended."""

    def __init__(self, hoist: Hoist, call: TextualCall, text: CallText, moved: list[_Moved]) -> None:
        self._hoist = hoist
        self._call = call
        self._text = text
        self._moved = moved
        self._names: dict[str, str] = {}
        self._inline: dict[str, str] = {}

    def values(self) -> list[tuple[_Moved, str]] | None:
        """The statements' right sides in this caller's terms, in definition order; None when one cannot be written."""
        found: list[tuple[_Moved, str]] = []
        for each in self._moved:
            value = each.binding.rewritten(self._meaning)
            if value is None:
                return None
            name = each.hoisted.var.name
            short = len(value) <= INLINE_LENGTH and "\n" not in value and not each.binding.comment
            if each.hoisted.kind is HoistKind.SCALAR and each.uses == 1 and short:
                self._inline[name] = value
                continue
            self._names[name] = self._local_name(each.hoisted.name)
            found.append((each, value))
        return found

    def _meaning(self, written: str, meaning: Expr | None) -> Said | None:
        """What a name of the region is called at this call; None when there is no word for it here."""
        if isinstance(meaning, Var):
            if meaning.name in self._names:
                return Said(self._names[meaning.name])
            if meaning.name in self._inline:
                return Said(self._inline[meaning.name], False)
            index = self._hoist.plan.function.param_index(meaning.name)
            return self._text.said(index) if index is not None else None
        value = self._hoist.closures.graph(written)
        if value is MISSING:
            return Said(str(meaning.value)) if isinstance(meaning, Const) else None
        if written in ("pl", "pld"):
            return Said(written)
        if written not in self._call.names and same(self._hoist.closures.caller(self._call.caller, written), value):
            return Said(written) if value is not UNKNOWN or self._same_module() else None
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return Said(str(value), value >= 0)
        return None

    def _same_module(self) -> bool:
        return self._call.caller.path == self._hoist.text.path

    def _local_name(self, wanted: str) -> str:
        taken = self._call.names | set(self._names.values()) | self._hoist.names_before(self._call)
        name, number = wanted, 1
        while name in taken or self._hoist.closures.caller(self._call.caller, name) is not MISSING:
            number += 1
            name = f"{wanted}_{number}"
        return name

    def write(self, values: list[tuple[_Moved, str]], parameters: list[_Moved], index: int) -> None:
        """Statements in front of the call, and the new arguments."""
        caller, rewriter = self._call.caller, self._hoist.rewriter
        if values:
            line = caller.line(self._call.statement.at)
            if line is None or line.kind is not LineKind.SIMPLE or ";" in line.text:
                self._hoist.complete = False
                raise Refused("a call shares its line with something else")
            indent = caller.indentation(line)
            lines = []
            for each, value in values:
                name = self._names[each.hoisted.var.name]
                self._hoist.names_before(self._call).add(name)
                value = each.binding.indented(value, indent)
                lines.append(f"{indent}{name} = {value}{each.binding.comment}{caller.newline}")
            rewriter.insert(caller.path, caller.begin_of_line(caller.chunk_start + line.start), "".join(lines))
        new = [self._names.get(m.hoisted.var.name) or self._inline[m.hoisted.var.name] for m in parameters]
        self._text.insert_arguments(rewriter, index, [m.hoisted.name for m in parameters], new)


def _opens_graph(line: LogicalLine, name: str) -> bool:
    return (
        line.text.startswith("with") and "graph" in line.text and (f'"{name}"' in line.text or f"'{name}'" in line.text)
    )
