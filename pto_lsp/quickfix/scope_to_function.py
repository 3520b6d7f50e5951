"""A ``with pl.graph(...)`` region becomes a Graph function of its own (rules.md O21)."""

from __future__ import annotations

import re

from pto_lsp.analysis.frontend.constants.values import MISSING
from pto_lsp.analysis.graph_boundary.call_sites import CallSite
from pto_lsp.analysis.graph_boundary.graph_plan import GraphPlan
from pto_lsp.analysis.ir.printer import print_type
from pto_lsp.analysis.ir.program import Direction, Param
from pto_lsp.analysis.ir.statements import Assign, Return, Unpack
from pto_lsp.analysis.ir.types import Type
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.analysis.source.logical_lines import LogicalLine
from pto_lsp.project import Project
from pto_lsp.quickfix.context import Draft
from pto_lsp.quickfix.mentions import names_of
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused, Rewriter

STEP = "    "
_WRAPPED = re.compile(r"pl\.(?:InOut|Out)\[(.*)\]", re.DOTALL)


def build(project: Project, program: ProgramAnalysis, plan: GraphPlan, text: FunctionText, line: LogicalLine) -> Draft:
    """``line`` is the ``with``, ``plan`` what became of its region. Raises `Refused`."""
    sites = [site for site in program.plan.call_sites if site.graph == plan.key]
    if len(sites) != 1 or not line.children:
        raise Refused("the region is not one Graph")
    name, method = plan.name, text.placed.function.method
    known = project.closure(text.path, text.module, text.placed).lookup(name)
    siblings = text.module.syntax.programs.get(text.placed.function.owner, ()) if method else ()
    if name in names_of(text) or known is not MISSING or any(each.found.name == name for each in siblings):
        raise Refused(f"'{name}' is the name of something else")
    rewriter = Rewriter()
    start, end = _begin_above(text), _end_of_block(text, line)
    outer = text.text[text.begin_of_line(text.start) : text.start + _width(text.text[text.start :])]
    rewriter.insert(text.path, start, _definition(text, plan, line, end, outer))
    begin = text.begin_of_line(text.chunk_start + line.start)
    call = f"{text.indentation(line)}{_call(sites[0], plan, method)}{text.newline}"
    rewriter.replace(text.path, begin, end, call)
    return Draft(rewriter, True)


def _definition(text: FunctionText, plan: GraphPlan, line: LogicalLine, end: int, outer: str) -> str:
    method, newline = text.placed.function.method, text.newline
    function = plan.function
    params = [*(["self"] if method else []), *(f"{p.name}: {_annotation(text, p)}" for p in function.params)]
    decorator = "@pl.function(type=pl.FunctionType.Graph)" if method else "@pl.jit.graph"
    results = _results(plan)
    arrow = f" -> {_returns(function.returns)}" if method and function.returns else ""
    lines = [f"{outer}{decorator}{newline}", f"{outer}def {plan.name}({', '.join(params)}){arrow}:{newline}"]
    body = text.text[text.end_of_line(text.chunk_start + line.end) : end]
    lines.append(_reindented(body, text.indentation(line.children[0]), outer + STEP))
    if results:
        lines.append(f"{outer}{STEP}return {', '.join(results)}{newline}")
    return "".join(lines) + newline * (1 if method else 2)


def _annotation(text: FunctionText, param: Param) -> str:
    """As the enclosing function spells it where the value is a parameter of that as well."""
    written = ""
    for piece in text.placed.function.params:
        own = piece.parameter
        if own.name == param.name and own.annotation is not None:
            begin = text.start + piece.start
            written = text.text[begin + own.annotation.span.start : begin + own.annotation.span.end]
    wrapped = _WRAPPED.fullmatch(written)
    bare = wrapped[1] if wrapped is not None else written or print_type(param.type)
    if not bare or "..." in bare:
        raise Refused(f"the type of '{param.name}' is not known")
    return f"pl.InOut[{bare}]" if param.direction is not Direction.IN else bare


def _returns(types: tuple[Type, ...]) -> str:
    shown = [print_type(each) for each in types]
    return shown[0] if len(shown) == 1 else f"tuple[{', '.join(shown)}]"


def _results(plan: GraphPlan) -> list[str]:
    """The names that the region hands on."""
    for stmt in walk_block(plan.function.body or ()):
        if isinstance(stmt, Return):
            labels = [getattr(value, "label", "") for value in stmt.values]
            if not all(labels):
                raise Refused("the region hands on something without a name")
            return labels
    return []


def _call(site: CallSite, plan: GraphPlan, method: bool) -> str:
    stmt = site.stmt
    targets = stmt.targets if isinstance(stmt, Unpack) else (stmt.target,) if isinstance(stmt, Assign) else ()
    arguments = ", ".join(param.name for param in plan.function.params)
    call = f"{'self.' if method else ''}{plan.name}({arguments})"
    return f"{', '.join(target.label for target in targets)} = {call}" if targets else call


def _begin_above(text: FunctionText) -> int:
    """The beginning of the comment lines directly above the function."""
    begin = text.begin_of_line(text.start)
    while begin > 0:
        above = text.begin_of_line(begin - (2 if text.text[:begin].endswith("\r\n") else 1))
        if not text.text[above:begin].lstrip().startswith("#"):
            break
        begin = above
    return begin


def _end_of_block(text: FunctionText, line: LogicalLine) -> int:
    last = line
    while last.children:
        last = last.children[-1]
    return text.end_of_line(text.chunk_start + last.end)


def _width(text: str) -> int:
    """How many blanks ``text`` begins with."""
    return len(text) - len(text.lstrip(" \t"))


def _reindented(body: str, old: str, new: str) -> str:
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", body)
    return "".join([new + line[len(old) :] if line.startswith(old) else line for line in lines])
