"""Evaluation of ``ast`` expressions."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from pto_lsp.analysis.frontend.constants import dsl
from pto_lsp.analysis.frontend.constants.calls import Calls
from pto_lsp.analysis.frontend.constants.code import FunctionCode
from pto_lsp.analysis.frontend.constants.comparison import is_known
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.heap import interchangeable
from pto_lsp.analysis.frontend.constants.library import BUILTINS, writable
from pto_lsp.analysis.frontend.constants.limits import MAX_TEXT, Raised, Unknowable, check_nesting
from pto_lsp.analysis.frontend.constants.methods import MUTATORS
from pto_lsp.analysis.frontend.constants.operators import (
    binary,
    check_format,
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
    EnumMember,
    FunctionRef,
    Instance,
    Lazy,
    Library,
    PlAttribute,
    Value,
)

OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.MatMult: "@",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


class AstExpressions(Calls):
    """``evaluate(node, frame)`` dispatches on the node's type; nodes without a method are UNKNOWN."""

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        method = _METHODS.get(type(node))
        value = UNKNOWN if method is None else method(self, node, frame)
        if value is UNKNOWN and self.tries:
            self.doubt()
        return value

    def evaluate_iterable(self, node: ast.expr, frame: Frame) -> Value:
        """As ``evaluate``; a generator expression, which is consumed at once, is evaluated to its items."""
        if type(node) is ast.GeneratorExp:
            return self._list_comprehension(node, frame)
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
        check_nesting(None, found)
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
        check_nesting(None, list(result.values()))
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

    def _lambda(self, node: ast.Lambda, frame: Frame) -> Value:
        return FunctionRef(
            frame.path,
            f"{frame.prefix}<lambda>",
            code=self.code_of(node),
            scope=closure(frame),
            defaults=self.defaults(node.args, frame),
        )

    def code_of(self, node: ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef) -> FunctionCode:
        """One code object per node, so that references made by two evaluations of one text are the same."""
        code: FunctionCode | None = getattr(node, "pto_code", None)
        if code is None:
            code = FunctionCode("", node)
            node.pto_code = code  # type: ignore[union-attr]
        return code

    def defaults(self, parameters: ast.arguments, frame: Frame) -> dict[str, Value]:
        """Values of the parameters' defaults at the ``def``."""
        found: dict[str, Value] = {}
        positional = [*parameters.posonlyargs, *parameters.args]
        if parameters.defaults:
            for parameter, default in zip(positional[-len(parameters.defaults) :], parameters.defaults):
                found[parameter.arg] = self.evaluate(default, frame)
        for parameter, optional in zip(parameters.kwonlyargs, parameters.kw_defaults):
            if optional is not None:
                found[parameter.arg] = self.evaluate(optional, frame)
        return found

    def _walrus(self, node: ast.NamedExpr, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        self.assign(node.target, value, frame.target)
        return value

    def _format(self, node: ast.JoinedStr, frame: Frame) -> Value:
        parts: list[str] = []
        size = 0
        for each in node.values:
            value = each.value if isinstance(each, ast.Constant) else self._formatted(each, frame)
            if type(value) is not str:
                return UNKNOWN
            size += len(value)
            if size > MAX_TEXT:
                raise Unknowable
            parts.append(value)
        return "".join(parts)

    def _formatted(self, node: ast.expr, frame: Frame) -> Value:
        if not isinstance(node, ast.FormattedValue):
            return UNKNOWN
        value = self.evaluate(node.value, frame)
        if isinstance(value, EnumMember) or not writable(value):
            return UNKNOWN
        spec = "" if node.format_spec is None else self.evaluate(node.format_spec, frame)
        if type(spec) is not str:
            return UNKNOWN
        check_format(spec)
        try:
            if node.conversion == ord("r"):
                value = repr(value)
            elif node.conversion == ord("s"):
                value = str(value)
            elif node.conversion == ord("a"):
                value = ascii(value)
            return format(value, spec)
        except Exception as error:
            raise Raised(type(error).__name__) from None

    # Comprehensions

    def _list_comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Value:
        found: list[Value] = []
        self._loop(node.generators, frame, lambda inner: found.append(self.evaluate(node.elt, inner)))
        check_nesting(None, found)
        return self.own(found)

    def _set_comprehension(self, node: ast.SetComp, frame: Frame) -> Value:
        found: list[Value] = []
        self._loop(node.generators, frame, lambda inner: found.append(self.evaluate(node.elt, inner)))
        return self.own(self._hashed(found))

    def _dict_comprehension(self, node: ast.DictComp, frame: Frame) -> Value:
        result: dict[Value, Value] = {}

        def add(inner: Frame) -> None:
            if not self._store_item(result, self.evaluate(node.key, inner), self.evaluate(node.value, inner)):
                raise Unknowable

        self._loop(node.generators, frame, add)
        check_nesting(None, list(result.values()))
        return self.own(result)

    def _loop(self, generators: list[ast.comprehension], frame: Frame, visit: Callable[[Frame], None]) -> None:
        """Call ``visit`` for every combination that passes the conditions; ``Unknowable`` when those are not known."""
        source = self.iterate(self.evaluate_iterable(generators[0].iter, frame))
        inner = Frame(frame.path, "comprehension", {}, closure(frame), frame.prefix)
        inner.foreign = frame.foreign
        inner.target = frame.target
        self._generate(generators, 0, source, inner, visit)

    def _generate(
        self,
        generators: list[ast.comprehension],
        index: int,
        source: list[Value] | tuple[Value, ...],
        frame: Frame,
        visit: Callable[[Frame], None],
    ) -> None:
        generator = generators[index]
        if generator.is_async:
            raise Unknowable
        for value in source:
            self.budget.spend()
            self.assign(generator.target, value, frame)
            for condition in generator.ifs:
                truth = self.condition(condition, frame)
                if truth is None:
                    raise Unknowable
                if not truth:
                    break
            else:
                if index + 1 < len(generators):
                    following = self.iterate(self.evaluate_iterable(generators[index + 1].iter, frame))
                    self._generate(generators, index + 1, following, frame, visit)
                else:
                    visit(frame)

    @abstractmethod
    def skip(self, body: Sequence[ast.AST], frame: Frame) -> None:
        """Take code for executed or not."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Bind a target: a name, a pattern of names, an attribute or an item."""


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


_METHODS: dict[type, Callable[[Any, Any, Frame], Value]] = {
    ast.Constant: AstExpressions._constant,
    ast.Name: AstExpressions._name,
    ast.Attribute: AstExpressions._attribute,
    ast.BinOp: AstExpressions._binary,
    ast.UnaryOp: AstExpressions._unary,
    ast.BoolOp: AstExpressions._boolean,
    ast.Compare: AstExpressions._compare,
    ast.IfExp: AstExpressions._conditional,
    ast.List: AstExpressions._list,
    ast.Tuple: AstExpressions._tuple,
    ast.Set: AstExpressions._set,
    ast.Dict: AstExpressions._dict,
    ast.Subscript: AstExpressions._subscript,
    ast.Slice: AstExpressions._slice,
    ast.Call: AstExpressions._call,
    ast.Lambda: AstExpressions._lambda,
    ast.NamedExpr: AstExpressions._walrus,
    ast.JoinedStr: AstExpressions._format,
    ast.ListComp: AstExpressions._list_comprehension,
    ast.SetComp: AstExpressions._set_comprehension,
    ast.DictComp: AstExpressions._dict_comprehension,
}
