"""Launches written in a form that their place does not have (diagnostics.md TG008, TG013, TG018)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Submit
from pto_lsp.analysis.ir.statements import Assign, Evaluate, Unpack
from pto_lsp.analysis.source import syntax
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.launches.edits import INDENT, LaunchEdits
from pto_lsp.quickfix.launches.launch_text import Form, LaunchText, launch_text
from pto_lsp.quickfix.launches.lexical import Lexical
from pto_lsp.quickfix.mentions import fresh, mentions, names_of
from pto_lsp.quickfix.rewriter import Refused, Rewriter


def build(context: Context) -> Draft:
    code = context.finding.code
    if code == "PTO608":
        edits = LaunchEdits(context, context.text)
        edits.give_id(context.finding.place.anchor)
        return Draft(edits.write(), edits.safe, comparable=False)
    return _unpacked(context) if code == "PTO613" else _not_submitted(context)


def _unpacked(context: Context) -> Draft:
    """The results of a submit are named after the outputs it is given, the task id last."""
    text = context.text
    lexical = Lexical(context.project, text)
    written = lexical.at(context.finding.place.anchor)
    launch = launch_text(lexical, written)
    stmt = written.stmt
    value = stmt.value if isinstance(stmt, (Assign, Unpack, Evaluate)) else None
    program = context.program
    callee = program.program.functions.get(value.callee) if isinstance(value, Submit) and program is not None else None
    if not isinstance(value, Submit) or callee is None or program is None or launch.form is not Form.SUBMIT:
        raise Refused("the kernel is not known")
    final = program.stages.final.functions.get(value.callee, callee)
    sources = program.tasks.analyser.results.of(final)
    # The first argument is the kernel.
    given = [launch.shown(each.value) for each in launch.call.args if each.keyword is None][1:]
    results = [given[s] if s is not None and s < len(given) else "" for s in sources]
    if not results or not all(name.isidentifier() for name in results):
        raise Refused("the results have no names yet")
    tid = _kept_id(launch, results) or fresh("_tid", names_of(text))
    shown = f"({', '.join(results)}), {tid}" if len(results) > 1 else f"{results[0]}, {tid}"
    rewriter = Rewriter()
    if launch.target is None:
        rewriter.insert(text.path, launch.base, f"{shown} = ")
    else:
        span = launch.span(launch.target.span)
        rewriter.replace(text.path, span.start, span.end, shown)
    return Draft(rewriter, launch.target is None, comparable=False)


def _kept_id(launch: LaunchText, results: list[str]) -> str:
    """The last target, when it is no result."""
    target = launch.target
    last = target.items[-1] if isinstance(target, syntax.TupleDisplay) and target.items else None
    return last.id if isinstance(last, syntax.Name) and last.id not in results else ""


def _not_submitted(context: Context) -> Draft:
    """``y, a = pl.submit(put, x, y)`` of a ``@pl.jit`` function → ``y = put(x, y)``, in ``with pl.spmd(1) as a:``
    where the id or an option is wanted.
    """
    text = context.text
    lexical = Lexical(context.project, text)
    launch = launch_text(lexical, lexical.at(context.finding.place.anchor))
    target, arguments = launch.target, launch.call.args
    if not isinstance(target, syntax.TupleDisplay) or len(target.items) != 2 or not arguments:
        raise Refused("the results are not unpacked")
    results, tid = target.items
    kernel = arguments[0].value
    options = [launch.shown(a.value) for a in arguments if a.keyword == "core_num"]
    kept = [a for a in arguments if a.keyword in ("deps", "predicate", "allow_early_resolve")]
    if not isinstance(kernel, syntax.Name) or not isinstance(tid, syntax.Name):
        raise Refused("the kernel is not a function of the module")
    if any(a.star or (a.keyword is not None and a not in kept and a.keyword != "core_num") for a in arguments):
        raise Refused("the launch has options that no other form takes")
    if "#" in launch.line.text:
        raise Refused("there is a comment in the launch")
    passed = [launch.shown_argument(a) for a in arguments[1:] if a not in kept and a.keyword != "core_num"]
    call = f"{launch.shown(results).strip('()')} = {kernel.id}({', '.join(passed)})"
    rewriter = Rewriter()
    used = any(m.name == tid.id and not m.binds for m in mentions(text))
    if used or kept or options:
        settings = ", ".join([options[0] if options else "1", *(launch.shown_argument(a) for a in kept)])
        indent = text.indentation(launch.line)
        call = f"with pl.spmd({settings}) as {tid.id}:{text.newline}{indent}{INDENT}{call}"
    rewriter.replace(text.path, launch.base, launch.base + len(launch.line.text), call)
    return Draft(rewriter, False, comparable=False)
