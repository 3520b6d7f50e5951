"""Class statements: plain classes, dataclasses, enums, named tuples."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pto_lsp.analysis.frontend.constants import records
from pto_lsp.analysis.frontend.constants.effects import is_dsl_decorator
from pto_lsp.analysis.frontend.constants.frame import Frame
from pto_lsp.analysis.frontend.constants.limits import Unknowable
from pto_lsp.analysis.frontend.constants.values import (
    MISSING,
    UNKNOWN,
    ClassBody,
    ClassRef,
    Descriptor,
    EnumMember,
    Field,
    FunctionRef,
    Instance,
    Library,
    Value,
)

if TYPE_CHECKING:
    from pto_lsp.analysis.frontend.constants.ast_statements import AstStatements

_IGNORED_BASES = frozenset(
    {"object", "abc.ABC", "typing.Protocol", "typing.Generic", "typing_extensions.Protocol", "Exception", "ValueError"}
)
_HARMLESS = ("enum.unique", "functools.total_ordering", "typing.final")
_NAMED_TUPLES = ("typing.NamedTuple", "typing_extensions.NamedTuple")
_ENUMS = {
    "enum.Enum": "",
    "enum.Flag": "",
    "enum.IntEnum": "int",
    "enum.IntFlag": "int",
    "enum.StrEnum": "str",
}


class ClassMaker:
    """Executes one class statement at a time, for the interpreter ``machine``."""

    def __init__(self, machine: AstStatements) -> None:
        self._machine = machine

    def make(self, node: ast.ClassDef, frame: Frame) -> ClassRef:
        machine = self._machine
        qualname = frame.prefix + node.name
        dsl = any(map(is_dsl_decorator, node.decorator_list))
        ordinal = machine.ordinal(node, qualname, dsl)
        if dsl:
            return ClassRef(frame.path, qualname, ordinal, True)
        attributes: dict[str, Value] = {}
        inner = Frame(frame.path, "class", attributes, _enclosing(frame), qualname + ".")
        bases, kind, mixin, opened = self._bases(node, frame)
        if kind == "dataclass":
            opened = opened or not all(b.body is not None and b.body.kind == "dataclass" for b in bases)
        frozen = False
        decorated = False
        for decorator in node.decorator_list:
            options = self._dataclass_options(decorator, frame)
            if options is None:
                opened = opened or not self._harmless(decorator, frame)
            else:
                decorated = True
                if options.get("eq", True) is not True:
                    attributes["__eq__"] = UNKNOWN
                frozen = options.get("frozen") is True
        machine.execute(node.body, inner)
        fields: tuple[Field, ...] = ()
        if decorated or kind == "namedtuple":
            kind = "dataclass" if decorated else kind
            fields = self._fields(node, attributes, bases, inner)
        elif kind == "dataclass":
            fields = bases[0].body.fields if bases and bases[0].body is not None else ()
        self._wrap_methods(node, attributes, inner)
        owner = ClassRef(
            frame.path, qualname, ordinal, body=ClassBody(attributes, bases, kind, fields, frozen, opened, mixin)
        )
        machine.own(owner)
        if kind == "enum":
            self._make_members(node, owner, attributes, mixin)
        return owner

    def _bases(self, node: ast.ClassDef, frame: Frame) -> tuple[tuple[ClassRef, ...], str, str, bool]:
        """Base classes of the user's, kind, mixin of an enum, and whether something is not understood."""
        bases: list[ClassRef] = []
        kind, mixin, opened = "plain", "", bool(node.keywords)
        for each in node.bases:
            value = self._machine.evaluate(each, frame)
            if isinstance(value, ClassRef) and value.body is not None:
                bases.append(value)
                if value.body.kind != "plain":
                    kind, mixin = value.body.kind, value.body.mixin
                opened = opened or value.body.open
            elif isinstance(value, Library) and value.dotted in _ENUMS:
                kind, mixin = "enum", mixin or _ENUMS[value.dotted]
            elif isinstance(value, Library) and value.dotted in _NAMED_TUPLES:
                kind = "namedtuple"
            elif isinstance(value, Library) and value.dotted in ("int", "str"):
                mixin = value.dotted
            elif not (isinstance(value, Library) and value.dotted in _IGNORED_BASES):
                opened = True
        if mixin and kind != "enum":
            opened = True
        return tuple(bases), kind, mixin, opened

    def _dataclass_options(self, decorator: ast.expr, frame: Frame) -> dict[str, Value] | None:
        """Keyword arguments of ``@dataclass``; None for another decorator."""
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        value = self._machine.evaluate(function, frame)
        if not isinstance(value, Library) or value.dotted != "dataclasses.dataclass":
            return None
        keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
        return {k.arg: self._machine.evaluate(k.value, frame) for k in keywords if k.arg is not None}

    def _harmless(self, decorator: ast.expr, frame: Frame) -> bool:
        value = self._machine.evaluate(decorator.func if isinstance(decorator, ast.Call) else decorator, frame)
        return isinstance(value, Library) and value.dotted in _HARMLESS

    def _fields(
        self, node: ast.ClassDef, attributes: dict[str, Value], bases: tuple[ClassRef, ...], inner: Frame
    ) -> tuple[Field, ...]:
        """Fields in order: those of the bases first, a redefinition in its old place."""
        found: dict[str, Field] = {}
        for base in reversed(bases):
            if base.body is not None:
                found.update({field.name: field for field in base.body.fields})
        keyword_only = False
        for statement in node.body:
            if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                continue
            annotation = ast.unparse(statement.annotation)
            if "ClassVar" in annotation:
                continue
            if "KW_ONLY" in annotation:
                keyword_only = True
                continue
            if "InitVar" in annotation:
                raise Unknowable
            name = statement.target.id
            default = attributes.get(name, MISSING) if statement.value is not None else MISSING
            if isinstance(default, Field):
                if not default.compared:
                    attributes["__eq__"] = UNKNOWN
                found[name] = Field(
                    name, default.default, default.factory, default.init, default.keyword_only or keyword_only
                )
                if default.factory or default.default is MISSING:
                    attributes.pop(name, None)
                else:
                    attributes[name] = default.default
            else:
                found[name] = Field(name, default, keyword_only=keyword_only)
        return tuple(found.values())

    def _wrap_methods(self, node: ast.ClassDef, attributes: dict[str, Value], inner: Frame) -> None:
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef):
                value = attributes.get(statement.name)
                if isinstance(value, FunctionRef) and statement.decorator_list:
                    attributes[statement.name] = self._decorated(statement, value, inner)

    def _decorated(self, node: ast.FunctionDef, function: FunctionRef, inner: Frame) -> Value:
        """What the decorators of a method make of it."""
        for decorator in node.decorator_list:
            value = self._machine.evaluate(decorator.func if isinstance(decorator, ast.Call) else decorator, inner)
            if not isinstance(value, Library) or not records.transparent(value.dotted):
                if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter"):
                    return UNKNOWN
                return function if function.dsl else UNKNOWN
            kind = value.dotted.rpartition(".")[2]
            if kind in ("property", "cached_property"):
                return Descriptor("property", function)
            if kind in ("staticmethod", "classmethod"):
                return Descriptor(kind[: -len("method")], function)
        return function

    def _make_members(self, node: ast.ClassDef, owner: ClassRef, attributes: dict[str, Value], mixin: str) -> None:
        count = 0
        for statement in node.body:
            if not isinstance(statement, ast.Assign):
                continue
            for target in statement.targets:
                if not isinstance(target, ast.Name) or target.id.startswith("_"):
                    continue
                value = attributes.get(target.id, UNKNOWN)
                if isinstance(value, Library) and value.dotted == "enum.auto":
                    value = target.id.lower() if mixin == "str" else count + 1
                elif isinstance(value, (FunctionRef, Descriptor, Instance)):
                    continue
                count = value if type(value) is int else count
                same_value = [m for m in attributes.values() if isinstance(m, EnumMember) and m.value == value]
                attributes[target.id] = (
                    same_value[0] if same_value and value is not UNKNOWN else EnumMember(owner, target.id, value, mixin)
                )


def _enclosing(frame: Frame) -> Frame | None:
    current: Frame | None = frame
    while current is not None and current.kind in ("class", "module"):
        current = current.parent
    return current
