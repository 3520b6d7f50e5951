"""Random awkwardness for as long as wanted.

    python -m tests.robustness.fuzz --minutes N --seed S [PATH ...]

Edits in real-shaped files (the examples, generated ones, and those of PATH), files that end after every one of their
characters, messages in every state of a server process, and configuration. Nothing may raise, need more than a second
of CPU for a step, or show a pop-up; after every 50th edit an editing session must know what a new one finds out.
Prints counts, and exits with 1 when something failed; what failed is kept in the folder of --failures.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.robustness.fuzzing import configuration, corpus, editing, protocol, truncation
from tests.robustness.fuzzing.report import Report
from tests.robustness.fuzzing.sessions import raise_what_is_logged

KINDS: dict[str, tuple[int, Callable[[int, Sequence[corpus.Source], Report], None]]] = {
    "editing": (10, editing.run),
    "truncation": (4, truncation.run),
    "cold": (2, truncation.cold),
    "protocol": (3, protocol.run),
    "configuration": (1, configuration.run),
}
"""Weight and function of each kind."""


def fuzz(seed: int, kinds: Sequence[str], sources: Sequence[corpus.Source], report: Report, deadline: float) -> None:
    """Rounds of random kinds until ``deadline`` (of `time.monotonic`)."""
    rng = random.Random(seed)
    while time.monotonic() < deadline:
        kind = rng.choices(kinds, [KINDS[each][0] for each in kinds])[0]
        report.counts[f"rounds of {kind}"] += 1
        # As in the server, where what lives long is left out of every collection: else one may hit any step.
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        KINDS[kind][1](rng.randrange(2**31), sources, report)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--round", type=int, metavar="SEED", help="repeat one round of one kind by its seed")
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("paths", nargs="*", metavar="PATH")
    options = parser.parse_args()
    raise_what_is_logged()
    warnings.simplefilter("ignore", SyntaxWarning)
    report = Report(folder=options.failures)
    with tempfile.TemporaryDirectory() as scratch:
        sources = [*corpus.own(), *corpus.generated(Path(scratch) / "generated"), *corpus.named(options.paths)]
        if options.round is not None:
            KINDS[options.kinds[0]][1](options.round, sources, report)
        else:
            fuzz(options.seed, options.kinds, sources, report, time.monotonic() + options.minutes * 60)
    print(report.summary())
    for failure in report.failures[:20]:
        print(f"{failure.kind} (seed {failure.seed}, step {failure.step}): {failure.what.strip().splitlines()[-1]}")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
