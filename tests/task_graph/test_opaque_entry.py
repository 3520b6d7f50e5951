"""An Opaque function becomes an orchestration without ever having claimed its parameters' directions."""

from __future__ import annotations

import pytest

from pto_lsp.project import Project
from tests.support.worlds import HEAD

SOURCE = (
    HEAD
    + """
T = pl.Tensor[[64, 64], pl.FP32]


@pl.program
class P:
    @pl.function(type=pl.FunctionType.{kind})
    def main(self, a: T, c: T) -> T:
        with pl.at(level=pl.Level.CORE_GROUP):
            c = pl.assemble(c, pl.add(a, a), [0, 0])
        return c
"""
)


@pytest.mark.parametrize(("kind", "expected"), [("Orchestration", ["PTO720"]), ("Opaque", [])])
def test_output_without_direction(kind: str, expected: list[str]) -> None:
    project = Project()
    project.open("/p.py", SOURCE.format(kind=kind))
    assert [d.code for d in project.check("/p.py")] == expected
