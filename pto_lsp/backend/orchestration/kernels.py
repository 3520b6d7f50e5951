"""Which cores a kernel needs, and the ids under which tasks name kernels."""

from __future__ import annotations

from dataclasses import dataclass

from pto_lsp.analysis.ir.expressions import Call, Op, Submit
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program
from pto_lsp.analysis.ir.visitor import statement_exprs, walk, walk_block

_CUBE = frozenset({"matmul", "matmul_acc", "batch_matmul", "batch_matmul_acc", "matmul_bias", "gemv", "gemv_acc"})
# Moving data is something both kinds of core do.
_EITHER = frozenset(
    """
    load store slice assemble move create create_tile reshape transpose view read write dim get_block_idx get_block_num
    get_subblock_idx set_validshape
    """.split()
)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One entry of the manifest. ``core`` is "aic" or "aiv"."""

    id: int
    name: str
    core: str
    function: Function


@dataclass(frozen=True, slots=True)
class Lanes:
    """Ids of the kernels of one task, -1 for a lane it does not use."""

    aic: int
    aiv: int


class KernelTable:
    """Ids in the order in which tasks name the kernels first."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.kernels: list[Kernel] = []
        self._lanes: dict[str, Lanes] = {}

    def lanes(self, callee: Function) -> Lanes:
        found = self._lanes.get(callee.key)
        if found is None:
            cube, vector = cores(self._program, callee)
            both = cube and vector
            name = self._unique(callee.task_name)
            aic = self._add(f"{name}_aic" if both else name, "aic", callee) if cube else -1
            aiv = self._add(f"{name}_aiv" if both else name, "aiv", callee) if vector else -1
            found = self._lanes[callee.key] = Lanes(aic, aiv)
        return found

    def _unique(self, name: str) -> str:
        """Functions of several modules may share a name, files and kernels may not."""
        taken = {kernel.name for kernel in self.kernels}
        number, found = 1, name
        while taken & {found, f"{found}_aic", f"{found}_aiv"}:
            number += 1
            found = f"{name}_{number}"
        return found

    def _add(self, name: str, core: str, function: Function) -> int:
        self.kernels.append(Kernel(len(self.kernels), name, core, function))
        return len(self.kernels) - 1


def cores(program: Program, function: Function) -> tuple[bool, bool]:
    """Whether a kernel needs the cube core, and a vector core; one that only moves data runs on a vector core."""
    cube, vector = _used(program, function, set())
    return cube, vector or not cube


def _used(program: Program, function: Function, seen: set[str]) -> tuple[bool, bool]:
    if function.kind is FunctionKind.AIC or function.kind is FunctionKind.AIV:
        return function.kind is FunctionKind.AIC, function.kind is FunctionKind.AIV
    seen.add(function.key)
    cube = vector = False
    for stmt in walk_block(function.body or ()):
        for each in [part for expr in statement_exprs(stmt) for part in walk(expr)]:
            if isinstance(each, Op):
                name = each.name.removeprefix("tile.").removeprefix("tensor.")
                cube = cube or name in _CUBE
                vector = vector or name not in _CUBE | _EITHER
            elif isinstance(each, (Call, Submit)) and each.callee not in seen:
                callee = program.functions.get(each.callee)
                if callee is not None:
                    more = _used(program, callee, seen)
                    cube, vector = cube or more[0], vector or more[1]
    return cube, vector
