"""Attributes, calls and instances: what does not depend on how expressions are represented."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import Any, Protocol

from pto_lsp.analysis.frontend.constants import dsl, records
from pto_lsp.analysis.frontend.constants.code import FunctionNode
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.library import CONSTANTS, ENVIRONMENT, FUNCTIONS
from pto_lsp.analysis.frontend.constants.limits import CALL_STEPS, MAX_CALLS, MODULE_STEPS, Raised, Unknowable
from pto_lsp.analysis.frontend.constants.machine import Machine
from pto_lsp.analysis.frontend.constants.methods import CHANGING, call_method, change, has_method
from pto_lsp.analysis.frontend.constants.operators import lineage
from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    OPEN,
    PLAIN,
    UNKNOWN,
    BoundMethod,
    ClassBody,
    ClassRef,
    Descriptor,
    DynamicSymbol,
    EnumMember,
    FunctionRef,
    Instance,
    Lazy,
    Library,
    ModuleRef,
    PlAttribute,
    Value,
)
from pto_lsp.analysis.ir.place import LOCALS


class World(Protocol):
    """The modules around an evaluation."""

    def read(self, path: str, name: str) -> Value:
        """A module's name as of now; ``MISSING`` when it surely has none."""

    def write(self, path: str, name: str, value: Value) -> None:
        """``module.name = value`` from outside of the module."""

    def is_open(self, path: str) -> bool:
        """Whether the module may have more names than are known now."""

    def poison(self, value: Value, own: bool) -> None:
        """Every name that leads to ``value`` is unknown from now on; ``own`` tells who made it."""

    def import_module(self, importing: str, dotted: str, level: int, certain: bool) -> Value:
        """Load a module: ModuleRef, Library, PlAttribute, or UNKNOWN when it is not found.

        ``certain`` tells whether the import is sure to be executed.
        """

    def public(self, path: str) -> dict[str, Value]:
        """What ``from module import *`` binds, ``OPEN`` included where names may be missing."""

    def script(self) -> str:
        """``sys.argv[0]``."""


class Calls(Machine):
    def __init__(self, world: World, steps: int = MODULE_STEPS) -> None:
        super().__init__(world.poison, steps)
        self.world = world

    @abstractmethod
    def run_body(self, node: FunctionNode, frame: Frame) -> Value:
        """Execute a function whose parameters are bound; UNKNOWN when it cannot be followed to its end."""

    @abstractmethod
    def evaluate_in(self, node: ast.expr, frame: Frame) -> Value:
        """Value of an expression of the frame."""

    def read_global(self, path: str, name: str) -> Value:
        return self.world.read(path, name)

    # Attributes

    def attribute(self, base: Value, name: str) -> Value:
        if self.poisoned and id(base) in self.poisoned:
            return self.unknown()
        if base is UNKNOWN:
            return self.unknown()
        if isinstance(base, Instance):
            value = self._instance_attribute(base, name)
        elif isinstance(base, ModuleRef):
            value = self.read_global(base.path, name)
            if value is MISSING:
                if self.world.is_open(base.path):
                    return self.unknown()
                raise Raised("AttributeError")
        elif isinstance(base, PlAttribute):
            return dsl.attribute(base, name)
        elif isinstance(base, Library):
            return self._library_attribute(base, name)
        elif isinstance(base, ClassRef):
            value = self._class_attribute(base, name)
        elif isinstance(base, EnumMember):
            value = self._member_attribute(base, name)
        elif isinstance(base, FunctionRef):
            return base.name if name == "__name__" else base.qualname if name == "__qualname__" else UNKNOWN
        elif isinstance(base, DynamicSymbol):
            return base.name if name == "name" else UNKNOWN
        elif type(base) in PLAIN:
            if has_method(base, name):
                return BoundMethod(base, name)
            if type(base) in (int, float, bool) and name in ("real", "imag", "numerator", "denominator"):
                return getattr(base, name, UNKNOWN)
            if type(base) in (range, slice) and name in ("start", "stop", "step"):
                return getattr(base, name)
            if hasattr(base, name):
                return UNKNOWN
            raise Raised("AttributeError")
        else:
            return self.unknown()
        if self.poisoned and id(value) in self.poisoned:
            return self.unknown()
        return value

    def _library_attribute(self, base: Library, name: str) -> Value:
        dotted = f"{base.dotted}.{name}" if base.dotted != "builtins" else name
        if dotted in CONSTANTS:
            return CONSTANTS[dotted]
        if dotted == "sys.argv":
            return [self.world.script()]
        return Library(dotted)

    def _instance_attribute(self, base: Instance, name: str) -> Value:
        if name in base.fields:
            return base.fields[name]
        if name == "__class__":
            return base.cls
        if self.poisoned and id(base.cls) in self.poisoned:
            return self.unknown()
        value = self.find(base.cls, name)
        if value is MISSING:
            if name == "__dict__":
                return dict(base.fields)
            if base.cls.body is None or (name.startswith("_") and base.cls.body.kind != "plain"):
                return UNKNOWN
            raise Raised("AttributeError")
        if isinstance(value, FunctionRef):
            return BoundMethod(base, name, value)
        if isinstance(value, Descriptor):
            if value.kind == "property":
                return self.run_function(value.function, [base], {})
            return value.function if value.kind == "static" else BoundMethod(base.cls, name, value.function)
        return value

    def _class_attribute(self, base: ClassRef, name: str) -> Value:
        if name == "__name__":
            return base.name
        value = self.find(base, name)
        if isinstance(value, Descriptor):
            if value.kind == "static":
                return value.function
            return BoundMethod(base, name, value.function) if value.kind == "class" else UNKNOWN
        if value is MISSING:
            body = base.body
            if body is not None and body.kind == "plain" and not body.open and not name.startswith("__"):
                raise Raised("AttributeError")
            if body is not None and body.kind == "enum" and name == "__members__":
                return {v.name: v for v in body.attributes.values() if isinstance(v, EnumMember)}
            return self.unknown()
        return value

    def _member_attribute(self, base: EnumMember, name: str) -> Value:
        if name == "value" or name == "_value_":
            return base.value
        if name == "name" or name == "_name_":
            return base.name
        value = self.find(base.cls, name)
        if isinstance(value, FunctionRef):
            return BoundMethod(base, name, value)
        if isinstance(value, Descriptor) and value.kind == "property":
            return self.run_function(value.function, [base], {})
        return UNKNOWN if value is MISSING or isinstance(value, Descriptor) else value

    def find(self, cls: ClassRef, name: str) -> Value:
        """A class attribute, own or inherited; ``MISSING`` without one."""
        for body in lineage(cls):
            if name in body.attributes:
                return body.attributes[name]
        return MISSING

    # Calls

    def call(self, function: Value, args: list[Any], keywords: dict[str, Any]) -> Value:
        if isinstance(function, Library):
            return self._call_library(function, args, keywords)
        if isinstance(function, FunctionRef):
            return self.run_function(function, args, keywords)
        if isinstance(function, BoundMethod):
            if function.function is not None:
                return self.run_function(function.function, [function.receiver, *args], keywords)
            return self._call_method(function.receiver, function.name, args, keywords)
        if isinstance(function, ClassRef):
            return self.own(self.instantiate(function, args, keywords))
        if isinstance(function, PlAttribute):
            return dsl.call(function, args, keywords)
        return self.call_unknown(args, keywords)

    def call_unknown(self, args: list[Value], keywords: dict[str, Value]) -> Value:
        """Call something that may do anything to its arguments."""
        for argument in [*args, *keywords.values()]:
            if argument is UNKNOWN:
                self.heap.expose()
            else:
                self.heap.poison_all(argument)
        return self.unknown()

    def _call_library(self, function: Library, args: list[Any], keywords: dict[str, Any]) -> Value:
        self.budget.spend()
        implementation = FUNCTIONS.get(function.dotted)
        if implementation is None:
            return self.own(records.call(self, function.dotted, args, keywords))
        if function.dotted.startswith("os.environ."):
            self._change_environment(function.dotted, args, keywords)
        if self.poisoned:
            args = [self.heap.sound(argument) for argument in args]
        try:
            result = implementation(self, args, keywords)
        except (TypeError, ValueError, IndexError, KeyError):
            # Wrong arguments for our implementation, such as the wrong number of them.
            return self.unknown(*args)
        return self.unknown(*args, *keywords.values()) if result is UNKNOWN else self.own(result)

    def _change_environment(self, method: str, args: list[Any], keywords: dict[str, Any]) -> None:
        if method == "os.environ.setdefault" and len(args) == 2:
            if type(args[0]) is str and self.read_global(ENVIRONMENT, args[0]) is MISSING:
                self.set_variable(args[0], args[1])
        elif method == "os.environ.update":
            for changes in [*args, keywords]:
                known = type(changes) is dict and all(type(key) is str for key in changes)
                for name, value in changes.items() if known else [(UNKNOWN, UNKNOWN)]:
                    self.set_variable(name, value)
        elif method != "os.environ.get":
            self.set_variable(UNKNOWN, UNKNOWN)

    def set_variable(self, name: Value, value: Value) -> None:
        """Set an environment variable; an unknown one makes all unknown."""
        if type(name) is str:
            self.world.write(ENVIRONMENT, name, value if self.certain else UNKNOWN)
        else:
            self.world.write(ENVIRONMENT, OPEN, UNKNOWN)

    def _call_method(self, receiver: Value, name: str, args: list[Any], keywords: dict[str, Any]) -> Value:
        self.budget.spend()
        args = [list(self.iterate(each)) if type(each) is Lazy else each for each in args]
        if name in CHANGING.get(type(receiver), ()):
            if not self.may_change(receiver):
                return self.unknown(receiver)
            try:
                return change(receiver, name, args, keywords)
            except Unknowable:
                self.heap.poison(receiver)
                return self.unknown(receiver)
        if type(receiver) in (list, dict, set):
            self.budget.spend(len(receiver) // 64)  # type: ignore[arg-type]
            receiver = self.heap.sound(receiver)
        result = call_method(receiver, name, args, keywords)
        return self.own(result) if result is not UNKNOWN else self.unknown(receiver, *args)

    def run_function(self, function: FunctionRef, args: list[Value], keywords: dict[str, Value]) -> Value:
        code = function.code
        node = None if code is None or function.dsl else code.node()
        if node is None or self.depth >= MAX_CALLS or isinstance(node, ast.AsyncFunctionDef):
            return self.unknown()
        frame = Frame(function.path, "function", {}, function.scope, function.qualname + LOCALS, function)
        if isinstance(node, ast.FunctionDef) and node.decorator_list and not self._plain_decorators(node, function):
            return self.unknown()
        args = [UNKNOWN if type(each) is Lazy else each for each in args]
        if not self._bind(node.args, function, frame, args, keywords):
            raise Raised("TypeError")
        outside = self.budget.left
        if self.depth == 0:
            self.budget.left = min(outside, CALL_STEPS)
        limit = self.budget.left
        self.depth += 1
        try:
            self.budget.spend()
            result = self.run_body(node, frame)
        finally:
            self.depth -= 1
            if self.depth == 0:
                self.budget.left = outside - (limit - max(self.budget.left, 0))
        return result if result is not UNKNOWN else self.unknown()

    def _plain_decorators(self, node: ast.FunctionDef, function: FunctionRef) -> bool:
        """Whether no decorator changes what a call returns. Those of methods are checked with the class."""
        frame = Frame(function.path, "function", {}, function.scope)
        for decorator in node.decorator_list:
            expression = decorator.func if isinstance(decorator, ast.Call) else decorator
            value = self.evaluate_in(expression, frame)
            if not isinstance(value, Library) or not records.transparent(value.dotted):
                return False
        return True

    def _bind(
        self,
        parameters: ast.arguments,
        function: FunctionRef,
        frame: Frame,
        args: list[Value],
        keywords: dict[str, Value],
    ) -> bool:
        """Bind arguments to parameters; False where Python would raise ``TypeError``."""
        names = frame.names
        positional = [*parameters.posonlyargs, *parameters.args]
        if len(args) > len(positional) and parameters.vararg is None:
            return False
        for parameter, value in zip(positional, args):
            names[parameter.arg] = value
        if parameters.vararg is not None:
            names[parameters.vararg.arg] = tuple(args[len(positional) :])
        accepted = {parameter.arg for parameter in [*parameters.args, *parameters.kwonlyargs]}
        extra: dict[Value, Value] = {}
        for name, value in keywords.items():
            if name in accepted:
                if name in names:
                    return False
                names[name] = value
            elif parameters.kwarg is not None:
                extra[name] = value
            else:
                return False
        if parameters.kwarg is not None:
            names[parameters.kwarg.arg] = self.own(extra)
        defaults: list[tuple[ast.arg, ast.expr | None]] = []
        if parameters.defaults:
            defaults += zip(positional[-len(parameters.defaults) :], parameters.defaults)
        defaults += zip(parameters.kwonlyargs, parameters.kw_defaults)
        for parameter, default in defaults:
            if parameter.arg not in names and default is not None:
                known = function.defaults or {}
                value = default.value if isinstance(default, ast.Constant) else known.get(parameter.arg, UNKNOWN)
                names[parameter.arg] = value
        return all(parameter.arg in names for parameter in [*positional, *parameters.kwonlyargs])

    # Instances

    def instantiate(self, cls: ClassRef, args: list[Value], keywords: dict[str, Value]) -> Value:
        self.budget.spend()
        body = cls.body
        if body is None or cls.dsl or body.open:
            return self.unknown()
        if body.kind == "enum":
            return self._member(body, args)
        if self.find(cls, "__new__") is not MISSING or self.find(cls, "__getattr__") is not MISSING:
            return self.unknown()
        instance = Instance(cls, {})
        self.own(instance)
        initializer = self.find(cls, "__init__")
        if isinstance(initializer, FunctionRef):
            self._initialize(initializer, instance, args, keywords)
        elif body.kind in ("dataclass", "namedtuple"):
            if not records.fill(self, instance, body.fields, args, keywords):
                raise Raised("TypeError")
            finish = self.find(cls, "__post_init__")
            if isinstance(finish, FunctionRef):
                self._initialize(finish, instance, [], {})
        elif args or keywords:
            raise Raised("TypeError")
        return self.unknown() if id(instance) in self.poisoned else instance

    def _initialize(
        self, function: FunctionRef, instance: Instance, args: list[Value], keywords: dict[str, Value]
    ) -> None:
        """Run ``__init__`` or ``__post_init__``; an instance that it may have left half done is unknown."""
        if self.run_function(function, [instance, *args], keywords) is UNKNOWN:
            self.heap.poison(instance)

    def _member(self, body: ClassBody, args: list[Value]) -> Value:
        """``Color(1)``."""
        if len(args) == 1:
            for member in body.attributes.values():
                if isinstance(member, EnumMember) and member.value == args[0] and type(args[0]) in PLAIN:
                    return member
        return UNKNOWN
