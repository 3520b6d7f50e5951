"""Binding of names and changes of objects, also those of statements that may or may not be executed."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pto_lsp.analysis.frontend.constants.ast_comprehensions import AstComprehensions
from pto_lsp.analysis.frontend.constants.comparison import is_known
from pto_lsp.analysis.frontend.constants.effects import Effects
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.library import FUNCTIONS
from pto_lsp.analysis.frontend.constants.library_objects import TYPES
from pto_lsp.analysis.frontend.constants.limits import Raised, Unknowable, check_length, check_nesting
from pto_lsp.analysis.frontend.constants.operators import binary
from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    UNKNOWN,
    BoundMethod,
    ClassRef,
    FunctionRef,
    Instance,
    Lazy,
    Library,
    ModuleRef,
    Value,
)
from pto_lsp.analysis.source.from_ast.operators import OPERATORS


class AstAssignments(AstComprehensions):
    def bind(self, name: str, value: Value, frame: Frame) -> None:
        """Bind a name as an assignment in ``frame`` does."""
        if name in frame.foreign:
            # Which value a name has that functions rebind depends on who calls them when.
            self.heap.hide(value)
            self.world.write(frame.path, name, UNKNOWN)
        else:
            frame.names[name] = UNKNOWN if type(value) is Lazy else value

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Bind a target: a name, a pattern of names, an attribute or an item."""
        kind = type(target)
        if kind is ast.Name:
            self.bind(target.id, value, frame)  # type: ignore[attr-defined]
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value, frame)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value, frame)
        elif isinstance(target, ast.Attribute):
            self.store_attribute(self.evaluate(target.value, frame), target.attr, value)
        elif isinstance(target, ast.Subscript):
            self.store_item(self.evaluate(target.value, frame), self.evaluate(target.slice, frame), value)

    def _unpack(self, targets: list[ast.expr], value: Value, frame: Frame) -> None:
        try:
            parts = list(self.iterate(value))
        except Unknowable:
            self.unknown(value)
            for target in targets:
                self.assign(target, UNKNOWN, frame)
            return
        star = next((i for i, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
        if star is None:
            if len(parts) != len(targets):
                raise Raised("ValueError")
        else:
            after = len(targets) - star - 1
            if len(parts) < len(targets) - 1:
                raise Raised("ValueError")
            middle = parts[star : len(parts) - after]
            parts = [*parts[:star], self.own(middle), *parts[len(parts) - after :]]
        for target, part in zip(targets, parts):
            self.assign(target, part, frame)

    def store_attribute(self, base: Value, name: str, value: Value) -> None:
        """``base.name = value``."""
        if type(value) is Lazy:
            value = UNKNOWN
        if isinstance(base, ModuleRef):
            self.world.write(base.path, name, value if self.certain else UNKNOWN)
        elif isinstance(base, Instance):
            if self.may_change(base):
                self._store(base, base.fields, name, value)
        elif isinstance(base, ClassRef) and base.body is not None:
            if self.may_change(base):
                self._store(base, base.body.attributes, name, value)
        elif base is UNKNOWN:
            self.unknown()
            self.heap.expose()
            for path in self.heap.hidden_modules:
                self.world.write(path, name, UNKNOWN)

    def _store(self, base: Value, attributes: dict[str, Value], name: str, value: Value) -> None:
        try:
            check_nesting(base, [value])
        except Unknowable:
            self.heap.poison(base)
            return
        attributes[name] = value

    def store_item(self, base: Value, index: Value, value: Value) -> None:
        """``base[index] = value``."""
        if type(value) is Lazy:
            value = UNKNOWN
        if isinstance(base, Library) and base.dotted == "os.environ":
            self.set_variable(index, value)
        elif isinstance(base, (dict, list)):
            if self.may_change(base):
                self._store_item_of(base, index, value)
        elif base is UNKNOWN:
            self.unknown()
            self.heap.expose()
        else:
            self.delete_item(base, index)

    def _store_item_of(self, base: dict[Value, Value] | list[Value], index: Value, value: Value) -> None:
        if not is_known(index):
            self.unknown()
            self.heap.poison(base)
            return
        try:
            if type(index) is slice:
                value = list(self.iterate(value))
                check_length(len(base) + len(value))
            check_length(len(base) + 1)
            check_nesting(base, [value])
            base[index] = value  # type: ignore[call-overload]
        except Unknowable:
            self.unknown()
            self.heap.poison(base)
        except Raised:
            raise
        except Exception as error:
            raise Raised(type(error).__name__) from None

    def delete_item(self, base: Value, index: Value) -> None:
        """``del base[index]``."""
        if isinstance(base, (dict, list)):
            if not self.may_change(base):
                self.unknown()
            elif not is_known(index):
                self.unknown()
                self.heap.poison(base)
            else:
                try:
                    del base[index]  # type: ignore[arg-type]
                except Exception as error:
                    raise Raised(type(error).__name__) from None
        elif base is UNKNOWN or isinstance(base, Instance):
            self.unknown()
            self.heap.expose()
        else:
            raise Raised("TypeError")

    def augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        """``target op= value``."""
        target = node.target
        if isinstance(target, ast.Name):
            found = self.lookup(target.id, frame)
            left = self.unknown() if found is MISSING else found
            self.bind(target.id, self._combine(node.op, left, self.evaluate(node.value, frame)), frame)
        elif isinstance(target, ast.Attribute):
            base = self.evaluate(target.value, frame)
            left = self.attribute(base, target.attr)
            self.store_attribute(base, target.attr, self._combine(node.op, left, self.evaluate(node.value, frame)))
        else:
            base, index = self.evaluate(target.value, frame), self.evaluate(target.slice, frame)
            left = self.item(base, index)
            self.store_item(base, index, self._combine(node.op, left, self.evaluate(node.value, frame)))

    def _combine(self, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(left, (list, set, dict)):
            method = {ast.Add: "extend", ast.BitOr: "update"}.get(type(op))
            if type(left) is not list and method == "extend":
                raise Raised("TypeError")
            if method is None or (type(left) is list and method == "update"):
                self.heap.poison(left)
                return self.unknown()
            self._call_method(left, method, [right], {})
            return left
        if left is UNKNOWN:
            self.heap.expose()
        return (
            self.unknown()
            if left is UNKNOWN or right is UNKNOWN
            else self.own(binary(OPERATORS[type(op)], left, right))
        )

    # Statements that may or may not be executed

    def skip(self, body: Sequence[ast.AST], frame: Frame) -> None:
        """Take the statements for executed or not: what they may bind or change is unknown."""
        self.unknown()
        self.budget.charge(100)
        effects = Effects(body)
        self.poison_effects(effects, frame, set())
        for name in effects.bound:
            self.bind(name, UNKNOWN, frame)

    def poison_effects(self, effects: Effects, frame: Frame, seen: set[int]) -> None:
        """Poison what statements with these effects may change, seen from ``frame``."""
        for name in effects.loaded:
            self.heap.hide(self.lookup(name, frame))
        for name in effects.loaded if effects.obscure else effects.changed:
            value = self.lookup(name, frame)
            self.heap.poison_all(value)
            if value is UNKNOWN:
                self.heap.expose()
        for name, attribute in effects.attributes:
            module = self.lookup(name, frame)
            if isinstance(module, ModuleRef):
                self.world.write(module.path, attribute, UNKNOWN)
        for function, arguments in effects.calls:
            self._poison_call(function, [self.lookup(name, frame) for name in arguments], frame, seen)

    def _poison_call(self, node: ast.expr, arguments: list[Value], frame: Frame, seen: set[int]) -> None:
        """Poison what a call that may be made can change."""
        try:
            called = self.evaluate(node, frame) if is_dotted(node) else UNKNOWN
        except (Raised, Unknowable):
            called = UNKNOWN
        if isinstance(called, Library) and (called.dotted in FUNCTIONS or called.dotted in TYPES):
            return
        if isinstance(called, BoundMethod) and called.function is None:
            return
        for argument in arguments:
            self.heap.poison_all(argument)
            if argument is UNKNOWN:
                self.heap.expose()
        if isinstance(called, ClassRef):
            called = self.find(called, "__init__")
        elif isinstance(called, BoundMethod):
            self.heap.poison_all(called.receiver)
            called = called.function
        if isinstance(called, FunctionRef) and called.code is not None and not called.dsl:
            body = called.code.node()
            if body is not None and id(body) not in seen:
                seen.add(id(body))
                inner = Frame(called.path, "function", {}, called.scope)
                statements = body.body if isinstance(body.body, list) else [body.body]
                self.poison_effects(Effects(statements), inner, seen)


def is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
