"""Places for a picture: in each box what waits stands to the right of what it waits for, boxes in boxes.

All lengths are pixels, all places absolute.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.drawing import Box, Item, Line
from pto_lsp.analysis.task_graph.model import Site
from pto_lsp.analysis.task_graph.picture import Bar, Cloud

CHARACTER = 7
SMALL = 5.8
"""Width of a character of a name, and of the small print."""
NODE_HEIGHT = 34
PORT = 15
GAP = 36
ROW_GAP = 20
PADDING = 14
TITLE = 20
LANE = 18
BAR = 9
MARGIN = 16

UNLAYERED = frozenset({"missing", "observed", "untracked"})
"""Kinds that stand for no wait: they do not say what is left and what is right."""


@dataclass
class Rect:
    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height


@node
class Route:
    """An arrow: into ``port`` of its target on the way from left to right, or back through a lane at ``lane``."""

    line: Line
    port: float
    lane: float | None


@dataclass
class Placement:
    sites: dict[int, Rect] = field(default_factory=dict)
    frames: list[tuple[Box, Rect]] = field(default_factory=list)
    bars: list[tuple[Bar, Rect]] = field(default_factory=list)
    clouds: list[tuple[Cloud, Rect]] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    width: float = 0
    height: float = 0


def place(root: Box, lines: tuple[Line, ...], label: dict[int, str]) -> Placement:
    """``label`` is what is written in the node of each site, by index."""
    return _Layout(lines, label).run(root)


@dataclass
class _Laid:
    """A box whose content has places relative to its corner."""

    box: Box
    width: float = 0
    height: float = 0
    places: list[tuple[Item, Rect]] = field(default_factory=list)
    inner: dict[int, _Laid] = field(default_factory=dict)
    back: list[tuple[Line, float]] = field(default_factory=list)


class _Layout:
    def __init__(self, lines: tuple[Line, ...], label: dict[int, str]) -> None:
        self._lines = lines
        self._label = label
        self._entering: dict[int, list[Line]] = {}
        self._back: set[Line] = set()
        self._inside: dict[int, frozenset[int]] = {}

    def run(self, root: Box) -> Placement:
        laid = self._lay(root)
        found = Placement(width=laid.width + 2 * MARGIN, height=laid.height + 2 * MARGIN)
        self._settle(laid, MARGIN, MARGIN, found)
        for entering in self._entering.values():
            for number, line in enumerate(entering, start=1):
                target = found.sites[line.succ.index]
                found.routes.append(Route(line, target.y + target.height * number / (len(entering) + 1), None))
        return found

    def _lay(self, box: Box) -> _Laid:
        laid = _Laid(box)
        inside = [sites_in(item) for item in box.items]
        child = {site: number for number, sites in enumerate(inside) for site in sites}
        own = [
            (child[line.pred.index], child[line.succ.index], line)
            for line in self._lines
            if line.pred.index in child and line.succ.index in child
        ]
        here = [each for each in own if each[0] != each[1] or isinstance(box.items[each[0]], Site)]
        layers = _layers(box, here)
        for a, b, line in here:
            if layers[a] < layers[b]:
                self._entering.setdefault(line.succ.index, []).append(line)
        lanes = [line for a, b, line in here if layers[a] >= layers[b]]
        for number, item in enumerate(box.items):
            if isinstance(item, Box):
                laid.inner[number] = self._lay(item)
        top = PADDING if box.group is None else PADDING + TITLE
        bottom = self._columns(laid, layers, top)
        for lane in lanes:
            bottom += LANE
            laid.back.append((lane, bottom - 2))
        laid.height = bottom + PADDING
        if box.group is not None:
            laid.width = max(laid.width, len(box.group.title) * SMALL + 24)
        for item, rect in laid.places:
            if isinstance(item, Bar):
                rect.y, rect.height = top - 4, max(NODE_HEIGHT, bottom - top + 8)
        return laid

    def _columns(self, laid: _Laid, layers: list[int], top: float) -> float:
        """Gives every child its place; where the lowest one ends."""
        x, bottom = float(PADDING), top
        for layer in sorted(set(layers)):
            column = [number for number, other in enumerate(layers) if other == layer]
            x += max(self._room(laid.box.items[number], layer) for number in column)
            y, widest = top, 0.0
            for number in column:
                item = laid.box.items[number]
                width, height = self._size(item, laid.inner.get(number))
                laid.places.append((item, Rect(x, y, width, height)))
                y += height + ROW_GAP
                widest = max(widest, width)
            bottom = max(bottom, y - ROW_GAP)
            x += widest
        laid.width = x + PADDING + (12 if laid.box.group is not None else 0)
        return bottom

    def _room(self, item: Item, layer: int) -> float:
        """The room left of a child, where labels of arrows into it are written."""
        if isinstance(item, Site):
            labels = [len(line.label) * SMALL for line in self._entering.get(item.index, ())]
            return max(labels) + GAP + 12 if labels else (GAP if layer else 12)
        if isinstance(item, Bar):
            return len(item.title) * SMALL + GAP
        return GAP if layer else 0

    def _size(self, item: Item, inner: _Laid | None) -> tuple[float, float]:
        if inner is not None:
            return inner.width, inner.height
        if isinstance(item, Site):
            entering = len(self._entering.get(item.index, ()))
            return len(self._label[item.index]) * CHARACTER + 24, max(NODE_HEIGHT, PORT * (entering + 1))
        if isinstance(item, Bar):
            return BAR, NODE_HEIGHT
        assert isinstance(item, Cloud)
        return len(item.why) * SMALL + 60, 44

    def _settle(self, laid: _Laid, x: float, y: float, found: Placement) -> None:
        rect = Rect(x, y, laid.width, laid.height)
        if laid.box.group is not None:
            found.frames.append((laid.box, rect))
        numbers = {id(item): number for number, item in enumerate(laid.box.items)}
        for item, place in laid.places:
            at = Rect(x + place.x, y + place.y, place.width, place.height)
            if isinstance(item, Site):
                found.sites[item.index] = at
            elif isinstance(item, Bar):
                found.bars.append((item, at))
            elif isinstance(item, Cloud):
                found.clouds.append((item, at))
            else:
                self._settle(laid.inner[numbers[id(item)]], at.x, at.y, found)
        found.routes += [Route(line, 0, y + lane) for line, lane in laid.back]


def sites_in(item: Item) -> frozenset[int]:
    """Indices of the launches in an item."""
    if isinstance(item, Site):
        return frozenset({item.index})
    if isinstance(item, Box):
        return frozenset().union(*(sites_in(each) for each in item.items))
    return frozenset()


def _layers(box: Box, lines: list[tuple[int, int, Line]]) -> list[int]:
    """The column of each child: behind everything it waits for, and behind every bar that is written before it."""
    before: dict[int, list[int]] = {}
    for a, b, line in lines:
        if a < b and line.kind not in UNLAYERED:
            before.setdefault(b, []).append(a)
    layers: list[int] = []
    floor = 0
    for number, item in enumerate(box.items):
        layer = max([floor, *(layers[a] + 1 for a in before.get(number, ()))])
        if isinstance(item, Bar):
            layer = max([layer, *(other + 1 for other in layers)])
            floor = layer + 1
        layers.append(layer)
    return layers
