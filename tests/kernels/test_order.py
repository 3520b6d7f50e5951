"""The tile model notices what the synchronisation of kernels is for."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.kernels.host import COMPILER, Library
from tests.kernels.operations import program
from tests.kernels.sources import source

pytestmark = [pytest.mark.long, pytest.mark.skipif(COMPILER is None, reason="there is no g++")]

WAITS = {
    "flag": ("one tensor", r" *set_flag\(PIPE_MTE2, PIPE_V.*\n *wait_flag\(PIPE_MTE2, PIPE_V.*\n", "does not wait"),
    "result": ("one tensor", r" *set_flag\(PIPE_V, PIPE_MTE3.*\n *wait_flag\(PIPE_V, PIPE_MTE3.*\n", "does not wait"),
    "barrier": ("one tensor", r" *pipe_barrier\(PIPE_V\);\n", "does not wait"),
    "loop": ("loop over tiles", r" *pipe_barrier\(PIPE_ALL\);\n", "does not wait"),
    "end": ("one tensor", r" *pipe_sync\(\);\n", "before its results are in memory"),
    "product": ("product", r" *set_flag\(PIPE_MTE1, PIPE_M,.*\n *wait_flag\(PIPE_MTE1, PIPE_M,.*\n", "does not wait"),
}


@pytest.mark.parametrize("name", WAITS)
def test_every_wait_is_needed(tmp_path: Path, name: str) -> None:
    kernel, wait, complaint = WAITS[name]
    text = source(tmp_path / "model.py", program(kernel))
    library = Library(tmp_path, [text, re.sub(wait, "", text)])
    dtype = "FP16" if kernel == "product" else "FP32"
    tensors = [(np.ones((64, 128), np.float32), each) for each in (dtype, "FP32")]
    scalars: list[tuple[int | float, str]] = [(1.0, "FP32"), (8, "INDEX")]
    assert library.run(0, tensors, scalars) == ""
    assert complaint in library.run(1, tensors, scalars)
