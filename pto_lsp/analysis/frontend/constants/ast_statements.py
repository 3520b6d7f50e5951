"""Execution of ``ast`` statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from pto_lsp.analysis.frontend.constants.ast_branches import BREAK, CONTINUE, NORMAL, RETURN, AstBranches
from pto_lsp.analysis.frontend.constants.ast_expressions import closure
from pto_lsp.analysis.frontend.constants.calls import World
from pto_lsp.analysis.frontend.constants.classes import ClassMaker
from pto_lsp.analysis.frontend.constants.code import FunctionNode
from pto_lsp.analysis.frontend.constants.effects import (
    Effects,
    is_dsl_decorator,
    is_generator,
    jumps,
    leaves,
    suppresses,
)
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.limits import MODULE_STEPS, Raised, Unknowable
from pto_lsp.analysis.frontend.constants.values import (
    UNKNOWN,
    FunctionRef,
    Value,
)


class AstStatements(AstBranches):
    """``execute(body, frame)`` tells how the body ended; after RETURN the value is in ``result``.

    ``Raised`` and ``Unknowable`` end the innermost construct that can tell what is known then: a ``try``, a call, or a
    statement of a module.
    """

    def __init__(self, world: World, steps: int = MODULE_STEPS) -> None:
        super().__init__(world, steps)
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
        """Execute a statement of a module; when that fails, what it would have bound or changed is unknown.

        That goes for failures of the interpreter as well: Python has more corners than it knows, and one statement out
        of them must not cost a file its analysis.
        """
        try:
            return method(self, statement, frame)
        except Exception:
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

    # Loops

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
    ast.If: AstStatements.execute_if,
    ast.For: AstStatements._for,
    ast.While: AstStatements._while,
    ast.With: AstStatements._with,
    ast.Try: AstStatements.execute_try,
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
