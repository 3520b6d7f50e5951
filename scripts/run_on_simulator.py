"""Compile a program, run it on an installed a2a3 simulator, and compare with numpy.

    python scripts/run_on_simulator.py FILE[::ENTRY] --simpler DIR --pto-isa DIR [--replays N] [--keep DIR]

DIR are checkouts in which the simulator has been built and of the tile library; the C++ compiler is the one that the
simulator's own toolchain calls. Inputs are random. Exit code: 0 when every result agrees, 1 when one does not.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from pto_lsp.analysis.graph_boundary.legalize import legalize
from pto_lsp.analysis.ir.program import Direction, Function, Program
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.analysis.replay.dtypes import runtime_name
from pto_lsp.backend.compile import write
from pto_lsp.backend.execution.run import Arguments, arguments_for, run
from pto_lsp.backend.shapes.shape import Shape
from pto_lsp.cli.arguments import named_tensor
from pto_lsp.cli.compilation import compiled
from pto_lsp.cli.program import Session, target

PLATFORM, RUNTIME = "a2a3sim", "host_build_graph"
TOLERANCES = {"FP32": 1e-4, "FP16": 4e-3, "BF16": 3e-2}


def main() -> int:
    options = _options()
    sys.path[:0] = [str(options.simpler / "python"), str(options.simpler)]
    session = Session()
    opened = session.open(options.target.file)
    found = opened.orchestration_entry(options.target.entry)
    shapes = {name: Shape(text.dtype, text.shape) for name, text in options.arg}
    done = compiled(session.project, session.resolver, opened.module, found, shapes)
    for diagnostic in (*done.findings, *done.missing):
        print(f"{diagnostic.code}: {diagnostic.message}")
    if done.artefacts is None or not done.complete or done.shaped is None:
        return 1
    folder = options.keep or Path(tempfile.mkdtemp())
    write(done.artefacts, str(folder))
    shaped = done.shaped.entry
    program = legalize(shaped.analysis.plan)
    assert shaped.orchestration is not None
    entry = program.functions[shaped.orchestration.key]
    started = time.perf_counter()
    callable_ = _built(folder, options.pto_isa)
    print(f"{entry.name}: built in {time.perf_counter() - started:.1f} s")
    worker, handle = _started(callable_)
    agree = True
    try:
        for seed in range(options.replays + 1):
            given = dict(pair.split("=", 1) for pair in options.scalar)
            scalars = {name: float(text) if "." in text else int(text) for name, text in given.items()}
            arguments = arguments_for(entry, scalars, {}, seed)
            agree = _compared(worker, handle, program, entry, arguments) and agree
    finally:
        worker.close()
    return 0 if agree else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=target, metavar="FILE[::ENTRY]")
    parser.add_argument("--simpler", type=Path, required=True, metavar="DIR")
    parser.add_argument("--pto-isa", type=Path, required=True, metavar="DIR")
    parser.add_argument("--replays", type=int, default=0, metavar="N", help="run again with other data, N times")
    parser.add_argument(
        "--arg", action="append", default=[], type=named_tensor, metavar="NAME=FP32[8,8]", help="a shape"
    )
    parser.add_argument("--scalar", action="append", default=[], metavar="NAME=VALUE", help="of a scalar parameter")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the artefacts there")
    return parser.parse_args()


def _built(folder: Path, pto_isa: Path) -> Any:
    """The artefact folder as the runtime takes it."""
    from simpler.task_interface import ChipCallable, CoreCallable
    from simpler_setup.kernel_compiler import KernelCompiler

    config: Any = _module(folder / "kernel_config.py")
    compiler = KernelCompiler(PLATFORM)
    include = compiler.get_orchestration_include_dirs(RUNTIME)
    children: list[Any] = []
    for kernel in config.KERNELS:
        binary = compiler.compile_incore(
            kernel["source"], core_type=kernel["core_type"], pto_isa_root=str(pto_isa), extra_include_dirs=include
        )
        children.append((kernel["func_id"], CoreCallable.build(signature=kernel["signature"], binary=binary)))
    orchestration = config.ORCHESTRATION
    return ChipCallable.build(
        signature=orchestration["signature"],
        func_name=orchestration["function_name"],
        binary=compiler.compile_orchestration(RUNTIME, orchestration["source"]),
        children=children,
        config_name="",
    )


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _started(callable_: Any) -> tuple[Any, Any]:
    from simpler.worker import Worker

    worker = Worker(level=2, device_id=0, platform=PLATFORM, runtime=RUNTIME)
    worker.init()
    return worker, worker.register(callable_)


def _compared(worker: Any, handle: Any, program: Program, entry: Function, arguments: Arguments) -> bool:
    from simpler.task_interface import CallConfig, DataType, TaskArgs, TensorArgType, scalar_to_uint64

    tags = {
        Direction.IN: TensorArgType.INPUT,
        Direction.OUT: TensorArgType.OUTPUT_EXISTING,
        Direction.INOUT: TensorArgType.INOUT,
    }
    task, held = TaskArgs(), {}
    for param in entry.params:
        if isinstance(param.type, TensorType):
            dtype = arguments.dtypes[param.name]
            held[param.name] = _bytes_of(arguments.values[param.name], dtype)
            kind = int(getattr(DataType, runtime_name(dtype)).value)
            array = held[param.name]
            task.add_tensor(worker.make_tensor_arg(array, shapes=array.shape, dtype=kind), tags[param.direction])
    for param in entry.params:
        if isinstance(param.type, ScalarType):
            value = arguments.values[param.name]
            task.add_scalar(scalar_to_uint64(float(value) if param.type.dtype == "FP32" else int(value)))
    expected = run(program, entry, arguments)
    started = time.perf_counter()
    worker.run(handle, task, CallConfig())
    print(f"ran in {time.perf_counter() - started:.2f} s; {expected.tasks} tasks")
    agree = True
    for param in entry.params:
        if isinstance(param.type, TensorType) and param.direction is not Direction.IN:
            dtype = arguments.dtypes[param.name]
            simulated = _numbers(held[param.name], dtype).astype(np.float64)
            wanted = expected.tensors[param.name].astype(np.float64)
            scale = max(1.0, float(np.nanmax(np.abs(wanted))))
            difference = float(np.nanmax(np.abs(simulated - wanted))) / scale
            same = np.array_equal(np.isnan(simulated), np.isnan(wanted))
            fine = same and difference <= TOLERANCES.get(dtype, 0.0)
            agree = agree and fine
            verdict = "" if fine else ", WRONG"
            print(f"  {param.name} {dtype}{list(wanted.shape)}: largest difference {difference:.2e}{verdict}")
    return agree


def _bytes_of(array: Any, dtype: str) -> Any:
    if dtype == "BF16":
        return (np.ascontiguousarray(array, np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return np.array(array, order="C")


def _numbers(content: Any, dtype: str) -> Any:
    return (content.astype(np.uint32) << np.uint32(16)).view(np.float32) if dtype == "BF16" else content


if __name__ == "__main__":
    sys.exit(main())
