"""Names under which a function prints, so that Python's rebinding says what SSA form says.

Versions of one variable (``c``, ``c.1``, ``c.2``) share a *slot*, a name in the text, as long as each use finds in its
slot the version it means. Where it would not, the version in the way gets a slot of its own. A loop or branch whose
joins do not follow from plain rebinding is printed with ``init_values=`` and ``pl.yield_``.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable

from pto_lsp.analysis.ir.expressions import Expr, Unknown, Var
from pto_lsp.analysis.ir.program import Function
from pto_lsp.analysis.ir.statements import Block, Carry, For, If, Region, Return, Stmt, While
from pto_lsp.analysis.ir.uses import bound_in, expression_uses, option_uses, ordered_uses
from pto_lsp.analysis.ir.visitor import blocks, bound_variables, statement_exprs

_Held = dict[str, tuple[str, ...]]
"""Slot → the versions that may be in it."""


class _Restart(Exception):
    """A decision changed: the walk has to be done again."""


class SurfaceNames:
    """The names of one function. ``reserved`` are words that mean something else where the function is printed.

    ``aliases`` (``write_backs.parameter_aliases``) say which names are a parameter's buffer. A function that returns
    the parameter then prints as one that returns what is made of it, which NormalizeReturnOrder takes for the same.
    """

    def __init__(self, function: Function, reserved: Iterable[str] = (), aliases: dict[str, str] | None = None) -> None:
        self._body = function.body or ()
        self._aliases = aliases or {}
        self._params = {p.name for p in function.params}
        self._own_slot: set[str] = set()
        self._explicit: set[int] = set()
        self._bound: dict[int, dict[str, Var]] = {}
        while not self._settled():
            pass
        self._words: dict[str, str] = {}
        self._taken = {*reserved, "pl", "pld", "self"}
        for param in function.params:
            self._words[self._slot(param.name)] = param.name
            self._taken.add(param.name)
        for var in bound_in(self._body).values():
            self._assign_word(var.name, var.label)

    def name(self, var: Var) -> str:
        """The text of a use or binding of ``var``."""
        word = self._words.get(self._slot(var.name))
        return word if word is not None else self._assign_word(var.name, var.label)

    def is_explicit(self, stmt: For | While | If) -> bool:
        """Whether the joins of ``stmt`` have to be spelled out."""
        return id(stmt) in self._explicit

    # ---- slots

    def _slot(self, name: str) -> str:
        return name if name in self._own_slot else _variable(name)

    def _assign_word(self, name: str, label: str) -> str:
        slot = self._slot(name)
        known = self._words.get(slot)
        if known is not None:
            return known
        wish = label if label.isidentifier() else _identifier(name)
        word, number = wish, 0
        while word in self._taken or keyword.iskeyword(word):
            number += 1
            word = f"{wish}_{number}"
        self._taken.add(word)
        self._words[slot] = word
        return word

    def _settled(self) -> bool:
        held: _Held = {self._slot(p): (p,) for p in self._params}
        try:
            self._block(self._body, held)
        except _Restart:
            return False
        return True

    def _separate(self, name: str, holders: Iterable[str]) -> None:
        """Give a version that is in the way of ``name`` a slot of its own, or ``name`` itself."""
        for candidate in (*holders, name):
            alone = candidate in self._own_slot or candidate in self._params
            if not alone and (candidate != name or name not in self._params):
                self._own_slot.add(candidate)
                raise _Restart

    def _spell_out(self, stmt: Stmt) -> None:
        self._explicit.add(id(stmt))
        raise _Restart

    # ---- the walk

    def _use(self, var: Var, held: _Held) -> None:
        versions = held.get(self._slot(var.name))
        if versions is not None and versions != (var.name,):
            self._separate(var.name, [v for v in versions if v != var.name])

    def _uses(self, expr: Expr, held: _Held) -> None:
        for var in expression_uses(expr):
            self._use(var, held)

    def _bind(self, var: Var, held: _Held) -> None:
        held[self._slot(var.name)] = (var.name,)

    def _block(self, block: Block, held: _Held) -> None:
        for stmt in block:
            if isinstance(stmt, (For, While)):
                self._loop(stmt, held)
            elif isinstance(stmt, If):
                self._branch(stmt, held)
            else:
                self._plain(stmt, held)

    def _plain(self, stmt: Stmt, held: _Held) -> None:
        if isinstance(stmt, Region):
            for var in option_uses(stmt.options):
                self._use(var, held)
            if stmt.index is not None:
                self._bind(stmt.index, held)
        elif isinstance(stmt, Return):
            for value in stmt.values:
                if not self._is_written_back(value, held):
                    self._uses(value, held)
        else:
            for expr in statement_exprs(stmt):
                self._uses(expr, held)
        for body in blocks(stmt):
            self._block(body, held)
        for var in bound_variables(stmt):
            if not isinstance(stmt, Region) or var is stmt.task_id:
                self._bind(var, held)

    def _is_written_back(self, value: Expr, held: _Held) -> bool:
        """Whether a returned parameter is what its slot holds, under another version."""
        if not isinstance(value, Var) or value.name not in self._params:
            return False
        versions = held.get(self._slot(value.name), ())
        return len(versions) == 1 and self._aliases.get(versions[0]) == value.name

    def _loop(self, loop: For | While, held: _Held) -> None:
        explicit = id(loop) in self._explicit
        if isinstance(loop, For):
            for expr in (loop.start, loop.stop, loop.step):
                self._uses(expr, held)
        for carry in loop.carries:
            if explicit:
                self._uses(carry.init, held)
            elif not self._enters_by_itself(carry, held):
                self._spell_out(loop)
        self._check_trips(loop)
        for carry in loop.carries:
            self._bind(carry.inner, held)
        if isinstance(loop, For):
            self._bind(loop.var, held)
        else:
            self._uses(loop.condition, held)
        self._block(loop.body, held)
        for carry in loop.carries:
            if explicit:
                self._uses(carry.update, held)
            elif not self._is_held(carry.update, carry.inner, held):
                self._spell_out(loop)
        for carry in loop.carries:
            self._bind(carry.result, held)

    def _enters_by_itself(self, carry: Carry, held: _Held) -> bool:
        """Whether the slot of the carried name holds the initial value when the loop begins."""
        slot = self._slot(carry.inner.name)
        if slot != self._slot(carry.result.name):
            return False
        if isinstance(carry.init, Unknown):
            return True
        if not isinstance(carry.init, Var) or carry.init.name == carry.inner.name:
            return False
        return self._is_held(carry.init, carry.inner, held)

    def _is_held(self, value: Expr, like: Var, held: _Held) -> bool:
        """Whether ``value`` is what the slot of ``like`` holds."""
        slot = self._slot(like.name)
        if isinstance(value, Unknown):
            return True
        return isinstance(value, Var) and self._slot(value.name) == slot and held.get(slot) == (value.name,)

    def _check_trips(self, loop: For | While) -> None:
        """A version from outside the loop must still be in its slot on the second trip."""
        inside = self._bound_inside(loop)
        slots: dict[str, list[str]] = {}
        for name in inside:
            slots.setdefault(self._slot(name), []).append(name)
        own = {loop.var.name} if isinstance(loop, For) else set()
        own.update([c.inner.name for c in loop.carries])
        for var in ordered_uses(loop.body):
            if var.name not in inside and var.name not in own and self._slot(var.name) in slots:
                self._separate(var.name, slots[self._slot(var.name)])

    def _bound_inside(self, loop: For | While) -> dict[str, Var]:
        known = self._bound.get(id(loop))
        if known is None:
            known = self._bound[id(loop)] = bound_in(loop.body)
        return known

    def _branch(self, stmt: If, held: _Held) -> None:
        self._uses(stmt.condition, held)
        explicit = id(stmt) in self._explicit
        then, orelse = dict(held), dict(held)
        self._block(stmt.then, then)
        self._block(stmt.orelse, orelse)
        for phi in stmt.phis:
            if explicit:
                self._uses(phi.then, then)
                self._uses(phi.orelse, orelse)
            elif not (self._is_held(phi.then, phi.result, then) and self._is_held(phi.orelse, phi.result, orelse)):
                self._spell_out(stmt)
        for slot in {*then, *orelse}:
            both = tuple(dict.fromkeys((*then.get(slot, ()), *orelse.get(slot, ()))))
            held[slot] = both
        for phi in stmt.phis:
            self._bind(phi.result, held)


def _variable(name: str) -> str:
    """The variable that ``name`` is a version of."""
    base, dot, version = name.rpartition(".")
    return base if dot and version.isdigit() else name


def _identifier(name: str) -> str:
    text = "".join([c if c.isalnum() or c == "_" else "_" for c in name])
    return text if text.isidentifier() else f"_{text}"
