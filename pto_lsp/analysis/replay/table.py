"""A simulation as text or Markdown: per call, what a replay uses and what is right (``pto-lsp replay``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pto_lsp.analysis.replay.aspects import Aspect, Shown, aspects
from pto_lsp.analysis.replay.compare import Cause
from pto_lsp.analysis.replay.definition import Node
from pto_lsp.analysis.replay.host import Outcome
from pto_lsp.analysis.replay.simulation import CallComparison, Simulation

Columns = Callable[[list[list[str]]], list[str]]
"""Lines of a table whose first row is the title."""

# Rows of one call; a Graph has up to 1024 nodes, and the first ones say it all.
_ROWS = 24


def replay_table(written: Simulation, legalized: Simulation | None = None) -> str:
    """The table of the program as written; ``legalized`` adds what the same argument is after legalizing.

    A row is an argument that a replay gets wrong, or one whose right value is another than in the recording.
    """
    return "\n".join(_blocks(written, legalized, _columns)) + "\n"


def replay_page(written: Simulation, legalized: Simulation | None = None) -> str:
    """The same in Markdown, for viewers that break lines."""
    return "\n\n".join(_blocks(written, legalized, _markdown)) + "\n"


def _blocks(written: Simulation, legalized: Simulation | None, columns: Columns) -> list[str]:
    blocks: list[str] = []
    for call in written.calls:
        other = None if legalized is None else _same_call(legalized, call)
        first = next((c for c in written.calls if c.graph == call.graph and c.outcome is Outcome.RECORDED), None)
        blocks.append(_call(call, first, other, legalized is not None, columns))
    blocks += [f"The run would fail: {problem}" for problem in written.problems]
    blocks += [f"Not simulated: {gap}" for gap in written.gaps]
    blocks.append(_verdict(written, legalized))
    return blocks


def _same_call(legalized: Simulation, call: CallComparison) -> CallComparison | None:
    for other in legalized.calls:
        if other.graph == call.graph and other.number == call.number:
            return other
    return None


def _call(
    call: CallComparison, first: CallComparison | None, other: CallComparison | None, beside: bool, columns: Columns
) -> str:
    state = call.outcome.value
    if call.outcome is Outcome.REPLAYED:
        state += ", equal" if call.equal else ", wrong"
    elif call.reason:
        state += f" ({call.reason})"
    head = f"{call.graph} call {call.number}: {state}, {_count(call)}"
    if call.outcome is not Outcome.REPLAYED or first is None:
        return head
    rows = _rows(call, first, other, beside)
    if not rows:
        return head
    title = ["node", "kernel", "argument", "variable", "a replay uses", "right"]
    if beside:
        title.insert(5, "after legalizing")
    shown = [title, *rows[:_ROWS]]
    lines = [head, *columns(shown)]
    if len(rows) > _ROWS:
        lines.append(f"  … {len(rows) - _ROWS} more")
    return "\n".join(lines)


def _count(call: CallComparison) -> str:
    return f"{len(call.fresh)} task{'' if len(call.fresh) == 1 else 's'}"


def _rows(call: CallComparison, first: CallComparison, other: CallComparison | None, beside: bool) -> list[list[str]]:
    rows: list[list[str]] = []
    wrong = {(d.node, d.what): d for d in call.differences}
    legal = _launches(other.replayed) if other is not None else []
    ordinal = -1
    for index, (old, new) in enumerate(zip(call.replayed, call.fresh)):
        if new.kernel is not None:
            ordinal += 1
        recorded = aspects(first.fresh[index]) if index < len(first.fresh) else []
        before, after = aspects(old), aspects(new)
        if old.kernel != new.kernel or len(before) != len(after) or len(recorded) != len(after):
            break
        for was, stale, right in zip(recorded, before, after):
            difference = wrong.get((index, right.what))
            if difference is None and (right.what.endswith("buffer") or was.key == right.key):
                continue
            mark = "" if difference is None else " ✗ (aliased)" if difference.cause is Cause.ALIASED else " ✗"
            row = [str(index), new.kernel or "–", right.what, right.variable, _text(stale.shown) + mark]
            if beside:
                row.append(_legal(legal, ordinal if new.kernel is not None else -1, right))
            rows.append([*row, _text(right.shown)])
    for difference in call.differences:
        if difference.what in ("nodes", "kernel"):
            row = [str(difference.node), difference.kernel, difference.what, "", _text(difference.replayed) + " ✗"]
            if beside:
                row.append("")
            rows.append([*row, _text(difference.fresh)])
    return rows


def _launches(nodes: Sequence[Node]) -> list[list[Aspect]]:
    """Aspects of the nodes with a kernel: hoisted allocations are nodes of the written program only."""
    return [aspects(node) for node in nodes if node.kernel is not None]


def _legal(launches: list[list[Aspect]], ordinal: int, wanted: Aspect) -> str:
    if not 0 <= ordinal < len(launches):
        return ""
    return next((_text(aspect.shown) for aspect in launches[ordinal] if aspect.what == wanted.what), "")


def _columns(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def _markdown(rows: list[list[str]]) -> list[str]:
    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return ["", line(rows[0]), line(["---"] * len(rows[0])), *map(line, rows[1:]), ""]


def _text(value: Shown) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)


def _verdict(written: Simulation, legalized: Simulation | None) -> str:
    if not written.calls:
        return "No Graph is called."
    if written.equal:
        return "Every replay equals a fresh run."
    bad = sum(not call.equal for call in written.calls)
    text = f"{bad} of {len(written.calls)} calls go wrong as written."
    if legalized is not None:
        still = sum(not call.equal for call in legalized.calls)
        text += " After legalizing every replay equals a fresh run." if not still else f" After legalizing: {still}."
    return text
