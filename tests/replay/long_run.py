"""The differential property on many programs: ``python -m tests.replay.long_run --programs 10000 [--seed 0]``.

Prints how many programs of each kind there were, and every program on which the property fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from random import Random

from pto_lsp.analysis.graph_boundary.limits import Conformance
from tests.replay.generator import Generator
from tests.replay.oracle import Verdict, judge
from tests.replay.sources import Sources

MODES: tuple[Conformance, ...] = ("reference", "extended")


def kinds(verdict: Verdict) -> list[str]:
    """What a verdict is counted as."""
    found = ["accepted" if verdict.accepted else "refused", *verdict.refusals]
    for name in ("aliased", "unseen", "warned"):
        if getattr(verdict, name):
            found.append(f"accepted, {name}")
    if verdict.broken:
        found.append("BROKEN")
    return found


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.replay.long_run")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    counts: dict[Conformance, Counter[str]] = {mode: Counter() for mode in MODES}
    started = time.perf_counter()
    for seed in range(options.seed, options.seed + options.programs):
        if (seed - options.seed) % 500 == 0:
            # A project keeps what it has read; a fresh one now and then keeps memory flat.
            sources = {mode: Sources(mode) for mode in MODES}
        text = Generator(Random(seed)).source
        for mode in MODES:
            verdict = judge(sources[mode].read(text))
            counts[mode].update(kinds(verdict))
            for line in verdict.broken[:3]:
                print(f"seed {seed}, {mode}: {line}")
            if verdict.broken and mode == MODES[-1]:
                print(text)
    print(f"{options.programs} programs in {time.perf_counter() - started:.0f} s")
    for mode in MODES:
        print(f"{mode}:")
        for kind, count in sorted(counts[mode].items()):
            print(f"  {count:6} {kind}")
    return 1 if any(count["BROKEN"] for count in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
