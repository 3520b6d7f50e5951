"""Every rule on more programs than its examples: what it must report, and what it must not."""

from __future__ import annotations

import pytest

from pto_lsp.analysis.rules import registry
from pto_lsp.checking import checked
from pto_lsp.config import Settings
from tests.task_graph.build import PATH, Source
from tests.task_graph.variants import Variant, variants

ALL = tuple(variants())


def test_every_rule_has_some() -> None:
    rules = {rule.code for rule in registry.rules() if rule.code > "PTO600"}
    assert {variant.code for variant in ALL if variant.bad} == rules


@pytest.mark.parametrize("variant", ALL, ids=lambda variant: variant.name)
def test_reported_or_not(variant: Variant) -> None:
    found = checked(Source(variant.text).project, PATH, Settings())
    assert (variant.code in {each.code for each in found}) == variant.bad
