"""Changes of several launches of one function, collected and then written together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pto_lsp.analysis.ir.place import Anchor
from pto_lsp.analysis.ir.statements import Region, RegionKind, Stmt
from pto_lsp.analysis.source import syntax
from pto_lsp.quickfix.context import Context
from pto_lsp.quickfix.launches.launch_text import Form, LaunchText, launch_text
from pto_lsp.quickfix.launches.lexical import Lexical
from pto_lsp.quickfix.mentions import Mention, fresh, mentions
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused, Rewriter

INDENT = "    "
_LAUNCHING = ("deps", "predicate", "allow_early_resolve")
"""Keywords of a launch, which a call of a kernel does not take."""


@dataclass(slots=True)
class _Plan:
    """What happens to one launch: ``name`` is bound, ``waits`` are listed, ``after`` are statements behind it."""

    launch: LaunchText
    name: str = ""
    waits: list[str] = field(default_factory=list)
    replaced: dict[str, str] = field(default_factory=dict)
    after: list[str] = field(default_factory=list)

    @property
    def touched(self) -> bool:
        return bool(self.name or self.waits or self.replaced)


class LaunchEdits:
    """``safe`` is False once a change does more than add waits."""

    def __init__(self, context: Context, text: FunctionText) -> None:
        self.text = text
        self.rewriter = Rewriter()
        self.safe = True
        self.lexical = Lexical(context.project, text)
        self._mentions = tuple(mentions(text))
        self._taken = {piece.parameter.name for piece in text.placed.function.params}
        self._taken |= {mention.name for mention in self._mentions}
        self._plans: dict[int, _Plan] = {}
        self._before: dict[int, tuple[Stmt, list[str]]] = {}
        self._arrays: dict[object, str] = {}

    def launch(self, at: Anchor) -> LaunchText:
        """The launch whose statement stands at ``at``. Raises `Refused`."""
        return self._plan(at).launch

    def _plan(self, at: Anchor) -> _Plan:
        if at.offset not in self._plans:
            launch = launch_text(self.lexical, self.lexical.at(at))
            for stmt, _ in launch.written.chain:
                if isinstance(stmt, Region) and stmt.kind is RegionKind.CLUSTER:
                    raise Refused("the launch is a part of a cluster, which is one task")
            self._plans[at.offset] = _Plan(launch)
        return self._plans[at.offset]

    def name(self, wanted: str) -> str:
        """A name that nothing in the function has yet."""
        name = fresh(wanted, self._taken)
        self._taken.add(name)
        return name

    def mentions_of(self, name: str) -> list[Mention]:
        return [mention for mention in self._mentions if mention.name == name]

    # -- what a repair asks for ----------------------------------------------------------------------------------

    def bind(self, at: Anchor, task: str) -> str:
        """The name of the id of the launch at ``at``, which gets one where it has none; ``task`` is what to call it
        after. Raises `Refused` for a launch without an id, or whose name is bound by others as well.
        """
        plan = self._plan(at)
        if plan.name:
            return plan.name
        present = plan.launch.task_id()
        if present is None or plan.launch.form is Form.FOR:
            plan.name = self.name(f"{_stem(task)}_tid")
            return plan.name
        uses = self.mentions_of(present.id)
        if sum(mention.binds for mention in uses) > 1:
            raise Ambiguous(f"'{present.id}' stands for several tasks")
        bare = present.id.lstrip("_")
        if bare == present.id or not bare or len(uses) > 1:
            return present.id
        plan.name = self.name(bare)
        return plan.name

    def give_id(self, at: Anchor) -> None:
        """Make a launch one of the form that has a task id, which nobody asks for."""
        plan = self._plan(at)
        if plan.launch.task_id() is None or plan.launch.form is Form.FOR:
            plan.name = self.name("_tid")

    def own_id(self, at: Anchor, task: str) -> str:
        """The same for a use right behind the launch, where its name surely means it."""
        try:
            return self.bind(at, task)
        except Ambiguous:
            present = self._plan(at).launch.task_id()
            assert present is not None
            return present.id

    def wait(self, at: Anchor, entry: str) -> None:
        """List ``entry`` in ``deps=`` of the launch at ``at``."""
        plan = self._plan(at)
        present = [plan.launch.shown(each) for each in plan.launch.entries()]
        if entry not in (*present, *plan.waits, *plan.replaced.values()):
            plan.waits.append(entry)

    def replace_entry(self, at: Anchor, old: str, new: str) -> None:
        """Write ``new`` for the entry ``old``."""
        plan = self._plan(at)
        if old not in [plan.launch.shown(each) for each in plan.launch.entries()]:
            raise Refused(f"'{old}' is not listed as such")
        plan.replaced[old] = new

    def array(self, before: Stmt, of: Anchor, task: str, slots: int, index: str) -> str:
        """The name of an array of task ids, made before ``before``, in whose slot ``index`` the launch at ``of`` puts
        its id.
        """
        key = (before.at.offset, of.offset)
        if key not in self._arrays:
            own = self.own_id(of, task)
            name = self.name(f"{_stem(task)}_tids" if slots > 1 else f"{_stem(task)}_slot")
            self._arrays[key] = name
            self.insert_before(before, f"{name} = pl.array.create({slots}, pl.TASK_ID)")
            self._plan(of).after.append(f"{name}[{index}] = {own}")
        return self._arrays[key]

    def insert_before(self, stmt: Stmt, line: str) -> None:
        self._before.setdefault(stmt.at.offset, (stmt, []))[1].append(line)

    # -- writing -------------------------------------------------------------------------------------------------

    def write(self) -> Rewriter:
        # At one place, what belongs behind a line stands before what belongs in front of the next one.
        for plan in self._plans.values():
            if plan.after:
                indent = self.text.indentation(plan.launch.line)
                insert_after(self.rewriter, self.text, plan.launch.end, [f"{indent}{line}" for line in plan.after])
        for stmt, lines in self._before.values():
            place = self.lexical.of(stmt)
            begin = self.text.begin_of_line(self.text.chunk_start + place.line.start)
            indent = self.text.indentation(place.line)
            self.rewriter.insert(self.text.path, begin, "".join(f"{indent}{x}{self.text.newline}" for x in lines))
        for plan in self._plans.values():
            self._write(plan)
        return self.rewriter

    def _write(self, plan: _Plan) -> None:
        if plan.touched and plan.launch.form is Form.CALL:
            self._call(plan)
        elif plan.touched:
            self._entries(plan)
            if plan.name:
                self._bind(plan)

    def _entries(self, plan: _Plan) -> None:
        launch = plan.launch
        for entry in launch.entries():
            new = plan.replaced.get(launch.shown(entry))
            if new is not None:
                span = launch.span(entry.span)
                self.rewriter.replace(self.text.path, span.start, span.end, new)
        if plan.waits:
            launch.add_waits(self.rewriter, plan.waits)
        if plan.waits and launch.form is Form.WITH and launch.target is None and not plan.name and _is_grid(launch):
            # deps= of a grid is accepted only together with "as".
            plan.name = self.name("_tid")

    def _bind(self, plan: _Plan) -> None:
        launch, path = plan.launch, self.text.path
        present = launch.task_id()
        if launch.form is Form.FOR:
            call = launch.span(launch.call.span)
            self.rewriter.replace(path, launch.base, call.start, "with ")
            self.rewriter.insert(path, call.end, f" as {plan.name}")
            if not isinstance(launch.target, syntax.Name) or not launch.line.children:
                raise Refused("the loop over blocks is not written in the usual way")
            first = self.text.chunk_start + launch.line.children[0].start
            begin = self.text.begin_of_line(first)
            inner = self.text.text[begin:first]
            line = f"{inner}{launch.target.id} = pl.get_block_idx(){self.text.newline}"
            self.rewriter.insert(path, begin, line)
        elif present is not None:
            span = launch.span(present.span)
            self.rewriter.replace(path, span.start, span.end, plan.name)
        elif launch.form is Form.WITH:
            self.rewriter.insert(path, launch.span(launch.call.span).end, f" as {plan.name}")
        elif launch.form is Form.DUMMY and launch.target is None:
            self.rewriter.insert(path, launch.base, f"{plan.name} = ")
        else:
            raise Refused("the results of the launch are not unpacked")

    def _call(self, plan: _Plan) -> None:
        """A plain call gets the form that has a task id."""
        launch, path = plan.launch, self.text.path
        func = launch.shown(launch.call.func)
        if not func.startswith("self."):
            self._grid(plan)
            return
        if launch.target is None:
            raise Refused("the results of the call are not bound")
        if any(_is_no_dep(argument.value) is None for argument in launch.call.args):
            raise Refused("the arguments of the call are not plain ones")
        target = launch.span(launch.target.span)
        if isinstance(launch.target, syntax.TupleDisplay) and self.text.text[target.start] != "(":
            self.rewriter.insert(path, target.start, "(")
            self.rewriter.insert(path, target.end, f"), {plan.name or self.name('_tid')}")
        else:
            self.rewriter.insert(path, target.end, f", {plan.name or self.name('_tid')}")
        first = launch.listing.items[0].start if launch.listing.items else launch.listing.open
        begin = self.text.begin_of_line(first)
        call = launch.base + launch.call.span.start
        if begin > call and not self.text.text[begin:first].strip():
            # One argument per line.
            self.rewriter.replace(path, call, launch.listing.open, "pl.submit(")
            self.rewriter.insert(path, first, f"{func},{self.text.newline}{self.text.text[begin:first]}")
        else:
            self.rewriter.replace(path, call, launch.listing.open, f"pl.submit({func}, ")
        if plan.waits:
            launch.add_waits(self.rewriter, plan.waits)

    def _grid(self, plan: _Plan) -> None:
        """``y = put(x, y)`` of a ``@pl.jit`` function inside ``with pl.spmd(1) as tid:``, one task as before."""
        launch, text = plan.launch, self.text
        self.safe = False
        begin, indent = text.begin_of_line(launch.base), text.indentation(launch.line)
        deps = [*(launch.shown(entry) for entry in launch.entries()), *plan.waits]
        options = [f"deps=[{', '.join(deps)}]"] if deps else []
        for argument in launch.call.args:
            if argument.keyword in _LAUNCHING:
                launch.remove_keyword(self.rewriter, argument.keyword)
                options += [launch.shown_argument(argument)] if argument.keyword != "deps" else []
        name = plan.name or self.name("_tid")
        head = f"{indent}with pl.spmd({', '.join(['1', *options])}) as {name}:{text.newline}{INDENT}"
        self.rewriter.insert(text.path, begin, head)
        for match in re.finditer(r"\r\n|\r|\n", launch.line.text):
            self.rewriter.insert(text.path, launch.base + match.end(), INDENT)


class Ambiguous(Refused):
    """The name of an id is bound by several launches."""


def _stem(task: str) -> str:
    """The beginning of a name, from what a task is called: hints need not be names."""
    stem = re.sub(r"\W+", "_", task).strip("_")
    return stem if stem.isidentifier() else "task"


def _is_grid(launch: LaunchText) -> bool:
    stmt = launch.written.stmt
    return isinstance(stmt, Region) and stmt.kind is RegionKind.SPMD


def _is_no_dep(value: syntax.Expr) -> bool | None:
    return None if isinstance(value, syntax.Other) else False


def insert_after(rewriter: Rewriter, text: FunctionText, end: int, lines: list[str]) -> None:
    """Insert ``lines``, without terminators, below the physical line that ``end`` stands in."""
    below = text.end_of_line(end)
    if text.text[below - 1 : below] in ("\n", "\r"):
        rewriter.insert(text.path, below, "".join(f"{line}{text.newline}" for line in lines))
    else:
        rewriter.insert(text.path, below, "".join(f"{text.newline}{line}" for line in lines))
