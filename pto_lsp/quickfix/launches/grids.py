"""Launches that become one task of several blocks: ``pl.spmd`` (diagnostics.md TG001, TG009, TG207, TG208)."""

from __future__ import annotations

from pto_lsp.analysis.ir.expressions import Call, Op
from pto_lsp.analysis.ir.statements import For, LoopKind, Region, RegionKind
from pto_lsp.analysis.ir.visitor import statement_exprs, walk, walk_block
from pto_lsp.analysis.source import syntax
from pto_lsp.quickfix.context import Context, Draft
from pto_lsp.quickfix.graph_change import GraphChange, Keeps
from pto_lsp.quickfix.launches.blocks import unwrap
from pto_lsp.quickfix.launches.edits import LaunchEdits
from pto_lsp.quickfix.launches.graphs import site_of
from pto_lsp.quickfix.launches.launch_text import LaunchText, launch_text
from pto_lsp.quickfix.launches.lexical import Lexical, trips_of
from pto_lsp.quickfix.mentions import fresh, names_of
from pto_lsp.quickfix.rewriter import Refused, Rewriter

_SHARED = ("name_hint", "deps", "predicate", "allow_early_resolve", "optimizations")
"""Keywords of ``pl.at`` that ``pl.spmd`` takes as well."""


def build(context: Context) -> Draft:
    code = context.finding.code
    if code == "PTO601":
        return _guarded(context)
    if code == "PTO609":
        return _named(context)
    return merged(context)


def _named(context: Context) -> Draft:
    """A grid with ``deps=`` gets a name for its id."""
    edits = LaunchEdits(context, context.text)
    edits.give_id(context.finding.place.anchor)
    return Draft(edits.write(), True, comparable=False)


def _guarded(context: Context) -> Draft:
    """``with pl.at(level=…, predicate=P)`` → ``with pl.spmd(1, predicate=P)``: one block is one task."""
    text = context.text
    lexical = Lexical(context.project, text)
    launch = launch_text(lexical, lexical.at(context.finding.place.anchor))
    rewriter = Rewriter()
    _as_grid(rewriter, launch, "1")
    region = launch.written.stmt
    if launch.keyword("deps") is not None and launch.target is None:
        name = fresh("_tid", names_of(text))
        rewriter.insert(text.path, launch.span(launch.call.span).end, f" as {name}")
    if isinstance(region, Region) and not _is_grid_body(region):
        if not launch.line.children:
            raise Refused("the block stands on the line of its header")
        first = text.chunk_start + launch.line.children[0].start
        begin = text.begin_of_line(first)
        name = fresh("_b", names_of(text))
        line = f"{text.text[begin:first]}{name} = pl.tile.get_block_idx(){text.newline}"
        rewriter.insert(text.path, begin, line)
    return Draft(rewriter, True, comparable=False)


def _as_grid(rewriter: Rewriter, launch: LaunchText, blocks: str) -> None:
    """Write ``pl.spmd(blocks, …)`` for ``pl.at(level, …)``. Raises `Refused` for options a grid does not have."""
    func, text = launch.call.func, launch.text
    if not isinstance(func, syntax.Attribute) or func.attr != "at" or not launch.call.args:
        raise Refused("the region is not written in the usual way")
    for index, argument in enumerate(launch.call.args):
        is_level = argument.keyword == "level" or (argument.keyword is None and index == 0)
        if not is_level and argument.keyword not in _SHARED:
            raise Refused(f"pl.spmd has no {argument.keyword}=")
    span = launch.span(func.span)
    rewriter.replace(text.path, span.end - len(func.attr), span.end, "spmd")
    first = launch.call.args[0]
    where = launch.span(first.span)
    if first.keyword in (None, "level"):
        rewriter.replace(text.path, where.start, where.end, blocks)
    else:
        rewriter.insert(text.path, where.start, f"{blocks}, ")
        launch.remove_keyword(rewriter, "level")


def _is_grid_body(region: Region) -> bool:
    """A grid's block reads its index, or is one call of a kernel (semantics.md §11.1)."""
    for stmt in walk_block(region.body):
        for expr in statement_exprs(stmt):
            for part in walk(expr):
                if isinstance(part, Call) or (isinstance(part, Op) and part.name.endswith("get_block_idx")):
                    return True
    return False


def merged(context: Context) -> Draft:
    """``for i in pl.parallel(n): with pl.at(…)`` → ``with pl.spmd(n): i = pl.get_block_idx()``."""
    _, site = site_of(context)
    text = context.text_of(site.statement.at.source)
    lexical = Lexical(context.project, text)
    written = lexical.at(site.statement.at)
    launch = launch_text(lexical, written)
    loop = written.chain[-1][0] if written.chain else None
    region = written.stmt
    if not isinstance(region, Region) or region.kind is not RegionKind.AT or launch.target is not None:
        raise Refused("the launch is no region without a task id")
    if not isinstance(loop, For) or loop.kind not in (LoopKind.RANGE, LoopKind.PARALLEL):
        raise Refused("no loop stands directly around the launch")
    outer = lexical.of(loop)
    trips = trips_of(loop)
    if len(outer.line.children) != 1 or trips.start != 0 or trips.step != 1 or _is_grid_body(region):
        raise Refused("the loop does more than launch the region once per trip")
    header = launch_text(lexical, outer)
    count = [argument for argument in header.call.args if argument.keyword is None]
    if len(count) != len(header.call.args) or not isinstance(header.target, syntax.Name):
        raise Refused("the loop has options")
    stop = header.shown(count[min(1, len(count) - 1)].value)
    if launch.keyword("deps") is not None or launch.keyword("predicate") is not None:
        raise Refused("every task of the loop has waits of its own")
    rewriter = Rewriter()
    unwrap(rewriter, text, outer.line)
    _as_grid(rewriter, launch, stop)
    if not launch.line.children:
        raise Refused("the block stands on the line of its header")
    first = text.chunk_start + launch.line.children[0].start
    begin = text.begin_of_line(first)
    inner = text.indentation(outer.line) + text.text[begin:first][len(text.indentation(launch.line)) :]
    rewriter.insert(text.path, begin, f"{inner}{header.target.id} = pl.get_block_idx(){text.newline}")
    pair = frozenset({(own, own) for own in [(site.statement.at.source, site.statement.at.offset)]})
    change = GraphChange(lost=pair, keeps=Keeps.NOTHING)
    title = f"Write '{context.finding.subject}' in one pl.spmd launch" if context.finding.code == "PTO805" else ""
    return Draft(rewriter, False, comparable=False, graph=change, title=title)
