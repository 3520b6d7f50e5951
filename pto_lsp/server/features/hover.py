"""Hover: rule codes, Graphs, arguments of launches, task ids, variables. Says nothing about what is not known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from pto_lsp.analysis.ir.expression_printer import print_type
from pto_lsp.analysis.ir.expressions import NO_SPAN
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param
from pto_lsp.analysis.ir.types import is_scalar
from pto_lsp.analysis.ir.visitor import bound_variables
from pto_lsp.analysis.rules import page, registry
from pto_lsp.analysis.task_graph.checks.naming import in_site, keyword_place, task_name
from pto_lsp.analysis.task_graph.describe import argument_text, launch_summary, wait_text
from pto_lsp.analysis.task_graph.model import Argument, Site, SiteKind
from pto_lsp.analysis.task_graph.scalars import text
from pto_lsp.analysis.task_graph.scopes import is_task_id
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph, multiplicity
from pto_lsp.analysis.task_graph.text_view import reason
from pto_lsp.server.features.graph_text import graph_text, parameter_text, variable_text
from pto_lsp.server.features.inlined import inlined_calls
from pto_lsp.server.features.look import Look
from pto_lsp.server.features.words import Word, argument_at, is_last_of, same_tensor, variables_at, word_at

if TYPE_CHECKING:
    from pto_lsp.quickfix.preview import Preview

_RULE_CODE = re.compile(r"PTO\d{3}")
_MARKUP = re.compile(r"[\\`*_<\[\]~]")
_OPENERS = frozenset({"at", "spmd", "cluster", "graph"})
_DIRECTIONS = {Direction.IN: "only read", Direction.OUT: "written", Direction.INOUT: "read and written"}


def rule_page(line: str, column: int) -> str | None:
    """The page of the rule whose code stands at a column, as in a suppression comment."""
    for match in _RULE_CODE.finditer(line):
        if match.start() <= column <= match.end() and match[0] in registry.codes():
            return page.render(registry.rule(match[0]))
    return None


def hover(look: Look, position: types.Position) -> types.Hover | None:
    """What is known about the word at a position."""
    word = word_at(look, position)
    if word is None:
        return None
    parts = list(dict.fromkeys(_Asked(look, word).answers()))
    if not parts:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts))
    return types.Hover(content, look.range(word.span.shifted(word.start)))


def with_previews(found: types.Hover | None, previews: list[Preview]) -> types.Hover | None:
    """A hover, and below it what the quick fixes of the findings there would do to the task graph."""
    told = [f"**{_plain(each.title)}**: {_plain(each.text)}" for each in previews]
    if not told:
        return found
    before = [found.contents.value] if found is not None and isinstance(found.contents, types.MarkupContent) else []
    content = types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join([*before, "\n\n".join(told)]))
    return types.Hover(content, None if found is None else found.range)


class _Asked:
    """What is asked about one word."""

    def __init__(self, look: Look, word: Word) -> None:
        self._look = look
        self._word = word
        self._name = word.name

    def answers(self) -> Iterator[str]:
        """The first kind of answer there is: what a launch says of a variable is more than its type."""
        yield from self._called_graph()
        for kind in (self._definition, self._parameter, self._launch, self._inlined, self._task_ids, self._types):
            parts = list(kind())
            if parts:
                yield from parts
                break
        yield from self._in_graph()

    # Graphs and parameters.

    def _definition(self) -> Iterator[str]:
        for program in self._look.programs:
            for function in program.program.functions.values():
                if function.kind is FunctionKind.GRAPH and self._names(function):
                    plan = program.plan.graphs.get(function.key)
                    if plan is not None:
                        yield graph_text(plan)

    def _names(self, function: Function) -> bool:
        at = function.at
        return self._word.is_in(at.source, function.name_span.shifted(at.offset))

    def _parameter(self) -> Iterator[str]:
        for program in self._look.programs:
            for function in program.program.functions.values():
                for param in function.params:
                    if self._word.is_in(param.at.source, param.name_span.shifted(param.at.offset)):
                        yield _parameter(function, param)

    # Launches.

    def _launch(self) -> Iterator[str]:
        said: dict[str, str] = {}
        for function, words in self._launches():
            said.setdefault(words, function)
        for words, function in said.items():
            yield f"In `{function}`: {words}" if len(said) > 1 else words

    def _launches(self) -> Iterator[tuple[str, str]]:
        """What each graph says, with the name of its function."""
        for folded, site in self._look.sites_at(self._word.source, self._word.span.start):
            name = folded.graph.function.name
            if self._is_callee(site):
                yield name, f"`{task_name(site)}` {_plain(launch_summary(folded, site))}"
                continue
            argument = argument_at(self._word, folded, site)
            if argument is not None:
                yield name, _argument(folded, site, argument, self._name)
                continue
            for task in folded.graph.walk.tasks:
                if task.site is site:
                    for wait in task.waits:
                        place = in_site(site, wait.expr)
                        if wait.expr.span != NO_SPAN and self._word.is_in(place.source, place.span):
                            yield name, f"`{self._name}` {_plain(wait_text(folded.graph, wait))}"
                    break

    def _called_graph(self) -> Iterator[str]:
        """The Graph that is called at the word."""
        for _, site in self._look.sites_at(self._word.source, self._word.span.start):
            if site.kind is SiteKind.GRAPH and site.callee is not None and self._is_callee(site):
                for program in self._look.programs:
                    plan = program.plan.graphs.get(site.callee.key)
                    if plan is not None and plan.function.at.source is site.callee.at.source:
                        yield graph_text(plan)
                        return

    def _inlined(self) -> Iterator[str]:
        """The launches that a call of an inline function stands for."""
        here = self._word.span.shifted(self._word.start)
        for call in inlined_calls(self._look):
            called = self._look.module.document.text.startswith("(", here.end)
            if called and call.span.start <= here.start < here.end <= call.span.end:
                yield f"`{self._name}` is spliced in here: {_plain(call.summary())}"

    def _is_callee(self, site: Site) -> bool:
        """The kernel's name; of a region the word that opens it, or its name."""
        offset = site.statement.at.offset
        if site.callee is None or not site.callee.generated:
            return is_last_of(self._word, getattr(site.call, "callee_span", NO_SPAN).shifted(offset))
        if not self._word.is_in(site.place.source, site.place.span):
            return False
        if self._name in _OPENERS:
            return True
        hint = keyword_place(site, "name_hint")
        return hint.span != site.place.span and self._word.is_in(hint.source, hint.span) and self._name != "name_hint"

    def _task_ids(self) -> Iterator[str]:
        for folded in self._look.graphs:
            made: dict[str, Site] = {}
            for site in folded.sites:
                made.update({var.name: site for var in bound_variables(site.statement) if is_task_id(var)})
            for var in variables_at(self._word, folded.graph.function):
                if var.name in made:
                    site = made[var.name]
                    count = multiplicity(folded.graph, site)
                    times = "" if count == "1" else f", of one of its {count} tasks" if count != "?" else ", of one"
                    yield f"`{self._name}` is the task id of '{_plain(task_name(site))}'{times}"

    # Variables.

    def _in_graph(self) -> Iterator[str]:
        """What becomes of a variable of a Graph at a replay."""
        for program in self._look.programs:
            for plan in program.plan.graphs.values():
                for var in variables_at(self._word, plan.function):
                    words = variable_text(plan, var.name)
                    if words:
                        yield _plain(words)

    def _types(self) -> Iterator[str]:
        for program in self._look.programs:
            for function in program.program.functions.values():
                if function.at.source is self._word.source:
                    for var in variables_at(self._word, function):
                        written = print_type(var.type)
                        if written:
                            yield f"`{self._name}: {written}`"


def _plain(words: str) -> str:
    """Text that Markdown shows as it is: ``w[i*64 : i*64 + 64]`` has no emphasis in it."""
    return _MARKUP.sub(r"\\\g<0>", words)


def _parameter(function: Function, param: Param) -> str:
    written = print_type(param.type)
    head = f"`{param.name}: {written}`" if written else f"`{param.name}`"
    if function.kind is FunctionKind.GRAPH:
        return f"{head}\n\n{_plain(parameter_text(function, param))}"
    if is_scalar(param.type):
        return head
    return f"{head}\n\n{_DIRECTIONS[param.direction]} by '{_plain(function.name)}'"


def _argument(folded: SiteGraph, site: Site, argument: Argument, name: str) -> str:
    lines = [_plain(argument_text(folded.graph, site, argument))]
    head = _typed(argument, name)
    if head:
        lines.insert(0, head)
    buffers = [view.buffer for view in argument.views]
    through = [e for e in folded.edges if e.buffer is not None and any(same_tensor(e.buffer, b) for b in buffers)]
    before = dict.fromkeys(f"{task_name(e.pred)} ({reason(e)})" for e in through if e.succ is site)
    after = dict.fromkeys(f"{task_name(e.succ)} ({reason(e)})" for e in through if e.pred is site)
    if before:
        lines.append(f"waits for: {_plain(', '.join(before))}")
    if after:
        lines.append(f"followed by: {_plain(', '.join(after))}")
    return "\n\n".join(lines)


def _typed(argument: Argument, name: str) -> str:
    """What is passed and its type, with the extents of the view where they are known."""
    if len(argument.views) == 1:
        view = argument.views[0]
        if view.shape is not None and view.buffer.dtype:
            return f"`{name}: pl.Tensor[[{', '.join(map(text, view.shape))}], pl.{view.buffer.dtype}]`"
    written = print_type(argument.param.type) if argument.param is not None else ""
    return f"`{name}: {written}`" if written else ""
