"""The fuzzing program in bounded form; `tests.robustness.fuzz` goes on for as long as wanted."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.robustness.fuzzing import configuration, corpus, editing, protocol, truncation
from tests.robustness.fuzzing.report import Report
from tests.robustness.fuzzing.sessions import raise_what_is_logged

pytestmark = pytest.mark.long

Run = Callable[[list[corpus.Source], Report], None]


@pytest.fixture
def faults_are_raised() -> Iterator[None]:
    logger = logging.getLogger("pto_lsp")
    handlers, propagate = logger.handlers, logger.propagate
    raise_what_is_logged()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        yield
    logger.handlers, logger.propagate = handlers, propagate


@pytest.mark.usefixtures("faults_are_raised")
@pytest.mark.parametrize(
    "run",
    [
        pytest.param(lambda sources, report: editing.run(1, sources, report, 100), id="editing"),
        pytest.param(lambda sources, report: editing.run(2, sources, report, 100), id="editing more"),
        pytest.param(lambda sources, report: truncation.run(3, sources, report, 150), id="truncation"),
        pytest.param(lambda sources, report: truncation.cold(4, sources, report, 8), id="cold"),
        pytest.param(lambda sources, report: configuration.run(5, sources, report, 30), id="configuration"),
        pytest.param(lambda sources, report: protocol.run(6, sources, report, 60), id="protocol"),
        pytest.param(lambda sources, report: protocol.run(7, sources, report, 60), id="protocol more"),
    ],
)
def test_nothing_raises_or_hangs(run: Run, tmp_path: Path) -> None:
    sources = [*corpus.own(), *corpus.generated(tmp_path / "generated", lines=(120,))]
    report = Report()
    run(sources, report)
    assert report.counts
    assert report.failures == []
