"""Evaluation of comprehensions, f-strings, lambdas and ``:=``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import ClassVar

from pto_lsp.analysis.frontend.constants.ast_expressions import AstExpressions, Method, closure
from pto_lsp.analysis.frontend.constants.code import FunctionCode
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.library_objects import writable
from pto_lsp.analysis.frontend.constants.limits import MAX_TEXT, Raised, Unknowable, check_nesting
from pto_lsp.analysis.frontend.constants.operators import check_format
from pto_lsp.analysis.frontend.constants.values import UNKNOWN, EnumMember, FunctionRef, Value


class AstComprehensions(AstExpressions):
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
        self.assign(node.target, value, frame.target or frame)
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

    def list_comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Value:
        found: list[Value] = []
        self._loop(node.generators, frame, lambda inner: found.append(self.evaluate(node.elt, inner)))
        self.budget.charge(check_nesting(None, found) // 32)
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
        self.budget.charge(check_nesting(None, list(result.values())) // 32)
        return self.own(result)

    def _loop(self, generators: list[ast.comprehension], frame: Frame, visit: Callable[[Frame], None]) -> None:
        """Call ``visit`` for every combination that passes the conditions; ``Unknowable`` when those are not known."""
        source = self.iterate(self.evaluate_iterable(generators[0].iter, frame))
        inner = Frame(frame.path, "comprehension", {}, closure(frame), frame.prefix)
        inner.foreign = frame.foreign
        inner.target = frame.target or frame
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

    METHODS: ClassVar[dict[type, Method]] = {
        **AstExpressions.METHODS,
        ast.Lambda: _lambda,
        ast.NamedExpr: _walrus,
        ast.JoinedStr: _format,
        ast.ListComp: list_comprehension,
        ast.SetComp: _set_comprehension,
        ast.DictComp: _dict_comprehension,
    }
