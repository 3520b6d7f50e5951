"""Which arguments of a call share a buffer, as far as the caller's text shows it."""

from __future__ import annotations

from itertools import combinations

from pto_lsp.analysis.graph_boundary.call_sites import CallSite
from pto_lsp.analysis.graph_boundary.origin import OriginTracer
from pto_lsp.analysis.graph_boundary.region import Region
from pto_lsp.analysis.graph_boundary.return_maps import ReturnMaps
from pto_lsp.analysis.ir.expressions import Expr, Op, Var
from pto_lsp.analysis.ir.types import TensorType

Pair = tuple[int, int]


class CallerBuffers:
    """Buffer identities of tensor arguments, per call site. A caller is traced once, when it is first asked about."""

    def __init__(self, maps: ReturnMaps) -> None:
        self._maps = maps
        self._tracers: dict[str, OriginTracer] = {}
        self._identities: dict[int, tuple[str | None, ...]] = {}

    def shared(self, site: CallSite) -> frozenset[Pair]:
        """Pairs of argument positions that certainly are the same buffer."""
        identities = self._of(site)
        return frozenset(
            (i, j)
            for i, j in combinations(range(len(identities)), 2)
            if identities[i] is not None and identities[i] == identities[j]
        )

    def known(self, site: CallSite, pair: Pair) -> bool:
        """Whether both buffers of the pair are known, so that different identities are different buffers."""
        identities = self._of(site)
        return all(index < len(identities) and identities[index] is not None for index in pair)

    def _of(self, site: CallSite) -> tuple[str | None, ...]:
        known = self._identities.get(id(site))
        if known is None:
            known = tuple(self._identity(site, argument) for argument in site.launch.args)
            self._identities[id(site)] = known
        return known

    def _identity(self, site: CallSite, argument: Expr) -> str | None:
        while isinstance(argument, Op) and argument.args:
            argument = argument.args[0]
        if not isinstance(argument, Var) or not isinstance(argument.type, TensorType):
            return None
        tracer = self._tracers.get(site.caller.key)
        if tracer is None:
            tracer = self._tracers[site.caller.key] = OriginTracer(Region(site.caller), self._maps, through_views=True)
        return tracer.buffer(argument.name)
