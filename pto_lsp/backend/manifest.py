"""``kernel_config.py``: what the toolchain has to build, and with which ids, as a Python module."""

from __future__ import annotations

from pto_lsp.analysis.ir.program import Direction, Function, Param
from pto_lsp.analysis.ir.types import TensorType
from pto_lsp.backend.orchestration.emit import Orchestration
from pto_lsp.backend.orchestration.kernels import Kernel

RUNTIME = "host_build_graph"
_DIRECTIONS = {Direction.IN: "_D.IN", Direction.OUT: "_D.OUT", Direction.INOUT: "_D.INOUT"}
_HEAD = '''\
"""Sources and ids of one program for the {runtime} runtime; written by pto-lsp."""

from pathlib import Path

from simpler.task_interface import ArgDirection as _D

_ROOT_DIR = Path(__file__).parent

RUNTIME_CONFIG = {{"runtime": "{runtime}", "aicpu_thread_num": 0}}

'''


def orchestration_path(entry: Function) -> str:
    """Where the orchestration source goes, relative to the output folder."""
    return f"orchestration/{entry.name}.cpp"


def kernel_path(kernel: Kernel) -> str:
    return f"kernels/{kernel.core}/{kernel.name}.cpp"


def manifest(entry: Function, orchestration: Orchestration) -> str:
    """The module's text. A Graph is no kernel and does not occur (rules.md K5)."""
    lines = [
        "ORCHESTRATION = {",
        f'    "source": {_source(orchestration_path(entry))},',
        f'    "function_name": "{orchestration.entry}",',
        f'    "signature": {_signature(entry.params)},',
        "}",
        "",
        "KERNELS = [",
    ]
    for kernel in orchestration.kernels:
        lines += [
            "    {",
            f'        "func_id": {kernel.id},',
            f'        "name": "{kernel.name}",',
            f'        "source": {_source(kernel_path(kernel))},',
            f'        "core_type": "{kernel.core}",',
            f'        "signature": {_signature(kernel.function.params)},',
            "    },",
        ]
    return _HEAD.format(runtime=RUNTIME) + "\n".join([*lines, "]", ""])


def _source(path: str) -> str:
    return "str(_ROOT_DIR / " + " / ".join(f'"{part}"' for part in path.split("/")) + ")"


def _signature(params: tuple[Param, ...]) -> str:
    """One direction per tensor, in order; scalars have none."""
    found = [_DIRECTIONS[param.direction] for param in params if isinstance(param.type, TensorType)]
    return f"[{', '.join(found)}]"
