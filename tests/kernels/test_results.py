"""Results that a kernel computes come back to the caller in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.backend.artefacts import Artefacts
from pto_lsp.backend.compile import compile_entry
from pto_lsp.backend.kernels.emit import emit_kernel
from pto_lsp.cli.program import Session

T = "pl.Tensor[[64, 128], pl.FP32]"
SECOND = f"""
@pl.jit.incore
def second(x: {T}, y: pl.Out[{T}]):
    y[:, :] = pl.mul(x, 2.0)
    return y
"""
WITH_FACTOR = f"""
@pl.jit.incore
def first(x: {T}, z: {T}, by: pl.Scalar[pl.FP32]) -> {T}:
    return pl.mul(pl.add(x, z), by)
{SECOND}
@pl.jit
def main(x: {T}, z: {T}, by: pl.Scalar[pl.FP32], y: pl.Out[{T}]):
    t = first(x, z, by)
    y = second(t, y)
    return y
"""
WITHOUT_ANNOTATION = f"""
@pl.jit.incore
def first(x: {T}, z: {T}):
    total = pl.add(x, z)
    return pl.row_sum(total), total
{SECOND}
@pl.jit
def main(x: {T}, z: {T}, y: pl.Out[{T}]):
    sums, t = first(x, z)
    y = second(t, y)
    return y
"""
RECORDED = f"""
@pl.jit.incore
def first(x: {T}) -> {T}:
    return pl.add(x, 1.0)
{SECOND}
@pl.jit.graph
def step(x: {T}, y: pl.Out[{T}]):
    t = first(x)
    y = second(t, y)
    return y

@pl.jit
def main(x: {T}, y: pl.Out[{T}]):
    y = step(x, y)
    return y
"""


def made(folder: Path, text: str) -> Artefacts:
    path = folder / "model.py"
    path.write_text("import pypto.language as pl\n" + text)
    session = Session()
    entry = session.open(str(path)).orchestration_entry(None)
    assert entry.orchestration is not None
    return compile_entry(entry.analysis, entry.orchestration, session.project, emit_kernel)


def test_the_runtime_allocates_a_result(tmp_path: Path) -> None:
    found = made(tmp_path, WITH_FACTOR)
    assert not found.findings
    orchestration, kernel = found.files["orchestration/main.cpp"], found.files["kernels/aiv/first.cpp"]
    assert "params_t0.add_output(result_out_info);\n    params_t0.add_scalar(by);" in orchestration
    assert "params_t1.add_input(t0.get_ref(0));" in orchestration
    assert "reinterpret_cast<__gm__ ChipTensor *>(args[2]);" in kernel and "from_u64<float>" in kernel
    assert "(args[3])" in kernel and "TSTORE(result_out_window" in kernel
    assert '"signature": [_D.IN, _D.IN, _D.OUT]' in found.files["kernel_config.py"]


def test_its_type_is_that_of_what_the_kernel_computes(tmp_path: Path) -> None:
    found = made(tmp_path, WITHOUT_ANNOTATION)
    assert not found.findings
    orchestration = found.files["orchestration/main.cpp"]
    assert "_shape[] = {64, 1};" in orchestration and "_shape[] = {64, 128};" in orchestration
    assert "params_t1.add_input(t0.get_ref(1));" in orchestration


@pytest.mark.parametrize("text", [RECORDED])
def test_a_recording_does_not_allocate_it(tmp_path: Path, text: str) -> None:
    messages = [each.message for each in made(tmp_path, text).findings]
    assert messages == ["in 'step': no C++ code for a result of 'first' that is not one of its parameters"]
