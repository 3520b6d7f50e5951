"""Newest text first, nothing stale, nobody starved, and what is not wanted any more is not computed."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import pytest

from pto_lsp.server.worker import Superseded, Worker
from tests.robustness.fuzzing.corpus import SIZES, model
from tests.support.client import CAPABILITIES, PULLING, Message, RawClient, edit

DSL = "pypto\n"
ROOT = Path(__file__).parents[2]
A, B = "file:///a.py", "file:///b.py"


def publications(messages: list[Message]) -> list[tuple[str, int, list[str]]]:
    return [
        (m["params"]["uri"], m["params"]["version"], [d["code"] for d in m["params"]["diagnostics"]])
        for m in messages
        if m.get("method") == "textDocument/publishDiagnostics"
    ]


def test_versions_only_go_up_and_the_last_text_is_reported() -> None:
    with RawClient() as client:
        client.initialize()
        client.open(A, DSL)
        for version in range(2, 200):
            client.change(A, version, DSL + "BAD\n" * (version % 3))
        client.published(A, 199)
        found = publications(client.received)
        versions = [version for _, version, _ in found]
        assert versions == sorted(set(versions))
        assert all(len(codes) == version % 3 for _, version, codes in found[1:])


def test_a_newer_text_stops_the_computation_for_the_older_one() -> None:
    with RawClient() as client:
        client.initialize()
        client.open(A, DSL)
        client.published(A, 1)
        begin = time.monotonic()
        for version in range(2, 12):
            client.change(A, version, DSL + "SLOW\n")
            time.sleep(0.02)
        client.change(A, 12, DSL + "BAD\n")
        client.published(A, 12)
        # Each SLOW takes half a second when it is left alone, and would be published.
        assert time.monotonic() - begin < 3
        assert [version for _, version, _ in publications(client.received)] == [1, 12]


def test_a_pull_is_answered_for_the_newest_text_even_when_it_was_begun_before() -> None:
    with RawClient() as client:
        client.initialize(PULLING)
        client.open(A, DSL + "SLOW\n")
        pending = client.pull(A)
        time.sleep(0.1)
        client.change(A, 2, DSL + "BAD\n")
        assert [d["code"] for d in client.answer(pending)["result"]["items"]] == ["PTO101"]


def test_cancelled_requests_answer_so_and_are_not_computed() -> None:
    with RawClient() as client:
        client.initialize(PULLING)
        client.open(A, DSL + "SLOW\n")
        client.open(B, DSL + "SLOW\n")
        running, waiting = client.pull(A), client.pull(B)
        time.sleep(0.1)
        for identity in (waiting, running):
            client.notify("$/cancelRequest", {"id": identity})
        assert client.answer(waiting)["error"]["code"] == -32800
        assert client.answer(running)["error"]["code"] == -32800
        client.change(B, 2, DSL + "BAD\n")
        assert len(client.answer(client.pull(B))["result"]["items"]) == 1


def test_a_slow_document_neither_delays_another_nor_is_forgotten() -> None:
    with RawClient() as client:
        client.initialize()
        client.open(A, DSL + "SLOW BAD\n")
        client.open(B, DSL)
        client.published(B, 1)
        delays = []
        for version in range(2, 22):
            begin = time.monotonic()
            client.change(B, version, DSL + "BAD\n" * version)
            assert len(client.published(B, version)) == version
            delays.append(time.monotonic() - begin)
        # A is put back a few times, for longer and longer slices, until it gets through.
        assert sorted(delays)[10] < 0.3
        while (A, 1, ["PTO101"]) not in publications(client.received):
            client.next()


@pytest.mark.parametrize("pulls", [True, False])
def test_a_burst_of_file_events_does_not_keep_a_request_waiting(tmp_path: Path, pulls: bool) -> None:
    (tmp_path / "sizes.py").write_text(SIZES)
    main = tmp_path / "main.py"
    main.write_text(model(400, graph=True))
    watching = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    names = ["sizes.py", "pyproject.toml", "pto-lsp.toml", *(f"module_{number}.py" for number in range(97))]
    events = [{"uri": (tmp_path / names[number % 100]).as_uri(), "type": number % 3 + 1} for number in range(2000)]
    with RawClient([sys.executable, "-m", "pto_lsp"], cwd=ROOT) as client:
        client.initialize({**(PULLING if pulls else CAPABILITIES), **watching}, rootUri=tmp_path.as_uri())
        client.open(main.as_uri(), main.read_text())
        client.ask("textDocument/hover", position(main, 0))
        if pulls:
            client.answer(client.pull(main.as_uri()))
        client.notify("workspace/didChangeWatchedFiles", {"changes": events})
        for event in events:
            client.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
        for version in range(2, 12):
            begin, cpu = time.monotonic(), client.cpu()
            client.change(main.as_uri(), version, edit((version, 0), (version, 0), "# x\n"))
            if pulls:
                client.answer(client.pull(main.as_uri()))
            client.ask("textDocument/hover", position(main, version))
            assert min(time.monotonic() - begin, client.cpu() - cpu) < 0.2


def position(path: Path, line: int) -> Message:
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": 0}}


def test_two_documents_edited_in_turn_starve_neither() -> None:
    with RawClient() as client:
        client.initialize()
        for uri in (A, B):
            client.open(uri, DSL)
            client.published(uri, 1)
        # Each computation is far longer than the pause between two edits.
        for version in range(2, 40):
            for uri in (A, B):
                client.change(uri, version, DSL + "SLOW BAD\n")
                time.sleep(0.02)
        begin = time.monotonic()
        last = {}
        while last.get(A) != 39 or last.get(B) != 39:
            message = client.next()
            if message.get("method") == "textDocument/publishDiagnostics":
                last[message["params"]["uri"]] = message["params"]["version"]
        assert time.monotonic() - begin < 10
        for uri in (A, B):
            versions = [version for where, version, _ in publications(client.received) if where == uri]
            assert versions == sorted(set(versions))


def test_one_document_edited_without_pause_does_not_starve_another() -> None:
    with RawClient() as client:
        client.initialize()
        client.open(A, DSL)
        client.published(A, 1)
        client.open(B, DSL + "SLOW BAD\n")
        begin, version = time.monotonic(), 1
        while (B, 1, ["PTO101"]) not in publications(client.received):
            version += 1
            client.change(A, version, DSL + "BAD\n" * (version % 3))
            client.quiet(0.03)
            assert time.monotonic() - begin < 15
        assert len([1 for where, _, _ in publications(client.received) if where == A]) > 5


@pytest.mark.parametrize("line", ["BAD", "BRIEF BAD"])
def test_a_burst_is_published_at_most_three_times(line: str) -> None:
    with RawClient() as client:
        client.initialize()
        client.open(A, DSL)
        client.published(A, 1)
        published = []
        for burst in range(10):
            client.quiet(0.15)
            before = len(publications(client.received))
            for version in range(2 + burst * 10, 12 + burst * 10):
                client.change(A, version, DSL + f"{line}\n" * (version % 3 + 1))
                time.sleep(0.005)
            client.published(A, 11 + burst * 10)
            published.append(len(publications(client.received)) - before)
        # Where the machine is busy a gap may be much longer than those before it.
        assert statistics.median(published) <= 3


def test_a_burst_without_end_is_published_now_and_then() -> None:
    with RawClient() as client:
        client.initialize()
        client.open(A, DSL)
        client.published(A, 1)
        begin, version = time.monotonic(), 1
        while len(publications(client.received)) < 4:
            version += 1
            client.change(A, version, DSL + "BAD\n" * (version % 3 + 1))
            client.quiet(0.004)
            assert time.monotonic() - begin < 30


def test_a_request_that_gives_way_lets_the_others_pass() -> None:
    worker = Worker(lambda: None, lambda fault: None)
    order: list[str] = []

    def long() -> None:
        if "quick" not in order:
            order.append("put back")
            raise Superseded
        order.append("long")

    first, second = worker.submit(long), worker.submit(order.append, "quick")
    worker.start()
    second.result(10)
    first.result(10)
    worker.stop()
    assert order == ["put back", "quick", "long"]
