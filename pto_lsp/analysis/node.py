"""The decorator for syntax and IR nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @dataclass_transform(frozen_default=True, eq_default=False)
    def node(cls: type[T]) -> type[T]: ...

else:
    # Type checkers see frozen classes. At run time freezing costs one object.__setattr__ per field, three times
    # the price of the node itself, on the typing path; so the checker alone enforces it. Nodes compare by identity.
    _as_dataclass = dataclass(slots=True, eq=False, repr=False)

    def _repr(self):
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
        return f"{type(self).__qualname__}({fields})"

    def node(cls):
        """One representation for all: compiling one for each class is a good part of what an import costs."""
        made = _as_dataclass(cls)
        if "__repr__" not in cls.__dict__:
            made.__repr__ = _repr
        return made


class Referable:
    """Base of nodes that can be referred to weakly: what is known of them may then be kept for as long as they live."""

    __slots__ = ("__weakref__",)
