"""Execution of ``ast`` statements."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from pto_lsp.analysis.frontend.constants.ast_expressions import OPERATORS, AstExpressions, closure
from pto_lsp.analysis.frontend.constants.calls import World
from pto_lsp.analysis.frontend.constants.classes import ClassMaker
from pto_lsp.analysis.frontend.constants.code import FunctionNode
from pto_lsp.analysis.frontend.constants.comparison import is_known, same
from pto_lsp.analysis.frontend.constants.effects import (
    Effects,
    bound_names,
    ends_in_raise,
    is_dsl_decorator,
    leaves,
)
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.library import ENVIRONMENT
from pto_lsp.analysis.frontend.constants.limits import MODULE_STEPS, Raised, Unknowable, check_length, check_nesting
from pto_lsp.analysis.frontend.constants.operators import binary
from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    OPEN,
    UNKNOWN,
    ClassRef,
    FunctionRef,
    Instance,
    Library,
    ModuleRef,
    Value,
)

NORMAL, BREAK, CONTINUE, RETURN = range(4)


class AstStatements(AstExpressions):
    """``execute(body, frame)`` tells how the body ended; after RETURN the value is in ``result``.

    ``Raised`` and ``Unknowable`` end the innermost construct that can tell what then is known: a ``try``, a call, or a
    statement of a module.
    """

    def __init__(self, world: World, steps: int = MODULE_STEPS) -> None:
        super().__init__(world, steps)
        self.result: Value = None
        self.tries = 0
        self.ordinals: dict[tuple[str, bool], int] = {}

    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> int:
        recover = frame.kind == "module" and self.tries == 0
        for statement in body:
            self.budget.spend()
            method = _METHODS.get(type(statement))
            if method is None:
                continue
            if recover:
                end = self._guarded(method, statement, frame)
            else:
                end = method(self, statement, frame)
            if end:
                return end
        return NORMAL

    def _guarded(self, method: Callable[[Any, Any, Frame], int], statement: ast.stmt, frame: Frame) -> int:
        """Execute a statement of a module; when that fails, what it would have bound or changed is unknown."""
        try:
            return method(self, statement, frame)
        except (Raised, Unknowable, RecursionError):
            self.skip([statement], frame)
            return NORMAL

    def skip(self, body: Sequence[ast.AST], frame: Frame) -> None:
        """Take the statements for executed or not."""
        self.poison_effects(body, frame, set())
        for name in bound_names(body):
            self.bind(name, UNKNOWN, frame)

    def bind(self, name: str, value: Value, frame: Frame) -> None:
        """Bind a name as an assignment in ``frame`` does."""
        if name in frame.foreign:
            # Which value a name has that functions rebind depends on who calls them when.
            self.world.write(frame.path, name, UNKNOWN)
        else:
            frame.names[name] = value

    def poison_effects(self, body: Sequence[ast.AST], frame: Frame, seen: set[int]) -> None:
        effects = Effects(body)
        for name in effects.changed | effects.arguments:
            self.poison(self.lookup(name, frame))
        for name, attribute in effects.attributes:
            module = self.lookup(name, frame)
            if isinstance(module, ModuleRef):
                self.world.write(module.path, attribute, UNKNOWN)
        for name in effects.calls:
            function = self.lookup(name, frame)
            if isinstance(function, FunctionRef) and function.code is not None and not function.dsl:
                node = function.code.node()
                if isinstance(node, ast.FunctionDef) and id(node) not in seen:
                    seen.add(id(node))
                    inner = Frame(function.path, "function", {}, function.scope)
                    self.poison_effects(node.body, inner, seen)

    def run_body(self, node: FunctionNode, frame: Frame) -> Value:
        if isinstance(node, ast.Lambda):
            return self.evaluate(node.body, frame)
        if is_generator(node):
            return UNKNOWN
        tries, self.tries = self.tries, 0
        try:
            if self.execute(node.body, frame) == RETURN:
                return self.result
            return None
        except (Unknowable, RecursionError):
            self.poison_effects(node.body, frame, set())
            for value in frame.names.values():
                self.poison(value)
            return UNKNOWN
        finally:
            self.tries = tries

    # Simple statements

    def _assign(self, node: ast.Assign, frame: Frame) -> int:
        value = self.evaluate(node.value, frame)
        for target in node.targets:
            self.assign(target, value, frame)
        return NORMAL

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        if type(target) is ast.Name:
            self.bind(target.id, value, frame)
        else:
            super().assign(target, value, frame)

    def _annotated(self, node: ast.AnnAssign, frame: Frame) -> int:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value, frame), frame)
        return NORMAL

    def _augmented(self, node: ast.AugAssign, frame: Frame) -> int:
        target = node.target
        value = self.evaluate(node.value, frame)
        if isinstance(target, ast.Name):
            found = self.lookup(target.id, frame)
            self.bind(target.id, self._combine(node.op, UNKNOWN if found is MISSING else found, value), frame)
        elif isinstance(target, ast.Attribute):
            base = self.evaluate(target.value, frame)
            combined = self._combine(node.op, self.attribute(base, target.attr), value)
            self.store_attribute(base, target.attr, combined)
        else:
            base, index = self.evaluate(target.value, frame), self.evaluate(target.slice, frame)
            self.store_item(base, index, self._combine(node.op, self.item(base, index), value))
        return NORMAL

    def _combine(self, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(left, (list, set, dict)):
            method = {ast.Add: "extend", ast.BitOr: "update"}.get(type(op))
            if method is None:
                self.poison(left)
                return UNKNOWN
            self._call_method(left, method, [right], {})
            return left
        return self.unknown() if left is UNKNOWN or right is UNKNOWN else binary(OPERATORS[type(op)], left, right)

    def store_attribute(self, base: Value, name: str, value: Value) -> None:
        if isinstance(base, ModuleRef):
            self.world.write(base.path, name, UNKNOWN if self.arms else value)
        elif isinstance(base, Instance):
            if self.may_change(base):
                check_nesting(base, [value])
                base.fields[name] = value
        elif isinstance(base, ClassRef) and base.body is not None:
            base.body.attributes[name] = UNKNOWN

    def store_item(self, base: Value, index: Value, value: Value) -> None:
        if isinstance(base, Library) and base.dotted == "os.environ":
            if type(index) is str:
                self.world.write(ENVIRONMENT, index, UNKNOWN if self.arms else value)
        elif isinstance(base, (dict, list)) and self.may_change(base):
            try:
                if not is_known(index):
                    raise Unknowable
                check_length(len(base) + (len(value) if isinstance(index, slice) else 1))  # type: ignore[arg-type]
                check_nesting(base, [value])
                base[index] = value  # type: ignore[call-overload]
            except Unknowable:
                self.poison(base)
            except Exception as error:
                raise Raised(type(error).__name__) from None

    def _expression(self, node: ast.Expr, frame: Frame) -> int:
        if type(node.value) is not ast.Constant:
            self.evaluate(node.value, frame)
        return NORMAL

    def _delete(self, node: ast.Delete, frame: Frame) -> int:
        for target in node.targets:
            if isinstance(target, ast.Name):
                frame.names.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                base, index = self.evaluate(target.value, frame), self.evaluate(target.slice, frame)
                if isinstance(base, (dict, list)) and self.may_change(base):
                    if not is_known(index):
                        self.poison(base)
                        continue
                    try:
                        del base[index]  # type: ignore[arg-type]
                    except Exception as error:
                        raise Raised(type(error).__name__) from None
        return NORMAL

    def _return(self, node: ast.Return, frame: Frame) -> int:
        self.result = None if node.value is None else self.evaluate(node.value, frame)
        return RETURN

    def _raise(self, node: ast.Raise, frame: Frame) -> int:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        name = raised.id if isinstance(raised, ast.Name) else raised.attr if isinstance(raised, ast.Attribute) else ""
        raise Raised(name)

    def _break(self, node: ast.Break, frame: Frame) -> int:
        return BREAK

    def _continue(self, node: ast.Continue, frame: Frame) -> int:
        return CONTINUE

    def _global(self, node: ast.Global, frame: Frame) -> int:
        if frame.kind != "module":
            frame.foreign |= frozenset(node.names)
        return NORMAL

    def _nonlocal(self, node: ast.Nonlocal, frame: Frame) -> int:
        raise Unknowable

    # Compound statements

    def _if(self, node: ast.If, frame: Frame) -> int:
        truth = self.condition(node.test, frame)
        if truth is None:
            if ends_in_raise(node.body):
                truth = False
            elif node.orelse and ends_in_raise(node.orelse):
                truth = True
            else:
                return self._either(
                    [lambda: self.execute(node.body, frame), lambda: self.execute(node.orelse, frame)], frame
                )
        return self.execute(node.body if truth else node.orelse, frame)

    def _either(self, arms: Sequence[Callable[[], int]], frame: Frame) -> int:
        """Run one of two arms, not known which: what they leave different is unknown."""
        before = dict(frame.names)
        owned = self.owned
        self.arms += 1
        outcomes: list[tuple[int, Value, dict[str, Value]]] = []
        try:
            for arm in arms:
                self.owned = {}
                frame.names.clear()
                frame.names.update(before)
                end = arm()
                outcomes.append((end, self.result, dict(frame.names)))
                owned.update(self.owned)
        finally:
            self.arms -= 1
            self.owned = owned
        (end, result, names), (other_end, other_result, other_names) = outcomes
        if end != other_end:
            raise Unknowable
        if end == RETURN:
            self.result = result if same(result, other_result) else self.unknown()
        for name in names.keys() | other_names.keys():
            value = names.get(name, MISSING)
            other = other_names.get(name, MISSING)
            frame.names[name] = value if same(value, other) else UNKNOWN
        return end

    def _for(self, node: ast.For, frame: Frame) -> int:
        try:
            values = list(self.iterate(self.evaluate(node.iter, frame)))
        except Unknowable:
            return self._unknown_loop(node, frame)
        for value in values:
            self.budget.spend()
            self.assign(node.target, value, frame)
            end = self.execute(node.body, frame)
            if end == BREAK:
                return NORMAL
            if end == RETURN:
                return RETURN
        return self.execute(node.orelse, frame) if node.orelse else NORMAL

    def _unknown_loop(self, node: ast.For | ast.While, frame: Frame) -> int:
        if leaves([node]):
            raise Unknowable
        self.skip([node], frame)
        return NORMAL

    def _while(self, node: ast.While, frame: Frame) -> int:
        while True:
            self.budget.spend()
            truth = self.condition(node.test, frame)
            if truth is None:
                return self._unknown_loop(node, frame)
            if not truth:
                return self.execute(node.orelse, frame) if node.orelse else NORMAL
            end = self.execute(node.body, frame)
            if end == BREAK:
                return NORMAL
            if end == RETURN:
                return RETURN

    def _with(self, node: ast.With, frame: Frame) -> int:
        for item in node.items:
            self.evaluate(item.context_expr, frame)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, UNKNOWN, frame)
        return self.execute(node.body, frame)

    def _try(self, node: ast.Try, frame: Frame) -> int:
        try:
            end = self._protected(node, frame)
        finally:
            if node.finalbody:
                self.execute(node.finalbody, frame)
        return end

    def _protected(self, node: ast.Try, frame: Frame) -> int:
        doubts = self.import_doubts if self._only_imports(node) else self.doubts
        before = dict(frame.names)
        self.tries += 1
        try:
            end = self.execute(node.body, frame)
        except Raised as raised:
            return self._handle(node, raised.kind, frame)
        finally:
            self.tries -= 1
        if end == NORMAL and node.orelse:
            end = self.execute(node.orelse, frame)
        if doubts == (self.import_doubts if self._only_imports(node) else self.doubts):
            return end
        # Some handler may have run after a part of the body.
        for handler in node.handlers:
            if ends_in_raise(handler.body):
                continue
            done = dict(frame.names)
            result = self.result
            other = self._tentative(handler, before, frame)
            if other != end:
                raise Unknowable
            if end == RETURN and not same(result, self.result):
                self.result = UNKNOWN
            for name in done.keys() | frame.names.keys():
                value = done.get(name, MISSING)
                frame.names[name] = value if same(value, frame.names.get(name, MISSING)) else UNKNOWN
        return end

    def _tentative(self, handler: ast.ExceptHandler, before: dict[str, Value], frame: Frame) -> int:
        owned, self.owned = self.owned, {}
        self.arms += 1
        frame.names.clear()
        frame.names.update(before)
        try:
            if handler.name:
                self.bind(handler.name, UNKNOWN, frame)
            return self.execute(handler.body, frame)
        finally:
            self.arms -= 1
            owned.update(self.owned)
            self.owned = owned

    def _only_imports(self, node: ast.Try) -> bool:
        names = ("ImportError", "ModuleNotFoundError")
        return all(isinstance(h.type, ast.Name) and h.type.id in names for h in node.handlers)

    def _handle(self, node: ast.Try, kind: str, frame: Frame) -> int:
        for handler in node.handlers:
            if self._catches(handler, kind, frame):
                if handler.name:
                    self.bind(handler.name, UNKNOWN, frame)
                return self.execute(handler.body, frame)
        raise Raised(kind)

    def _catches(self, handler: ast.ExceptHandler, kind: str, frame: Frame) -> bool:
        """Raises ``Unknowable`` when a class of the user's is involved."""
        if handler.type is None:
            return True
        nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        raised = getattr(builtins, kind, None)
        for each in nodes:
            value = self.evaluate(each, frame)
            caught = getattr(builtins, value.dotted, None) if isinstance(value, Library) else None
            if isinstance(caught, type) and (caught is BaseException or caught is Exception):
                return True
            if not isinstance(caught, type) or not isinstance(raised, type):
                raise Unknowable
            if issubclass(raised, caught):
                return True
        return False

    def _undecided(self, node: ast.stmt, frame: Frame) -> int:
        """``match``: which case runs is not modelled."""
        if leaves([node]):
            raise Unknowable
        self.skip([node], frame)
        return NORMAL

    # Definitions and imports

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> int:
        self.bind(node.name, self.make_function(node, frame), frame)
        return NORMAL

    def make_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> FunctionRef:
        qualname = frame.prefix + node.name
        if any(map(is_dsl_decorator, node.decorator_list)):
            return FunctionRef(frame.path, qualname, self.ordinal(node, qualname, True), True)
        ordinal = self.ordinal(node, qualname, False)
        return FunctionRef(
            frame.path, qualname, ordinal, False, self.code_of(node), closure(frame), self.defaults(node.args, frame)
        )

    def ordinal(self, node: ast.AST, qualname: str, dsl: bool) -> int:
        """Place of a definition among those of its name in the module, see ``number_functions``."""
        return self.ordinals.get((qualname, dsl), 0) + getattr(node, "pto_ordinal", 0)

    def _class(self, node: ast.ClassDef, frame: Frame) -> int:
        self.bind(node.name, ClassMaker(self).make(node, frame), frame)
        return NORMAL

    def _import(self, node: ast.Import, frame: Frame) -> int:
        for alias in node.names:
            parts = alias.name.split(".")
            root = value = self.world.import_module(frame.path, parts[0], 0)
            for index in range(1, len(parts)):
                value = self._submodule(frame, value, ".".join(parts[: index + 1]), parts[index], 0)
            if value is UNKNOWN:
                self._missing_import()
            self.bind(alias.asname or parts[0], value if alias.asname else root, frame)
        return NORMAL

    def _submodule(self, frame: Frame, package: Value, dotted: str, name: str, level: int) -> Value:
        """Load a module of ``package``, of which it becomes an attribute."""
        value = self.world.import_module(frame.path, dotted, level)
        if not isinstance(package, ModuleRef) or not isinstance(value, ModuleRef):
            return value
        if self.read_global(package.path, name) is MISSING:
            self.world.write(package.path, name, value)
        return value

    def _missing_import(self) -> None:
        self.doubts += 1
        self.import_doubts += 1

    def _import_from(self, node: ast.ImportFrom, frame: Frame) -> int:
        module = self.world.import_module(frame.path, node.module or "", node.level)
        if module is UNKNOWN:
            self._missing_import()
        for alias in node.names:
            if alias.name == "*":
                self.import_star(module, frame)
                continue
            value = self._imported(module, node, alias.name, frame)
            self.bind(alias.asname or alias.name, value, frame)
        return NORMAL

    def _imported(self, module: Value, node: ast.ImportFrom, name: str, frame: Frame) -> Value:
        if module is UNKNOWN:
            return UNKNOWN
        if isinstance(module, ModuleRef):
            value = self.read_global(module.path, name)
            if value is MISSING:
                dotted = f"{node.module}.{name}" if node.module else name
                value = self._submodule(frame, module, dotted, name, node.level)
                if value is UNKNOWN:
                    self._missing_import()
            return value
        return self.attribute(module, name)

    def import_star(self, module: Value, frame: Frame) -> None:
        """``from module import *``."""
        if isinstance(module, ModuleRef):
            for name, value in self.world.public(module.path).items():
                self.bind(name, value, frame)
        elif not isinstance(module, Library):
            frame.names[OPEN] = UNKNOWN


def is_generator(node: ast.AST) -> bool:
    cached = getattr(node, "pto_generator", None)
    if cached is None:
        found = False
        stack = list(ast.iter_child_nodes(node))
        while stack and not found:
            each = stack.pop()
            if isinstance(each, (ast.Yield, ast.YieldFrom, ast.Await)):
                found = True
            elif not isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                stack.extend(ast.iter_child_nodes(each))
        cached = found
        node.pto_generator = found  # type: ignore[attr-defined]
    return bool(cached)


_METHODS: dict[type, Callable[[Any, Any, Frame], int]] = {
    ast.Assign: AstStatements._assign,
    ast.AnnAssign: AstStatements._annotated,
    ast.AugAssign: AstStatements._augmented,
    ast.Expr: AstStatements._expression,
    ast.Delete: AstStatements._delete,
    ast.Return: AstStatements._return,
    ast.Raise: AstStatements._raise,
    ast.Break: AstStatements._break,
    ast.Continue: AstStatements._continue,
    ast.Global: AstStatements._global,
    ast.Nonlocal: AstStatements._nonlocal,
    ast.If: AstStatements._if,
    ast.For: AstStatements._for,
    ast.While: AstStatements._while,
    ast.With: AstStatements._with,
    ast.Try: AstStatements._try,
    ast.Match: AstStatements._undecided,
    ast.AsyncFor: AstStatements._undecided,
    ast.AsyncWith: AstStatements._undecided,
    ast.FunctionDef: AstStatements._function,
    ast.AsyncFunctionDef: AstStatements._function,
    ast.ClassDef: AstStatements._class,
    ast.Import: AstStatements._import,
    ast.ImportFrom: AstStatements._import_from,
}
if hasattr(ast, "TryStar"):
    _METHODS[ast.TryStar] = AstStatements._undecided
