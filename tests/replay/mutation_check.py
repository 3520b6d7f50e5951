"""Switch off every rule of the plan in turn: ``python -m tests.replay.mutation_check [RULE …]``.

A mutation is caught when the differential property fails on some program, or when a worked case or planted fault of
the Graph boundary fails. Exit code 1 when one is not caught.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.replay.generator import Generator, Options, Style
from tests.replay.long_run import MODES
from tests.replay.mutations import MUTATIONS
from tests.replay.oracle import judge
from tests.replay.sources import Sources

PROGRAMS = 150
CASES = Path(__file__).parents[1] / "graph_boundary"


def programs() -> list[str]:
    styles = list(Style)
    return [Generator(Random(seed), Options(styles[seed % 3], 0.2)).source for seed in range(PROGRAMS)]


def caught_by_property(texts: list[str]) -> str:
    """The first way in which the property fails; "" when it holds."""
    for mode in MODES:
        sources = Sources(mode)
        for number, text in enumerate(texts):
            try:
                broken = judge(sources.read(text)).broken
            except Exception as error:
                return f"program {number} raises {type(error).__name__}"
            if broken:
                return f"program {number}: {broken[0]}"
    return ""


def caught_by_cases(number: int | None) -> bool:
    """Run the cases under a mutation, in a process of their own: test modules keep what they analysed."""
    command = [sys.executable, "-m", "tests.replay.mutation_check", "--cases", str(number)]
    return subprocess.run(command, capture_output=True, check=False).returncode != 0


def run_cases(number: int | None) -> int:
    with contextlib.nullcontext() if number is None else MUTATIONS[number].applied():
        return int(
            pytest.main(["-q", "-x", "-p", "no:cacheprovider", f"--ignore={CASES / 'test_labelled.py'}", str(CASES)])
        )


def check(number: int, texts: list[str]) -> str:
    """How a mutation is caught; "" when it is not."""
    with MUTATIONS[number].applied():
        found = caught_by_property(texts)
    if found:
        return f"property, {found}"
    return "cases" if caught_by_cases(number) else ""


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--cases"]:
        return run_cases(None if arguments[1] == "None" else int(arguments[1]))
    texts = programs()
    if caught_by_property(texts) or caught_by_cases(None):
        print("Something fails without any mutation.")
        return 2
    chosen = [n for n, mutation in enumerate(MUTATIONS) if not arguments or mutation.rule in arguments]
    missed = 0
    for number in chosen:
        how = check(number, texts)
        missed += not how
        mutation = MUTATIONS[number]
        print(f"{mutation.rule:4} {mutation.what:45} {how[:120] or 'NOT CAUGHT'}", flush=True)
    print(f"{missed} of {len(chosen)} mutations not caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
