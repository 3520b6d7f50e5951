"""Uses counted from version to version of a function are those counted afresh."""

from __future__ import annotations

import random
import textwrap

import pytest

from pto_lsp.analysis.ir.statements import Block, Region, Stmt
from pto_lsp.analysis.ir.uses import use_counts
from pto_lsp.analysis.ir.visitor import walk_block
from pto_lsp.analysis.passes import convert_to_ssa
from pto_lsp.analysis.passes.outside_uses import OutsideUses
from pto_lsp.analysis.passes.statement_results import StatementResults
from tests.passes.build import program

TEXT = """
def main(a: T, c: InOut[T], n: Index) -> T:
    rows = n + 1
    with pl.at(name_hint="first"):
        x = pl.exp(a)
        y = pl.mul(x, x)
        c[:, :] = y
    b = pl.add(y, rows)
    for i in pl.range(4):
        with pl.at(name_hint="second"):
            z = pl.exp(y)
            c[:, :] = pl.add(z, z)
        d = pl.mul(z, i)
    with pl.at(name_hint="third"):
        w = pl.exp(b)
        c[:, :] = w
    e = pl.add(x, w)
    f = pl.add(e, d)
    return c
"""


def body() -> Block:
    found = convert_to_ssa.run(program(textwrap.dedent(TEXT))).functions["main"].body
    assert found is not None
    return found


def regions(block: Block) -> list[Region]:
    return [stmt for stmt in walk_block(block) if isinstance(stmt, Region)]


def wanted(block: Block, region: Region) -> tuple[str, ...]:
    """By the definition: a use of the name is left when those in the region are taken away."""
    whole, inside = use_counts(block), use_counts((region,))
    return tuple(n for n in StatementResults().facts(region).bound if whole.get(n, 0) > inside.get(n, 0))


def edited(rng: random.Random, block: Block, all_of_them: Block) -> Block:
    stmts: list[Stmt] = list(block)
    for _ in range(rng.randrange(1, 4)):
        if stmts and rng.random() < 0.5:
            del stmts[rng.randrange(len(stmts))]
        else:
            # The same statement may come to stand twice.
            stmts.insert(rng.randrange(len(stmts) + 1), rng.choice(all_of_them))
    return tuple(stmts)


@pytest.mark.parametrize("seed", range(20))
def test_versions_are_counted_as_if_each_were_the_first(seed: int) -> None:
    rng, results = random.Random(seed), StatementResults()
    first = body()
    block, uses = first, OutsideUses(first, results)
    for _ in range(30):
        # Not every region is asked for in every version.
        for region in regions(block):
            if rng.random() < 0.8:
                assert uses.wanted(region) == wanted(block, region)
        block = edited(rng, block, first)
        uses = OutsideUses(block, results, uses)
        assert uses.counts == use_counts(block)


def test_a_region_is_looked_at_again_only_when_the_uses_of_its_names_have_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results, block = StatementResults(), body()
    uses = OutsideUses(block, results)
    first, second, third = regions(block)
    for region in (first, second, third):
        uses.wanted(region)
    asked: list[Stmt] = []
    count = StatementResults.uses

    def counted(self: StatementResults, stmt: Stmt) -> dict[str, int]:
        asked.append(stmt)
        return count(self, stmt)

    # Without ``e``, the last but two, ``x`` and ``w`` are used once less.
    uses = OutsideUses((*block[:-3], *block[-2:]), results, uses)
    monkeypatch.setattr(StatementResults, "uses", counted)
    assert "z" in uses.wanted(second)
    assert asked == []
    assert "x" not in uses.wanted(first) and "w" not in uses.wanted(third)
    assert asked == [first, third]
