"""Execution of ``ast`` statements."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from pto_lsp.analysis.frontend.constants.ast_expressions import closure
from pto_lsp.analysis.frontend.constants.ast_imports import AstImports
from pto_lsp.analysis.frontend.constants.calls import World
from pto_lsp.analysis.frontend.constants.classes import ClassMaker
from pto_lsp.analysis.frontend.constants.code import FunctionNode
from pto_lsp.analysis.frontend.constants.effects import (
    Effects,
    bound_names,
    ends_in_raise,
    is_dsl_decorator,
    is_generator,
    jumps,
    leaves,
    suppresses,
)
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.heap import interchangeable
from pto_lsp.analysis.frontend.constants.limits import MODULE_STEPS, Raised, Unknowable
from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    UNKNOWN,
    FunctionRef,
    Library,
    Value,
)

NORMAL, BREAK, CONTINUE, RETURN = range(4)

Arm = Callable[[], int]


class AstStatements(AstImports):
    """``execute(body, frame)`` tells how the body ended; after RETURN the value is in ``result``.

    ``Raised`` and ``Unknowable`` end the innermost construct that can tell what is known then: a ``try``, a call, or a
    statement of a module.
    """

    def __init__(self, world: World, steps: int = MODULE_STEPS) -> None:
        super().__init__(world, steps)
        self.result: Value = None
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
            if jumps([statement]):
                raise Unknowable from None
            self.skip([statement], frame)
            return NORMAL

    def run_body(self, node: FunctionNode, frame: Frame) -> Value:
        if isinstance(node, ast.Lambda):
            return self.evaluate(node.body, frame)
        if is_generator(node):
            self.poison_effects(Effects(node.body), frame, set())
            return UNKNOWN
        try:
            if self.execute(node.body, frame) == RETURN:
                return self.result
            return None
        except (Unknowable, RecursionError):
            self.poison_effects(Effects(node.body), frame, set())
            return self.unknown(*frame.names.values())

    # Simple statements

    def _assign(self, node: ast.Assign, frame: Frame) -> int:
        value = self.evaluate(node.value, frame)
        for target in node.targets:
            self.assign(target, value, frame)
        return NORMAL

    def _annotated(self, node: ast.AnnAssign, frame: Frame) -> int:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value, frame), frame)
        return NORMAL

    def _augmented(self, node: ast.AugAssign, frame: Frame) -> int:
        self.augmented(node, frame)
        return NORMAL

    def _expression(self, node: ast.Expr, frame: Frame) -> int:
        if type(node.value) is not ast.Constant:
            self.evaluate(node.value, frame)
        return NORMAL

    def _delete(self, node: ast.Delete, frame: Frame) -> int:
        for target in node.targets:
            if isinstance(target, ast.Name):
                frame.names.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                self.delete_item(self.evaluate(target.value, frame), self.evaluate(target.slice, frame))
            else:
                raise Unknowable
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

    # Branches

    def _if(self, node: ast.If, frame: Frame) -> int:
        truth = self.condition(node.test, frame)
        if truth is None and self.tries == 0:
            # A program that can be imported does not come to a ``raise`` that nothing catches.
            if ends_in_raise(node.body):
                truth = False
            elif node.orelse and ends_in_raise(node.orelse):
                truth = True
        if truth is None:
            return self._either(lambda: self.execute(node.body, frame), lambda: self.execute(node.orelse, frame), frame)
        return self.execute(node.body if truth else node.orelse, frame)

    def _either(self, first: Arm, second: Arm, frame: Frame) -> int:
        """Run one of two arms, not known which: what they leave different is unknown."""
        before = dict(frame.names)
        end = self._tentative(first, before, frame)
        result, names = self.result, dict(frame.names)
        other = self._tentative(second, before, frame)
        if end is None:
            if other is None:
                raise Unknowable
            return other
        if other is None:
            self._restore(frame, names)
            self.result = result
            return end
        self._merge(end, result, names, other, frame)
        return end

    def _tentative(self, arm: Arm, before: dict[str, Value], frame: Frame) -> int | None:
        """Run an arm that may not be taken, beginning with the names ``before``; None when it is not, as it fails."""
        floor = self.heap.floor
        self.heap.floor = self.heap.clock
        self.arms += 1
        self._restore(frame, before)
        try:
            return arm()
        except Raised:
            if self.tries:
                raise Unknowable from None
            return None
        finally:
            self.arms -= 1
            self.heap.floor = floor

    def _restore(self, frame: Frame, names: dict[str, Value]) -> None:
        frame.names.clear()
        frame.names.update(names)

    def _merge(self, end: int, result: Value, names: dict[str, Value], other: int, frame: Frame) -> None:
        """Join what one arm left, ended by ``end``, with what the other, ended by ``other``, has in the frame."""
        if end != other:
            raise Unknowable
        if end == RETURN and not interchangeable(result, self.result):
            self.result = self.unknown(result, self.result)
        for name in names.keys() | frame.names.keys():
            value = names.get(name, MISSING)
            alternative = frame.names.get(name, MISSING)
            frame.names[name] = value if interchangeable(value, alternative) else self.unknown(value, alternative)

    def _for(self, node: ast.For, frame: Frame) -> int:
        source = self.evaluate_iterable(node.iter, frame)
        try:
            values = self.iterate(source)
        except Unknowable:
            return self._unknown_loop(node, frame)
        index = 0
        # A list that grows in its own loop is followed to its end, as Python does.
        while index < len(values):
            self.budget.spend()
            if self.poisoned and id(source) in self.poisoned:
                raise Unknowable
            self.assign(node.target, values[index], frame)
            index += 1
            end = self.execute(node.body, frame)
            if end == BREAK:
                return NORMAL
            if end == RETURN:
                return RETURN
        return self.execute(node.orelse, frame) if node.orelse else NORMAL

    def _unknown_loop(self, node: ast.stmt, frame: Frame) -> int:
        if leaves([node]) or self.tries:
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
        if any(suppresses(item.context_expr) for item in node.items):
            return self._unknown_loop(node, frame)
        for item in node.items:
            self.evaluate(item.context_expr, frame)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, self.unknown(), frame)
        return self.execute(node.body, frame)

    # Exceptions

    def _try(self, node: ast.Try, frame: Frame) -> int:
        if not node.finalbody:
            return self._protected(node, frame)
        try:
            end = self._protected(node, frame)
        except Raised:
            if self.execute(node.finalbody, frame):
                raise Unknowable from None
            raise
        result = self.result
        last = self.execute(node.finalbody, frame)
        if last:
            return last
        self.result = result
        return end

    def _protected(self, node: ast.Try, frame: Frame) -> int:
        imports = self._only_imports(node)
        doubts = self.import_doubts if imports else self.doubts
        before = dict(frame.names)
        if self.tries == 0:
            self.try_doubts = self.doubts
        self.tries += bool(node.handlers)
        raised = ""
        try:
            end = self.execute(node.body, frame)
        except Raised as error:
            end, raised = NORMAL, error.kind or "Exception"
        finally:
            self.tries -= bool(node.handlers)
        doubtful = doubts != (self.import_doubts if imports else self.doubts)
        if raised:
            if doubtful:
                # Something before may have raised something else.
                raise Unknowable
            return self._handle(node, raised, frame)
        if end == NORMAL and node.orelse:
            end = self.execute(node.orelse, frame)
        if not doubtful:
            return end
        for handler in node.handlers:
            if self.tries == 0 and ends_in_raise(handler.body):
                continue
            self._may_handle(node, handler, before, end, frame)
        return end

    def _may_handle(
        self, node: ast.Try, handler: ast.ExceptHandler, before: dict[str, Value], end: int, frame: Frame
    ) -> None:
        """Allow for ``handler`` to have run after any part of the body, which otherwise ended with ``end``."""
        result, names = self.result, dict(frame.names)
        start = dict(before)
        for name in bound_names(node.body):
            start[name] = self.unknown(before.get(name, MISSING), names.get(name, MISSING))
        other = self._tentative(lambda: self._run_handler(handler, frame), start, frame)
        if other is None:
            self._restore(frame, names)
            self.result = result
        else:
            self._merge(end, result, names, other, frame)

    def _run_handler(self, handler: ast.ExceptHandler, frame: Frame) -> int:
        if handler.name:
            self.bind(handler.name, UNKNOWN, frame)
        return self.execute(handler.body, frame)

    def _only_imports(self, node: ast.Try) -> bool:
        names = ("ImportError", "ModuleNotFoundError")
        return all(isinstance(h.type, ast.Name) and h.type.id in names for h in node.handlers)

    def _handle(self, node: ast.Try, kind: str, frame: Frame) -> int:
        for handler in node.handlers:
            if self._catches(handler, kind, frame):
                return self._run_handler(handler, frame)
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

    # Definitions

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
        self.import_(node, frame)
        return NORMAL

    def _import_from(self, node: ast.ImportFrom, frame: Frame) -> int:
        self.import_from(node, frame)
        return NORMAL


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
    ast.Match: AstStatements._unknown_loop,
    ast.AsyncFor: AstStatements._unknown_loop,
    ast.AsyncWith: AstStatements._unknown_loop,
    ast.FunctionDef: AstStatements._function,
    ast.AsyncFunctionDef: AstStatements._function,
    ast.ClassDef: AstStatements._class,
    ast.Import: AstStatements._import,
    ast.ImportFrom: AstStatements._import_from,
}
if hasattr(ast, "TryStar"):
    _METHODS[ast.TryStar] = AstStatements._unknown_loop
