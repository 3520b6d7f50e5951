"""A kernel of a program in both worlds: in C++ on the tile model, and in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from pto_lsp.analysis.ir.expressions import Const
from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.analysis.ir.types import ScalarType, TensorType
from pto_lsp.backend.execution.kernel import BlockPosition, run_kernel
from pto_lsp.backend.execution.values import converted, in_memory
from tests.kernels.host import Library

TOLERANCES = {"FP32": 1e-5, "FP16": 2e-3, "BF16": 2e-2}


def arguments(function: Function, seed: int) -> list[Any]:
    """An argument for each parameter: numbers near one, small integers."""
    generator = np.random.default_rng(seed)
    found: list[Any] = []
    for param in function.params:
        if isinstance(param.type, TensorType):
            assert param.type.shape is not None
            shape = tuple(extent.value for extent in param.type.shape if isinstance(extent, Const))
            real = param.type.dtype in TOLERANCES
            numbers = generator.uniform(0.5, 1.5, shape) if real else generator.integers(-9, 9, shape)
            found.append(converted(numbers, param.type.dtype))
        else:
            assert isinstance(param.type, ScalarType)
            found.append(float(generator.uniform(0.5, 1.5)) if param.type.dtype == "FP32" else 0)
    return found


def agree(
    library: Library, kernel: int, program: Program, function: Function, given: list[Any], blocks: int = 1
) -> None:
    """Run all blocks in both worlds on the same arguments and compare every tensor."""
    here = [np.array(each) if isinstance(each, np.ndarray) else each for each in given]
    there = [np.array(each) if isinstance(each, np.ndarray) else each for each in given]
    tensors: list[tuple[Any, str]] = []
    scalars: list[tuple[int | float, str]] = []
    values: list[Any] = []
    for param, mine, theirs in zip(function.params, here, there):
        dtype = param.type.dtype if isinstance(param.type, (TensorType, ScalarType)) else ""
        if isinstance(mine, np.ndarray):
            tensors.append((mine, dtype))
            values.append(in_memory(theirs, dtype))
        else:
            scalars.append((mine, dtype))
            values.append(theirs)
    for block in range(blocks):
        assert library.run(kernel, tensors, scalars, block, blocks) == "", function.name
        run_kernel(program, function, tuple(values), BlockPosition(block, blocks), {})
    for param, mine, theirs in zip(function.params, here, there):
        if isinstance(mine, np.ndarray):
            assert isinstance(param.type, TensorType)
            largest = float(np.nanmax(np.abs(theirs))) if theirs.size else 0.0
            close = TOLERANCES.get(param.type.dtype, 0) * max(1.0, largest)
            np.testing.assert_allclose(
                mine.astype(np.float64), theirs.astype(np.float64), rtol=0, atol=close, err_msg=function.name
            )
