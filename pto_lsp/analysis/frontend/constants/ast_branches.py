"""Statements with branches: ``if``, ``try``, and arms that may not be taken."""

from __future__ import annotations

import ast
import builtins
from abc import abstractmethod
from collections.abc import Callable, Sequence

from pto_lsp.analysis.frontend.constants.ast_imports import AstImports
from pto_lsp.analysis.frontend.constants.calls import World
from pto_lsp.analysis.frontend.constants.effects import bound_names, ends_in_raise
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.heap import interchangeable
from pto_lsp.analysis.frontend.constants.limits import MODULE_STEPS, Raised, Unknowable
from pto_lsp.analysis.frontend.constants.values import MISSING, UNKNOWN, Library, Value

NORMAL, BREAK, CONTINUE, RETURN = range(4)
"""How a block ends."""

Arm = Callable[[], int]


class AstBranches(AstImports):
    def __init__(self, world: World, steps: int = MODULE_STEPS) -> None:
        super().__init__(world, steps)
        self.result: Value = None

    @abstractmethod
    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> int:
        """Run a block; tells how it ended. After RETURN the value is in ``result``."""

    def execute_if(self, node: ast.If, frame: Frame) -> int:
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

    def execute_try(self, node: ast.Try, frame: Frame) -> int:
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
        handlers = [h for h in node.handlers if self.tries or not ends_in_raise(h.body)]
        if self.tries == 0:
            self.try_doubts = self.doubts
        self.tries += bool(handlers)
        raised = ""
        try:
            end = self.execute(node.body, frame)
        except Raised as error:
            end, raised = NORMAL, error.kind or "Exception"
        finally:
            self.tries -= bool(handlers)
        doubtful = doubts != (self.import_doubts if imports else self.doubts)
        if raised:
            if doubtful and handlers:
                # Something before may have raised something else.
                raise Unknowable
            return self._handle(node, raised, frame)
        if end == NORMAL and node.orelse:
            end = self.execute(node.orelse, frame)
        if not doubtful:
            return end
        for handler in handlers:
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
