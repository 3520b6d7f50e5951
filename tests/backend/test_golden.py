"""The C++ of every construct as it was last reviewed: ``pytest tests/backend/test_golden.py --update-golden``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backend.constructs import PROGRAMS
from tests.backend.streams import emitted
from tests.cli.command import pto

GOLDEN = Path(__file__).parent / "golden"


def path_of(name: str) -> Path:
    return GOLDEN / f"{name.replace(' ', '_').replace('-', '_')}.cpp"


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_code_is_as_reviewed(tmp_path: Path, request: pytest.FixtureRequest, name: str) -> None:
    source = tmp_path / "program.py"
    source.write_text(PROGRAMS[name])
    assert pto("check", str(source), "--no-cache")[0] == 0
    found = emitted(source)[2]
    assert found.faults == ()
    if request.config.getoption("--update-golden"):
        GOLDEN.mkdir(exist_ok=True)
        path_of(name).write_text(found.text)
    assert found.text == path_of(name).read_text()


def test_every_file_belongs_to_a_construct() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(path_of(name).name for name in PROGRAMS)
