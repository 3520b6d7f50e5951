"""What a picture shows beside launches and waits; everything is computed when a picture asks for it."""

from __future__ import annotations

from functools import cached_property

from pto_lsp.analysis.ir.place import Place
from pto_lsp.analysis.node import node
from pto_lsp.analysis.task_graph.checks.naming import place_key
from pto_lsp.analysis.task_graph.critical import Critical, critical
from pto_lsp.analysis.task_graph.edges import exclusive
from pto_lsp.analysis.task_graph.model import Site, Task
from pto_lsp.analysis.task_graph.nesting import Group, Nest, Nesting, Spot
from pto_lsp.analysis.task_graph.regions import Buffer, Overlap, View, compare, sub_view
from pto_lsp.analysis.task_graph.sitegraph import Distance, SiteGraph, distance, same_place
from pto_lsp.analysis.task_graph.untracked import Untracked, untracked


@node
class Bar:
    """A control-core access that waits: what is written after it is submitted later (semantics.md §11.7, §11.8)."""

    write: bool
    buffer: Buffer
    waits: tuple[Site, ...]
    place: Place
    spot: Spot

    @property
    def title(self) -> str:
        return f"{'write' if self.write else 'read'} {self.buffer.label}"


@node
class Cloud:
    """A place where the analysis lost track: launches and waits may be there that nobody sees."""

    why: str
    place: Place
    spot: Spot


@node
class Guard:
    """The predicate of ``succ`` is decided by what ``pred`` writes. ``ordered``: some wait sees to it."""

    pred: Site
    succ: Site
    buffer: Buffer
    distance: Distance
    ordered: bool


class Picture:
    def __init__(self, sites: SiteGraph) -> None:
        self.sites = sites
        self.graph = sites.graph

    @cached_property
    def nesting(self) -> Nesting:
        return Nesting(self.graph)

    def nest(self, site: Site) -> Nest:
        """What is around a launch."""
        return self.nesting.sites.get(site.index, ())

    @cached_property
    def groups(self) -> dict[Group, Nest]:
        """Every group with something to draw in it, in the order of the text, with what is around it."""
        nests = [self.nest(site) for site in self.sites.sites]
        nests += [bar.spot.nest for bar in self.bars] + [cloud.spot.nest for cloud in self.clouds]
        around = {group: nest[:depth] for nest in nests for depth, group in enumerate(nest)}
        return {group: around[group] for group in self.nesting.groups if group in around}

    @cached_property
    def bars(self) -> tuple[Bar, ...]:
        """In the order of the text. An access that waits for nothing stops nobody and has none."""
        tasks = self.graph.walk.tasks
        waits: dict[object, dict[int, Site]] = {}
        found: dict[object, tuple[bool, Buffer, Place]] = {}
        for stall in self.graph.edges.stalls:
            access = stall.access
            if not stall.waits or not access.views:
                continue
            buffer = access.views[0].buffer
            key = (place_key(access.place), access.write, same_place(buffer))
            found.setdefault(key, (access.write, buffer, access.place))
            sites = [tasks[wait].site for wait in stall.waits]
            waits.setdefault(key, {}).update({site.index: site for site in sites})
        bars = [
            Bar(write, buffer, tuple([waits[key][index] for index in sorted(waits[key])]), where, self._spot(where))
            for key, (write, buffer, where) in found.items()
        ]
        return tuple(sorted(bars, key=lambda bar: bar.spot.after))

    @cached_property
    def clouds(self) -> tuple[Cloud, ...]:
        """Of all that is unknown, in the order of the text."""
        return tuple([Cloud(each.why, each.place, self._spot(each.place)) for each in self.graph.walk.unknown])

    @cached_property
    def lone_clouds(self) -> list[Cloud]:
        """Those in which no launch was found, once for each place; the others are boxes, or launches themselves."""
        found: dict[object, Cloud] = {}
        boxes = {site.place.anchor for site in self.sites.sites}
        boxes |= {
            group.place.anchor for nest in self.nesting.sites.values() for group in nest if group.stmt is not None
        }
        for cloud in self.clouds:
            if cloud.place.anchor not in boxes:
                found.setdefault(place_key(cloud.place), cloud)
        return list(found.values())

    def _spot(self, where: Place) -> Spot:
        return self.nesting.spot(where)

    @cached_property
    def untracked(self) -> tuple[Untracked, ...]:
        return untracked(self.graph)

    @cached_property
    def critical(self) -> Critical:
        return critical(self.graph)

    @cached_property
    def guards(self) -> tuple[Guard, ...]:
        """From those that may write the element which a predicate reads to who has the predicate."""
        found: dict[tuple[object, ...], Guard] = {}
        for task in self.graph.walk.tasks:
            for writer, buffer in self.gate_writers(task):
                away = distance(writer, task)
                ordered = self.graph.edges.precedes(writer.index, task.index)
                key = (writer.site.index, task.site.index, any(steps for _, steps in away))
                old = found.get(key)
                if old is None or (old.ordered and not ordered):
                    found[key] = Guard(writer.site, task.site, buffer, away, ordered)
        return tuple(found.values())

    def gate_writers(self, task: Task) -> list[tuple[Task, Buffer]]:
        """The last task that surely wrote the element, and those after it that may have."""
        if task.gate is None:
            return []
        view, index = task.gate
        element = _element(view, index)
        found: list[tuple[Task, Buffer]] = []
        for other, touches in self.graph.conflicts.of_buffer(view.buffer):
            writer = self.graph.walk.tasks[other]
            if other >= task.index or exclusive(writer.arms, task.arms):
                continue
            writes = [touch for touch in touches if touch.write]
            always = writer.arms == task.arms[: len(writer.arms)]
            sure = [touch.least for touch in writes if touch.least is not None and always]
            if any(compare(least, element) is Overlap.MUST for least in sure):
                found.clear()
                found.append((writer, view.buffer))
            elif any(compare(touch.hull, element) is not Overlap.MUST_NOT for touch in writes):
                found.append((writer, view.buffer))
        return found


def _element(view: View, index: tuple[object, ...]) -> View:
    numbers = tuple([i for i in index if isinstance(i, int)])
    if view.shape is None or len(index) != len(view.shape) or len(numbers) != len(index):
        return view
    return sub_view(view, numbers, (1,) * len(numbers), view.label)
