"""How findings call tasks, and where they point (diagnostics.md "Policy": the user's own names)."""

from __future__ import annotations

from pto_lsp.analysis.findings import Note
from pto_lsp.analysis.ir.expressions import NO_SPAN, Expr, Op
from pto_lsp.analysis.ir.place import Place, place
from pto_lsp.analysis.ir.program import Function, FunctionKind
from pto_lsp.analysis.ir.statements import For
from pto_lsp.analysis.task_graph.model import Argument, Loop, Site, Task, Wait


def task_name(site: Site) -> str:
    """``name_hint``, else the kernel or the Graph, else just what it is."""
    if isinstance(site.call, Op) or site.callee is None:
        return "task_dummy"
    hint = site.call.options.name_hint
    if hint:
        return hint
    # The name of a Graph scope is the author's; other outlined regions have none.
    written = not site.callee.generated or site.callee.kind is FunctionKind.GRAPH
    return site.callee.name if written else "region"


def pair_names(first: Site, second: Site) -> tuple[str, str]:
    """Both tasks in quotes, told apart where two launches have the same name."""
    one, two = task_name(first), task_name(second)
    if one == two and first is not second:
        return f"the earlier '{one}'", f"'{two}'"
    return f"'{one}'", f"'{two}'"


def loop_name(loop: Loop) -> str:
    return f"pl.{loop.kind.value} over '{loop.var.label}'" if isinstance(loop, For) else "while"


def in_site(site: Site, expr: Expr) -> Place:
    """The place of an expression of a launch; the launch itself where the expression was not written."""
    if expr.span == NO_SPAN:
        return site.place
    return place(site.statement.at, expr.span)


def argument_place(task: Task, argument: Argument) -> Place:
    return in_site(task.site, argument.expr)


def wait_place(site: Site, wait: Wait) -> Place:
    return in_site(site, wait.expr)


def keyword_place(site: Site, name: str) -> Place:
    """The keyword of a launch's header; the launch where it has none."""
    for keyword in getattr(getattr(site.call, "options", None), "keywords", ()):
        if keyword.name == name and keyword.span != NO_SPAN:
            return place(site.statement.at, keyword.span)
    return site.place


def loop_place(loop: Loop) -> Place:
    return place(loop.at, loop.span)


def loop_note(loop: Loop, message: str = "the loop") -> Note:
    return Note(loop_place(loop), message)


def declared(function: Function, name: str) -> tuple[Note, ...]:
    """Where a parameter of ``function`` is declared; nothing for another name."""
    return tuple([Note(place(p.at, p.span), f"'{name}' is declared here") for p in function.params if p.name == name])


def place_key(where: Place) -> tuple[str, str, int, int, int]:
    """Places compare by identity; this key compares by what they mean."""
    source = where.source
    return (source.path, source.qualname, source.ordinal, where.span.start, where.span.end)
