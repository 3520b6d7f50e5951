"""What one Graph needs: the plan that the editor shows, a quick fix writes in part and legalization applies."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.findings import Finding
from pto_lsp.analysis.graph_boundary.hoisting import Hoisted, HoistKind, InPlaceView, Rename
from pto_lsp.analysis.graph_boundary.limits import Conformance
from pto_lsp.analysis.graph_boundary.views import Provenance
from pto_lsp.analysis.ir.program import Function, Param
from pto_lsp.analysis.ir.statements import Assign

REFUSALS = frozenset(f"PTO{number}" for number in (103, 104, 202, 203, 302, 303, *range(401, 418)))
"""Codes of what the tool chain refuses; everything else it accepts."""


@dataclass(frozen=True, slots=True)
class GraphPlan:
    """Frozen. ``hoisted`` is in definition order, which is the order of statements at a call site (C3).

    ``function`` is the Graph the plan was made for; its statements are those that ``hoisted``, ``renames`` and
    ``dropped`` refer to. ``parameters`` are the boundary after hoisting, in order C2. ``nodes`` is None where the
    number differs between calls or something is not known. ``findings`` are all there are, in the order of section E
    of the rules.
    """

    function: Function
    conformance: Conformance
    hoisted: tuple[Hoisted, ...]
    renames: tuple[Rename, ...]
    dropped: tuple[Assign, ...]
    in_place: tuple[InPlaceView, ...]
    parameters: tuple[Param, ...]
    nodes: int | None
    provenance: dict[str, Provenance]
    findings: tuple[Finding, ...]

    @property
    def key(self) -> str:
        return self.function.key

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def accepted(self) -> bool:
        """Whether the tool chain takes this Graph; call sites are judged apart."""
        return not any(finding.code in REFUSALS for finding in self.findings)

    @property
    def changes(self) -> bool:
        return bool(self.hoisted or self.renames or self.dropped)

    def hoist_of(self, name: str) -> Hoisted | None:
        """The hoist of a variable by its unique name."""
        return next((hoist for hoist in self.hoisted if hoist.var.name == name), None)


def appended_in_order(hoisted: tuple[Hoisted, ...]) -> tuple[Hoisted, ...]:
    """C2: creates, then views, then scalars, each in definition order."""
    return tuple(hoist for kind in HoistKind for hoist in hoisted if hoist.kind is kind)
