"""Values beside nodes go with their nodes, and are nobody else's."""

from __future__ import annotations

import gc
from weakref import ref

from pto_lsp.analysis.ir.node_table import NodeTable
from pto_lsp.analysis.ir.place import FUNCTION_START, Anchor, SourceId
from pto_lsp.analysis.ir.statements import Jump

AT = Anchor(SourceId("a.py", "main", 0), FUNCTION_START)


class Value:
    pass


def test_a_value_is_found_by_identity_alone() -> None:
    table: NodeTable[str] = NodeTable()
    one, other = Jump("break", AT), Jump("break", AT)
    table.put(one, "one")
    assert table.get(one) == "one"
    assert table.get(other) is None
    table.put(one, "another")
    assert table.get(one) == "another"
    assert len(table) == 1


def test_a_value_goes_with_its_node() -> None:
    table: NodeTable[Value] = NodeTable()
    node, value = Jump("break", AT), Value()
    table.put(node, value)
    gone = ref(value)
    del value
    assert gone() is not None
    del node
    assert gone() is None
    assert len(table) == 0


def test_values_lead_to_other_nodes_and_let_them_go() -> None:
    table: NodeTable[object] = NodeTable()
    nodes = [Jump("break", AT) for _ in range(1000)]
    for number in range(1, len(nodes)):
        table.put(nodes[number - 1], nodes[number])
    assert len(table) == len(nodes) - 1
    nodes.clear()
    assert len(table) == 0


def test_what_took_the_place_of_a_node_has_nothing_of_it() -> None:
    table: NodeTable[int] = NodeTable()
    for number in range(1000):
        # Most of these stand where the one before stood in memory.
        node = Jump("break", AT)
        assert table.get(node) is None
        table.put(node, number)
    assert len(table) == 1


def test_what_replaced_a_value_outlives_it() -> None:
    table: NodeTable[int] = NodeTable()
    node = Jump("break", AT)
    table.put(node, 1)
    table.put(node, 2)
    gc.collect()
    assert table.get(node) == 2


def test_only_wanted_values_are_retained() -> None:
    table: NodeTable[int] = NodeTable()
    nodes = [Jump("break", AT) for _ in range(10)]
    for number, node in enumerate(nodes):
        table.put(node, number)
    table.retain(lambda value: value % 2 == 0)
    assert [table.get(node) for node in nodes] == [0, None, 2, None, 4, None, 6, None, 8, None]
    del nodes[0]
    del node
    assert len(table) == 4


def test_a_table_that_is_dropped_leaves_no_garbage() -> None:
    table: NodeTable[int] = NodeTable()
    node = Jump("break", AT)
    table.put(node, 1)
    gone = ref(table)
    enabled = gc.isenabled()
    gc.disable()
    try:
        del table
        assert gone() is None
    finally:
        if enabled:
            gc.enable()
    del node
