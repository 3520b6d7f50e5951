"""Kernels compiled against the tile model and run on the host."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pto_lsp.backend.execution.values import converted

MODEL = Path(__file__).parent / "model"
COMPILER = shutil.which("g++")
_FLAGS = ["-std=c++17", "-O0", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
# A block is emitted for another machine too: there the attribute does something.
_FLAGS += ["-Wno-attributes"]


class Library:
    """Some kernels, by their position in ``sources``."""

    def __init__(self, directory: Path, sources: Sequence[str]) -> None:
        """Compile. Raises `AssertionError` with what the compiler says."""
        assert COMPILER is not None
        included: list[str] = []
        for index, text in enumerate(sources):
            (directory / f"kernel_{index}.cpp").write_text(text)
            included.append(f"#define kernel_entry kernel_{index}")
            included.append(f'#include "{directory}/kernel_{index}.cpp"')
            included.append("#undef kernel_entry")
        names = ", ".join(f"kernel_{index}" for index in range(len(sources)))
        included.append(f"static void (*const kernels[])(int64_t *) = {{{names}}};")
        listing, library = directory / "kernels.inc", directory / "kernels.so"
        listing.write_text("\n".join(included) + "\n")
        command = [COMPILER, *_FLAGS, f'-DKERNELS="{listing}"', f"-I{MODEL / 'include'}"]
        made = subprocess.run(
            [*command, str(MODEL / "driver.cpp"), "-o", str(library)], capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, made.stderr
        self._run = ctypes.CDLL(str(library)).run
        self._run.restype = ctypes.c_char_p

    def run(
        self,
        kernel: int,
        tensors: Sequence[tuple[Any, str]],
        scalars: Sequence[tuple[int | float, str]],
        block: int = 0,
        blocks: int = 1,
    ) -> str:
        """Run one block; "" or what is wrong with it. ``tensors`` are arrays with data types, written in place."""
        held = [_bytes_of(array, dtype) for array, dtype in tensors]
        count = len(held)
        data = (ctypes.c_void_p * max(count, 1))(*[array.ctypes.data for array in held])
        extents = (ctypes.c_uint32 * (5 * max(count, 1)))()
        strides = (ctypes.c_uint32 * (5 * max(count, 1)))()
        for index, array in enumerate(held):
            for axis in range(array.ndim):
                extents[5 * index + axis] = array.shape[axis]
                strides[5 * index + axis] = array.strides[axis] // array.itemsize
        values = (ctypes.c_uint64 * max(len(scalars), 1))(*[_bits(value, dtype) for value, dtype in scalars])
        message = self._run(kernel, count, data, extents, strides, len(scalars), values, block, blocks)
        for (array, dtype), content in zip(tensors, held):
            array[...] = _numbers(content, dtype)
        return str(message.decode())


def _bytes_of(array: Any, dtype: str) -> Any:
    """``array`` as the kernel's memory holds it."""
    if dtype == "BF16":
        return (np.ascontiguousarray(array, np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return np.ascontiguousarray(converted(array, dtype))


def _numbers(content: Any, dtype: str) -> Any:
    return (content.astype(np.uint32) << np.uint32(16)).view(np.float32) if dtype == "BF16" else content


def _bits(value: int | float, dtype: str) -> int:
    if dtype == "FP32":
        return int(np.float32(value).view(np.uint32))
    return int(value) & (2**64 - 1)
