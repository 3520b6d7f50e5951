"""What a name of a module can stand for.

Data is plain Python: int, float, bool, str, bytes, None, tuple, list, dict, set, frozenset, range and slice; a
container may hold ``UNKNOWN`` and any other value below. Values handed out are shared by caches: whoever receives one
must not change it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pto_lsp.analysis.frontend.constants.code import FunctionCode
    from pto_lsp.analysis.frontend.constants.frame import Frame

Value = object


class Unknown:
    """Type of ``UNKNOWN``; compare with ``is``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class DynamicSymbol:
    """``pl.dynamic("M")``."""

    name: str


@dataclass(frozen=True, slots=True)
class DType:
    """A data type of the DSL: ``pl.FP32`` is ``DType("FP32")``."""

    name: str


@dataclass(frozen=True, slots=True)
class PlAttribute:
    """Any other name of the DSL, spelled from ``pl`` or ``pld`` on: "pl", "pl.Level.CORE_GROUP", "pld.window"."""

    dotted: str


@dataclass(frozen=True, slots=True)
class PlSubscript:
    """A subscripted DSL name used as a value, that is a type alias: ``KV = pl.Tensor[[M, N], pl.FP32]``."""

    dotted: str
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the user's; ``path`` is what the importer resolved it to."""

    path: str


@dataclass(frozen=True, slots=True)
class Library:
    """A builtin or a name of the standard library: "len", "math", "math.ceil", "typing.Optional"."""

    dotted: str


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A ``def`` (or lambda) of the user's. ``ordinal`` counts the functions of the same qualified name that stand
    before it in the file. ``dsl`` tells that a decorator makes it a DSL function; such a one is never called here.

    ``code``, ``scope`` and ``defaults`` (by parameter) serve the interpreter.
    Two references to one place in a file are equal even when the text behind them differs (``comparison.same`` tells
    them apart).
    """

    path: str
    qualname: str
    ordinal: int = 0
    dsl: bool = field(default=False, compare=False)
    code: FunctionCode | None = field(default=None, compare=False, repr=False)
    scope: Frame | None = field(default=None, compare=False, repr=False)
    defaults: dict[str, Value] | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a dataclass or named tuple. ``default`` is ``MISSING`` when there is none; a ``factory`` is called."""

    name: str
    default: Value
    factory: bool = False
    init: bool = True
    keyword_only: bool = False
    compared: bool = True


class Missing:
    """Type of ``MISSING``: there is no value, as opposed to one that is not known."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


@dataclass(frozen=True, slots=True)
class ClassBody:
    """What the interpreter knows about a class. ``kind`` is "plain", "dataclass", "enum" or "namedtuple".

    ``open`` means that a base or decorator is not understood: instances of such a class are UNKNOWN.
    ``mixin`` is the data type an enum derives from ("int", "str" or "").
    """

    attributes: dict[str, Value]
    bases: tuple[ClassRef, ...] = ()
    kind: str = "plain"
    fields: tuple[Field, ...] = ()
    frozen: bool = False
    open: bool = False
    mixin: str = ""


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of the user's; ``dsl`` tells that it is a ``@pl.program``. ``body`` is None for a DSL class."""

    path: str
    qualname: str
    ordinal: int = 0
    dsl: bool = field(default=False, compare=False)
    body: ClassBody | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.qualname.rpartition(".")[2]


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """An object of a class of the user's. ``fields`` are the instance attributes in order of assignment."""

    cls: ClassRef
    fields: dict[str, Value]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Instance) or self.cls != other.cls:
            return False
        body = self.cls.body
        return body is not None and body.kind != "plain" and self.fields == other.fields

    def __hash__(self) -> int:
        return hash((self.cls, tuple(self.fields)))


@dataclass(frozen=True, slots=True)
class EnumMember:
    """``value`` is the data behind it; ``mixin`` as in ``ClassBody``."""

    cls: ClassRef
    name: str
    value: Value = field(compare=False)
    mixin: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class BoundMethod:
    """``receiver.name``. ``function`` is None for a method of a data type (``text.split``)."""

    receiver: Value
    name: str
    function: FunctionRef | None = None


@dataclass(slots=True, eq=False)
class Lazy:
    """An iterator or a view of a dict, as the items it still has. It is used at once or forgotten: whoever stores it
    stores UNKNOWN, as what it yields may change until it is asked.
    """

    rest: list[Value]


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A class attribute wrapped by ``property``, ``cached_property`` (both "property"), "static" or "class"."""

    kind: str
    function: FunctionRef


OPEN = "*"
"""Name in a module's name space that says: there are more names than are known (``from … import *``)."""

SCALARS = frozenset({int, float, bool, str, bytes, type(None)})
CONTAINERS = frozenset({list, tuple, dict, set, frozenset})
PLAIN = SCALARS | CONTAINERS | {range, slice, complex}


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
