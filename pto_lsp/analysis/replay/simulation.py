"""The record-and-replay simulation of a program: what every replay uses, beside what is right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Union

from pto_lsp.analysis.ir.program import Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.replay.boundary import Boundary
from pto_lsp.analysis.replay.compare import Difference, compare
from pto_lsp.analysis.replay.definition import Definition, Node
from pto_lsp.analysis.replay.dtypes import is_float
from pto_lsp.analysis.replay.evaluate import Evaluator, Oracle, data_oracle
from pto_lsp.analysis.replay.host import Cache, GraphCall, Host, Outcome
from pto_lsp.analysis.replay.rebind import rebind
from pto_lsp.analysis.replay.ring import RingTask
from pto_lsp.analysis.replay.values import UNKNOWN, Value, dense

Argument = Union[int, float, bool]

# How often the entry runs when one run calls no Graph twice and nobody asks for a number.
DEFAULT_CALLS = 3


@dataclass(frozen=True, slots=True)
class CallComparison:
    """One call of a Graph. ``replayed`` is empty unless the call was a replay.

    ``differences`` are where the replay would go wrong; ``reason`` says why a call was not recorded or replayed.
    """

    graph: str
    number: int
    outcome: Outcome
    reason: str
    boundary: Boundary
    replayed: tuple[Node, ...]
    fresh: tuple[Node, ...]
    differences: tuple[Difference, ...]

    @property
    def equal(self) -> bool:
        return not self.differences


@dataclass(frozen=True, slots=True)
class Simulation:
    """``submissions`` are the tasks of the first run.

    ``problems`` would end the real run; ``gaps`` are what the analysis could not follow.
    """

    submissions: tuple[RingTask, ...]
    definitions: tuple[Definition, ...]
    calls: tuple[CallComparison, ...]
    problems: tuple[str, ...]
    gaps: tuple[str, ...]

    @property
    def equal(self) -> bool:
        return all(call.equal for call in self.calls)


def simulate(
    program: Program,
    entry: str = "",
    arguments: Sequence[Mapping[str, Argument]] = (),
    calls: int | None = None,
    symbols: Mapping[str, int] | None = None,
    oracle: Oracle = data_oracle,
) -> Simulation:
    """Run ``entry`` (the program's own by default) and compare every replay with a fresh recording of the same call.

    The submissions of one run are the calls. Only when a Graph is called less than ``calls`` times in it the entry
    runs again, keeping the recordings, which the real runtime would not: run ``r`` gets ``arguments[r]`` for its
    scalars, or the number ``r`` itself. ``symbols`` are the extents of dynamic dimensions. An entry that is a Graph is
    called directly.
    """
    function = program.functions[entry or program.entry]
    cache = Cache()
    extents = symbols or {}
    wanted = calls if calls is not None else DEFAULT_CALLS
    hosts: list[Host] = []
    for number in range(max(1, wanted)):
        given = arguments[number] if number < len(arguments) else {}
        host = Host(program, cache)
        _run(host, function, number, given, extents, oracle)
        hosts.append(host)
        fewest = min(cache.counts.values(), default=wanted)
        if fewest >= wanted or (calls is None and number == 0 and fewest > 1):
            break
    compared = [_comparison(call) for host in hosts for call in host.calls if calls is None or call.number <= calls]
    return Simulation(
        tuple(hosts[0].ring.tasks),
        tuple(cache.definitions.values()),
        tuple(compared),
        _merged(host.problems for host in hosts),
        _merged(host.gaps for host in hosts),
    )


def _run(
    host: Host,
    function: Function,
    number: int,
    given: Mapping[str, Argument],
    symbols: Mapping[str, int],
    oracle: Oracle,
) -> None:
    evaluator = host.evaluator(symbols, oracle)
    values = tuple([_argument(param, number, given, evaluator) for param in function.params])
    for param, value in zip(function.params, values):
        if value is UNKNOWN:
            host.give_up(f"the shape of '{param.name}' is not known")
    if function.kind is FunctionKind.GRAPH:
        host.run_graph(function, values, evaluator)
    else:
        host.run(function, values, evaluator)


def _argument(param: Param, number: int, given: Mapping[str, Argument], evaluator: Evaluator) -> Value:
    """A tensor in an allocation of its own, or the scalar given; by default the number of the run."""
    if isinstance(param.type, TensorType):
        shape: list[int] = []
        for extent in param.type.shape or ():
            value = evaluator.value(extent)
            if not isinstance(value, int):
                return UNKNOWN
            shape.append(value)
        return UNKNOWN if param.type.shape is None else dense(param.name, tuple(shape), param.type.dtype)
    if not isinstance(param.type, ScalarType):
        return UNKNOWN
    if param.name in given:
        return given[param.name]
    if param.type.is_task_id:
        return None
    if param.type.dtype == "BOOL":
        return number % 2 == 1
    return float(number) if is_float(param.type.dtype) else number


def _comparison(call: GraphCall) -> CallComparison:
    fresh = call.fresh.nodes if call.fresh is not None else ()
    replayed: tuple[Node, ...] = ()
    differences: tuple[Difference, ...] = ()
    if call.outcome is Outcome.REPLAYED and call.definition is not None and call.fresh is not None:
        replayed = rebind(call.definition, call.boundary)
        differences = compare(replayed, call.fresh)
    return CallComparison(
        call.graph, call.number, call.outcome, call.reason, call.boundary, replayed, fresh, differences
    )


def _merged(lists: Iterable[list[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([text for each in lists for text in each]))
