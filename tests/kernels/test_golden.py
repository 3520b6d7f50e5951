"""The tile code of every group of operations as it was last reviewed.

It is written anew with ``pytest tests/kernels/test_golden.py --update-golden``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.operations import OPERATIONS, program
from tests.kernels.sources import source

GOLDEN = Path(__file__).parent / "golden"


def path_of(name: str) -> Path:
    return GOLDEN / f"{name.replace(' ', '_')}.cpp"


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_code_is_as_reviewed(tmp_path: Path, request: pytest.FixtureRequest, name: str) -> None:
    text = source(tmp_path / "program.py", program(name))
    if request.config.getoption("--update-golden"):
        GOLDEN.mkdir(exist_ok=True)
        path_of(name).write_text(text)
    assert text == path_of(name).read_text()


def test_every_file_belongs_to_an_operation() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(path_of(name).name for name in OPERATIONS)
