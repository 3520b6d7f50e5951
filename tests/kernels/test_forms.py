"""Every form of what kernels are promised to be able to do has tile code, and it computes what numpy computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pto_lsp.analysis.ir.program import Function, Program
from pto_lsp.backend.kernels.emit import emit_kernel
from pto_lsp.backend.orchestration.kernels import cores
from tests.kernels.forms import forms
from tests.kernels.host import COMPILER, Library
from tests.kernels.programs import agree, arguments
from tests.kernels.sources import kernels

FORMS = dict(forms())
BATCHES = 8


def emitted(path: Path, text: str) -> tuple[Program, Function, str]:
    _, program, (kernel,) = kernels(path, text)
    core = "aic" if cores(program, kernel)[0] else "aiv"
    return program, kernel, emit_kernel(program, kernel, core, lambda where: "")


def test_there_is_code_for_every_form(tmp_path: Path) -> None:
    """Of FP32; the long test has the other types."""
    for name, text in FORMS.items():
        if name.endswith("FP32"):
            assert "kernel_entry" in emitted(tmp_path / "model.py", text)[2], name


@pytest.mark.long
@pytest.mark.skipif(COMPILER is None, reason="there is no g++")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_every_form_computes_what_numpy_computes(tmp_path: Path, batch: int) -> None:
    made = [emitted(tmp_path / "model.py", text) for text in list(FORMS.values())[batch::BATCHES]]
    library = Library(tmp_path, [text for _, _, text in made])
    for number, (program, kernel, _) in enumerate(made):
        given = arguments(kernel, number)
        for position, param in enumerate(kernel.params):
            if param.name == "n":
                given[position] = 3
            elif param.name == "y":
                given[position] = np.zeros_like(given[position])
        agree(library, number, program, kernel, given)
