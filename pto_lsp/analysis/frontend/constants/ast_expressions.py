"""Evaluation of ``ast`` expressions."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from pto_lsp.analysis.frontend.constants import dsl
from pto_lsp.analysis.frontend.constants.calls import Calls
from pto_lsp.analysis.frontend.constants.comparison import is_known
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.heap import interchangeable
from pto_lsp.analysis.frontend.constants.library import BUILTINS
from pto_lsp.analysis.frontend.constants.limits import Raised, check_nesting
from pto_lsp.analysis.frontend.constants.methods import MUTATORS
from pto_lsp.analysis.frontend.constants.operators import (
    binary,
    compare,
    plain,
    subscript,
    unary,
)
from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    SCALARS,
    UNKNOWN,
    BoundMethod,
    ClassRef,
    FunctionRef,
    Instance,
    Lazy,
    Library,
    PlAttribute,
    Value,
)
from pto_lsp.analysis.source.from_ast.operators import OPERATORS

Method = Callable[[Any, Any, Frame], Value]


class AstExpressions(Calls):
    """``evaluate(node, frame)`` dispatches on the node's type; nodes without a method are UNKNOWN."""

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        method = self.METHODS.get(type(node))
        value = UNKNOWN if method is None else method(self, node, frame)
        if value is UNKNOWN and self.tries:
            self.doubt()
        return value

    def evaluate_iterable(self, node: ast.expr, frame: Frame) -> Value:
        """As ``evaluate``; a generator expression, which is consumed at once, is evaluated to its items."""
        if type(node) is ast.GeneratorExp:
            return self.list_comprehension(node, frame)
        return self.evaluate(node, frame)

    def evaluate_in(self, node: ast.expr, frame: Frame) -> Value:
        return self.evaluate(node, frame)

    def lookup(self, name: str, frame: Frame) -> Value:
        """Value of a name, ``MISSING`` when nothing binds it."""
        current: Frame | None = frame
        value: Value = MISSING
        if name not in frame.foreign:
            while current is not None:
                value = current.names.get(name, MISSING)
                if value is not MISSING:
                    break
                current = current.parent
        if value is MISSING:
            value = self.read_global(frame.path, name)
            if value is MISSING:
                value = BUILTINS.get(name, MISSING)
                if value is MISSING:
                    return dsl.ROOTS.get(name, MISSING)
        if self.poisoned and id(value) in self.poisoned:
            return UNKNOWN
        return value

    def _constant(self, node: ast.Constant, frame: Frame) -> Value:
        return node.value

    def _name(self, node: ast.Name, frame: Frame) -> Value:
        value = self.lookup(node.id, frame)
        return self.unknown() if value is MISSING else value

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        return self.attribute(self.evaluate(node.value, frame), node.attr)

    def _binary(self, node: ast.BinOp, frame: Frame) -> Value:
        left = self.evaluate(node.left, frame)
        right = self.evaluate(node.right, frame)
        if left is UNKNOWN or right is UNKNOWN:
            return self.unknown()
        result = binary(OPERATORS[type(node.op)], left, right)
        return result if type(result) in SCALARS else self.own(result)

    def _unary(self, node: ast.UnaryOp, frame: Frame) -> Value:
        operand = self.evaluate(node.operand, frame)
        return UNKNOWN if operand is UNKNOWN else unary(OPERATORS[type(node.op)], operand)

    def _boolean(self, node: ast.BoolOp, frame: Frame) -> Value:
        decisive = isinstance(node.op, ast.Or)
        value: Value = UNKNOWN
        for index, each in enumerate(node.values):
            value = self.evaluate(each, frame)
            if index + 1 == len(node.values):
                break
            truth = self.truth(value)
            if truth is None:
                return self._undecided(value, node.values[index + 1 :], frame)
            if truth is decisive:
                break
        return value

    def _undecided(self, value: Value, others: list[ast.expr], frame: Frame) -> Value:
        """``value or other …`` (or ``and``) that may give any of its operands, some of them not even evaluated."""
        for other in others:
            self.skip([other], frame)
        return self.unknown(value)

    def condition(self, node: ast.expr, frame: Frame) -> bool | None:
        """Truth of an expression; unlike its value it may be known though an operand of ``and`` or ``or`` is not."""
        if isinstance(node, ast.BoolOp):
            decisive = isinstance(node.op, ast.Or)
            unknown = False
            for each in node.values:
                truth = self.condition(each, frame)
                if truth is decisive:
                    return decisive
                unknown = unknown or truth is None
            return None if unknown else not decisive
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            truth = self.condition(node.operand, frame)
            return None if truth is None else not truth
        return self.truth(self.evaluate(node, frame))

    def _compare(self, node: ast.Compare, frame: Frame) -> Value:
        left = self.evaluate(node.left, frame)
        result: Value = True
        for op, operand in zip(node.ops, node.comparators):
            right = self.evaluate(operand, frame)
            result = compare(OPERATORS[type(op)], left, right)
            if result is UNKNOWN:
                return self.unknown()
            if not result:
                return result
            left = right
        return result

    def _conditional(self, node: ast.IfExp, frame: Frame) -> Value:
        truth = self.condition(node.test, frame)
        if truth is None:
            floor = self.heap.floor
            self.heap.floor = self.heap.clock
            self.arms += 1
            try:
                then, orelse = self.evaluate(node.body, frame), self.evaluate(node.orelse, frame)
            finally:
                self.arms -= 1
                self.heap.floor = floor
            return then if interchangeable(then, orelse) else self.unknown(then, orelse)
        return self.evaluate(node.body if truth else node.orelse, frame)

    def _items(self, nodes: list[ast.expr], frame: Frame) -> list[Value]:
        found: list[Value] = []
        for node in nodes:
            if type(node) is ast.Starred:
                found.extend(self.iterate(self.evaluate_iterable(node.value, frame)))
            else:
                value = self.evaluate(node, frame)
                found.append(UNKNOWN if type(value) is Lazy else value)
        self.budget.charge(check_nesting(None, found) // 32)
        return found

    def _list(self, node: ast.List, frame: Frame) -> Value:
        return self.own(self._items(node.elts, frame))

    def _tuple(self, node: ast.Tuple, frame: Frame) -> Value:
        return tuple(self._items(node.elts, frame))

    def _set(self, node: ast.Set, frame: Frame) -> Value:
        return self.own(self._hashed(self._items(node.elts, frame)))

    def _hashed(self, found: list[Value]) -> Value:
        if not all(map(is_known, found)):
            return UNKNOWN
        try:
            return set(found)
        except TypeError:
            raise Raised("TypeError") from None

    def _dict(self, node: ast.Dict, frame: Frame) -> Value:
        result: dict[Value, Value] = {}
        known = True
        for key_node, value_node in zip(node.keys, node.values):
            value = self.evaluate(value_node, frame)
            if key_node is None:
                if not isinstance(value, dict):
                    known = False
                    continue
                result.update(value)
                continue
            known = self._store_item(result, self.evaluate(key_node, frame), value) and known
        self.budget.charge(check_nesting(None, list(result.values())) // 32)
        return self.own(result) if known else self.unknown()

    def _store_item(self, result: dict[Value, Value], key: Value, value: Value) -> bool:
        """False when the key is not known."""
        if not is_known(key):
            return False
        try:
            result[key] = value
        except TypeError:
            raise Raised("TypeError") from None
        return True

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        base = self.evaluate(node.value, frame)
        if base is UNKNOWN:
            return self.unknown()
        index = self.evaluate(node.slice, frame)
        return self.item(base, index)

    def item(self, base: Value, index: Value) -> Value:
        """``base[index]``."""
        if isinstance(base, PlAttribute):
            return dsl.subscript(base, index)
        if isinstance(base, Library):
            return self._library_item(base, index)
        if isinstance(base, ClassRef) and base.body is not None and base.body.kind == "enum":
            return base.body.attributes.get(index, UNKNOWN) if type(index) is str else UNKNOWN
        value = subscript(base, index)
        if value is UNKNOWN or (self.poisoned and id(value) in self.poisoned):
            return self.unknown(base)
        return self.own(value) if type(index) is slice else value

    def _library_item(self, base: Library, index: Value) -> Value:
        if base.dotted != "os.environ" or type(index) is not str:
            return base if base.dotted.partition(".")[0] in ("typing", "list", "dict", "tuple", "set") else UNKNOWN
        value = self.call(Library("os.environ.get"), [index, MISSING], {})
        return self.unknown() if value is MISSING else value

    def _slice(self, node: ast.Slice, frame: Frame) -> Value:
        lower = None if node.lower is None else plain(self.evaluate(node.lower, frame))
        upper = None if node.upper is None else plain(self.evaluate(node.upper, frame))
        step = None if node.step is None else plain(self.evaluate(node.step, frame))
        return UNKNOWN if UNKNOWN in (lower, upper, step) else slice(lower, upper, step)

    def _call(self, node: ast.Call, frame: Frame) -> Value:
        function = node.func
        if type(function) is ast.Name and function.id == "super" and not node.args:
            return self._super(frame)
        target = self.evaluate(function, frame)
        args: list[Value] = []
        for argument in node.args:
            if type(argument) is ast.Starred:
                args.extend(self.iterate(self.evaluate_iterable(argument.value, frame)))
            else:
                args.append(self.evaluate_iterable(argument, frame))
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, frame)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict) and all(type(key) is str for key in value):
                keywords.update(value)
            else:
                return self.call_unknown([target, value, *args], keywords)
        if target is UNKNOWN and type(function) is ast.Attribute and function.attr in MUTATORS:
            self.heap.expose()
        return self.call(target, args, keywords)

    def _super(self, frame: Frame) -> Value:
        """The receiver, with lookups beginning behind the class of the running method; single inheritance only."""
        current: Frame | None = frame
        while current is not None and current.function is None:
            current = current.parent
        if current is None:
            return UNKNOWN
        receiver = next(iter(current.names.values()), UNKNOWN)
        cls = receiver.cls if isinstance(receiver, Instance) else None
        while isinstance(receiver, Instance) and cls is not None and cls.body is not None:
            bases = cls.body.bases
            if len(bases) > 1:
                return UNKNOWN
            if current.function in cls.body.attributes.values():
                return SuperRef(receiver, bases[0] if bases else None)
            cls = bases[0] if bases else None
        return UNKNOWN

    def attribute(self, base: Value, name: str) -> Value:
        if isinstance(base, SuperRef):
            return self._super_attribute(base, name)
        return super().attribute(base, name)

    def _super_attribute(self, base: SuperRef, name: str) -> Value:
        value = MISSING if base.cls is None else self.find(base.cls, name)
        if isinstance(value, FunctionRef):
            return BoundMethod(base.receiver, name, value)
        if value is MISSING and name in ("__init__", "__post_init__", "__init_subclass__"):
            return Library("print")
        return UNKNOWN

    @abstractmethod
    def list_comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Value:
        """The items of a comprehension as a list."""

    @abstractmethod
    def skip(self, body: Sequence[ast.AST], frame: Frame) -> None:
        """Take code for executed or not."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Bind a target: a name, a pattern of names, an attribute or an item."""

    METHODS: ClassVar[dict[type, Method]] = {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.BoolOp: _boolean,
        ast.Compare: _compare,
        ast.IfExp: _conditional,
        ast.List: _list,
        ast.Tuple: _tuple,
        ast.Set: _set,
        ast.Dict: _dict,
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.Call: _call,
    }


class SuperRef:
    """What ``super()`` gives: lookups start at ``cls``, calls go to ``receiver``."""

    __slots__ = ("cls", "receiver")

    def __init__(self, receiver: Instance, cls: ClassRef | None) -> None:
        self.receiver = receiver
        self.cls = cls


def closure(frame: Frame) -> Frame | None:
    """The frame in which a function made in ``frame`` looks for free names: class bodies are not searched."""
    current: Frame | None = frame
    while current is not None and current.kind == "class":
        current = current.parent
    return None if current is None or current.kind == "module" else current
