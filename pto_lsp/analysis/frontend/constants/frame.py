"""Name spaces of the evaluated program."""

from __future__ import annotations

from pto_lsp.analysis.frontend.constants.values import FunctionRef, Value


class Frame:
    """Local names of a module, class body, function or comprehension. Mutable; owned by the evaluation that made it.

    ``parent`` is the enclosing *function's* frame; a module's names are found through ``path``. ``foreign`` are the
    names declared ``global``. ``function`` is the function whose call made the frame. ``target`` is where ``:=`` binds
    in a comprehension; None: in the frame itself.
    """

    __slots__ = ("foreign", "function", "kind", "names", "parent", "path", "prefix", "target")

    def __init__(
        self,
        path: str,
        kind: str,
        names: dict[str, Value],
        parent: Frame | None = None,
        prefix: str = "",
        function: FunctionRef | None = None,
    ) -> None:
        self.path = path
        self.kind = kind
        self.names = names
        self.parent = parent
        self.prefix = prefix
        self.function = function
        self.foreign: frozenset[str] = frozenset()
        self.target: Frame | None = None
