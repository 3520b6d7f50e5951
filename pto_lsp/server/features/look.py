"""One file at one moment, as the editor features see it: places both ways, programs, and task graphs on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from lsprotocol import types

from pto_lsp.analysis.frontend.module import Module, Placed
from pto_lsp.analysis.interruption import Cancelled
from pto_lsp.analysis.ir.expressions import Call, Submit
from pto_lsp.analysis.ir.place import Place, SourceId
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.statements import Stmt
from pto_lsp.analysis.ir.visitor import statement_exprs, walk_block
from pto_lsp.analysis.locate import range_of
from pto_lsp.analysis.pipeline import ProgramAnalysis
from pto_lsp.analysis.source.encodings import PositionEncoding
from pto_lsp.analysis.source.text import LineTable
from pto_lsp.analysis.task_graph.graph import TaskGraph
from pto_lsp.analysis.task_graph.model import Site
from pto_lsp.analysis.task_graph.sitegraph import SiteGraph, fold
from pto_lsp.analysis.task_graph.summary import is_symbolic
from pto_lsp.analysis.task_graph.walk import VIEW_LIMIT
from pto_lsp.diagnostics import Range, Span
from pto_lsp.project import Project
from pto_lsp.server.convert import offset_of, range_to_protocol


class Look:
    """Valid until the project's ``epoch`` is another one. Computes nothing but what is asked for.

    Raises `Cancelled` between two functions when ``interrupted``, which whoever asks sets, says so.
    """

    def __init__(
        self,
        uri_of: Callable[[str], str],
        project: Project,
        module: Module,
        programs: tuple[ProgramAnalysis, ...],
        encoding: PositionEncoding,
        before: Look | None = None,
    ) -> None:
        """What is still the same as in ``before`` is taken from there. ``uri_of`` gives the address of a path."""
        self.uri = uri_of(module.path)
        self.project = project
        self.module = module
        self.programs = programs
        self.epoch = project.epoch
        self.uri_of = uri_of
        self.interrupted: Callable[[], bool] = lambda: False
        self._encoding = encoding
        self._folded: dict[TaskGraph, SiteGraph] = {} if before is None else before._folded
        self._pictures: dict[TaskGraph, SiteGraph] = {} if before is None else before._pictures

    @property
    def table(self) -> LineTable:
        return self.module.document.line_table

    @cached_property
    def graphs(self) -> tuple[SiteGraph, ...]:
        """One per function of this file, or that launches tasks from it, though several programs hold it."""
        path = self.module.path
        wanted: dict[tuple[SourceId, str], TaskGraph] = {}
        for program in self.programs:
            for graph in program.tasks.graphs:
                source = graph.function.at.source
                key = (source, graph.function.key)
                sources = (source, *(site.place.source for site in graph.walk.sites))
                if key not in wanted and graph.walk.sites and any(each.path == path for each in sources):
                    wanted[key] = graph
        for graph in wanted.values():
            if graph not in self._folded:
                if self.interrupted():
                    raise Cancelled
                self._folded[graph] = fold(graph)
        self._folded = {graph: self._folded[graph] for graph in wanted.values()}
        self._pictures = {graph: picture for graph, picture in self._pictures.items() if graph in self._folded}
        return tuple(self._folded.values())

    def picture(self, folded: SiteGraph) -> SiteGraph:
        """The same graph, walked as far as a picture of it needs, which takes longer."""
        graph = folded.graph
        if graph.walk.exact:
            return folded
        if graph not in self._pictures:
            if self.interrupted():
                raise Cancelled
            walked = graph.analyser.graph(graph.function, VIEW_LIMIT)
            # Where some loop is symbolic all the same, more tasks of the others say nothing new.
            self._pictures[graph] = folded if is_symbolic(walked.walk) else fold(walked)
        return self._pictures[graph]

    # Places.

    def offset(self, position: types.Position) -> int:
        """Offset into the file."""
        return offset_of(position, self.table, self._encoding)

    def placed_at(self, offset: int) -> tuple[Placed, int] | None:
        """The DSL function that holds an offset into the file, and where its text starts."""
        for placed in self.module.syntax.functions:
            start = self.start_of(placed)
            if start <= offset <= start + placed.found.end - placed.found.start:
                return placed, start
        return None

    def start_of(self, placed: Placed) -> int:
        """Where the text of a function of this file starts."""
        return self.module.document.chunk_start(placed.chunk_index) + placed.found.start

    def span(self, place: Place) -> Span | None:
        """Offsets into the file; None for a place in another file."""
        if place.source.path != self.module.path:
            return None
        start = self.module.start_of(place.source)
        return None if start is None else place.span.shifted(start)

    def range(self, span: Span) -> types.Range:
        """``span`` are offsets into the file."""
        position = self.table.position
        return range_to_protocol(Range(position(span.start), position(span.end)), self.table, self._encoding)

    def range_of(self, place: Place) -> types.Range | None:
        span = self.span(place)
        return None if span is None else self.range(span)

    def locate(self, place: Place) -> tuple[str, Range] | None:
        """Address and range in code points: of what was spliced in from another file, the call that did it."""
        while place.source.path != self.module.path and place.anchor.inlined_at is not None:
            place = place.anchor.inlined_at
        where = range_of(place, self.project)
        return None if where is None else (self.uri_of(place.source.path), where)

    def location(self, place: Place) -> types.Location | None:
        """Where a place is, in whatever file; None when its function is gone."""
        found = self.project.locate(place.source)
        if found is None:
            return None
        table, start = found
        where = Range(table.position(start + place.span.start), table.position(start + place.span.end))
        return types.Location(self.uri_of(place.source.path), range_to_protocol(where, table, self._encoding))

    def file_location(self, module: Module, span: Span) -> types.Location:
        """``span`` are offsets into the file of ``module``."""
        table = module.document.line_table
        where = Range(table.position(span.start), table.position(span.end))
        return types.Location(self.uri_of(module.path), range_to_protocol(where, table, self._encoding))

    # Launches.

    def sites_at(self, source: SourceId, offset: int) -> Iterator[tuple[SiteGraph, Site]]:
        """The launches written at an offset into the text of ``source``, in each graph they are part of.

        A launch with a body counts for all of its body.
        """
        for folded in self.graphs:
            for site in folded.sites:
                if _is_at(site, folded.graph.analyser.program, source, offset):
                    yield folded, site


def _is_at(site: Site, program: Program, source: SourceId, offset: int) -> bool:
    if site.place.source is source and holds(site.place.span, offset):
        return True
    return any(holds_statement(stmt, source, offset) for stmt in body_of(site, program))


def holds(span: Span, offset: int) -> bool:
    """Whether a cursor at ``offset`` touches ``span``."""
    return span.start <= offset <= span.end and span.start < span.end


def holds_statement(stmt: Stmt, source: SourceId, offset: int) -> bool:
    if stmt.at.source is not source:
        return False
    return holds(stmt.span.shifted(stmt.at.offset), offset)


def body_of(site: Site, program: Program) -> Iterator[Stmt]:
    """The statements of the region that a launch was made from; none for a call of a kernel."""
    if site.callee is not None and site.callee.generated:
        yield from statements_of(site.callee, program)


def statements_of(function: Function, program: Program) -> Iterator[Stmt]:
    """Those of a generated function and of the generated ones it calls."""
    for stmt in walk_block(function.body or ()):
        yield stmt
        for expr in statement_exprs(stmt):
            if isinstance(expr, (Call, Submit)):
                callee = program.functions.get(expr.callee)
                if callee is not None and callee.generated and callee is not function:
                    yield from statements_of(callee, program)


def site_spans(look: Look, folded: SiteGraph, site: Site) -> tuple[Span, Span] | None:
    """A launch with its body, and its statement or header alone; None for one from another file."""
    header = look.span(site.place)
    if header is None:
        return None
    source, end = site.place.source, site.place.span.end
    for stmt in body_of(site, folded.graph.analyser.program):
        if stmt.at.source is source:
            end = max(end, stmt.at.offset + stmt.span.end)
    return Span(header.start, header.end + end - site.place.span.end), header
