"""A fault of our own costs the findings of one step about one program, and is said once."""

from __future__ import annotations

import logging

import pytest

from pto_lsp.analysis import pipeline
from pto_lsp.project import Project
from tests.support.worlds import HEAD

SOURCE = (
    HEAD
    + """
T = pl.Tensor[[64, 64], pl.FP32]


@pl.jit.graph
def layer(a: T, c: pl.InOut[T], n: pl.Scalar[pl.INDEX]):
    base = n * 8
    with pl.at(level=pl.Level.CORE_GROUP):
        c[:, :] = pl.mul(a[:, :], base)
    return c


@pl.jit
def main(a: T, c: pl.InOut[T]):
    c = layer(a, c, missing)
    return c
"""
)


def test_a_rule_that_raises(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    project = Project()
    project.open("/layer.py", SOURCE)
    assert {d.code for d in project.check("/layer.py")} >= {"PTO101", "PTO003"}
    assert project.faults("/layer.py") == ()

    def broken(*_: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(pipeline, "plan_program", broken)
    project = Project()
    project.open("/layer.py", SOURCE)
    with caplog.at_level(logging.ERROR):
        codes = {d.code for d in project.check("/layer.py")}
    assert "PTO003" in codes and "PTO101" not in codes
    (fault,) = project.faults("/layer.py")
    assert "'main'" in fault
    assert "planted" in caplog.text
