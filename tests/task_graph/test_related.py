"""Second places of findings: every rule whose page in the catalogue names one has it, in the file of the finding."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.rules import registry
from pto_lsp.analysis.rules.rule import unmark
from tests.task_graph.build import Source

WANTED = {
    "PTO603": ["'x' is declared here"],
    "PTO604": ["'q' is written here"],
    "PTO605": ["'s' is bound here"],
    "PTO606": ["'made' is bound here"],
    "PTO607": ["a single slot"],
    "PTO610": ["'made' is bound here"],
    "PTO611": ["the loop it is bound in"],
    "PTO613": ["'put' is declared here"],
    "PTO615": ["'y' is declared here"],
    "PTO616": ["the cluster"],
    "PTO618": ["a @pl.jit function"],
    "PTO621": ["'ids' is created here", "the loop"],
    "PTO622": ["'r' is bound here"],
    "PTO701": ["'s' is read by 'read'", "'s' is written by 'reuse'"],
    "PTO702": ["the loop", "'s' is read by 'drain'", "'s' is written by 'fill'", "'s' comes from here"],
    "PTO703": ["'s' is written by 'half'"],
    "PTO704": ["the loop", "'y' is written by 'band'"],
    "PTO705": ["edges are not inferred in this scope", "'s' is written by 'put'", "'s' is read by 'put'"],
    "PTO706": ["edges are not inferred in this scope", "'s' is written by 'put'"],
    "PTO707": ["edges are not inferred in this scope", "'s' is written by 'put'"],
    "PTO708": ["'s' is written by 'make'", "'s' is read by 'use'"],
    "PTO709": ["'s' is written by 'band'", "'s' is read by 'sum'"],
    "PTO710": ["'t' is created with manual_dep=True", "'t' is written by 'make'", "'t' is read by 'use'"],
    "PTO711": ["'t' is created here"],
    "PTO712": ["'t' is bound here"],
    "PTO713": ["'ids' is created here"],
    "PTO714": ["'ids' is created here"],
    "PTO715": ["'o' is read here"],
    "PTO716": ["'s' is read here"],
    "PTO717": ["'gput' reads 'g'"],
    "PTO719": ["'q' is written here"],
    "PTO720": ["'y' is written here"],
    "PTO721": ["'y' is the caller's buffer"],
    "PTO722": ["'prev' is bound here, for the rest of this iteration only", "the loop", "'prev' is bound here"],
    "PTO723": ["the loop", "'t' is bound here"],
    "PTO801": ["this order is there already"],
    "PTO803": ["'a' is listed here as well"],
    "PTO805": ["the loop", "'y' is written here"],
    "PTO807": ["the loop", "'y' is written here", "'y' is written here first"],
    "PTO810": ["'q' is written here"],
    "PTO811": ["'ids' is created here", "the loop"],
    "PTO812": ["'b' is not flagged", "'c' waits for both"],
    "PTO813": ["'put' waits for it"],
    "PTO815": ["'t' is created here"],
    "PTO818": ["the loop", "'t' is created here"],
}


@pytest.mark.parametrize("code", sorted(WANTED))
def test_second_places(code: str) -> None:
    text, _ = unmark(registry.rule(code).examples[0].bad)
    source = Source(text)
    found = [finding for finding in source.findings() if finding.code == code]
    notes = {note.message for finding in found for note in finding.notes}
    assert set(WANTED[code]) <= notes
    assert all(source.locate(note.place) is not None for finding in found for note in finding.notes)
