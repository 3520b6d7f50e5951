"""Newest text first, nothing stale, nobody starved, and what is not wanted any more is not computed."""

from __future__ import annotations

import time

from tests.support.client import PULLING, Message, RawClient

DSL = "pypto\n"
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


def test_a_burst_of_file_events_does_not_keep_a_request_waiting() -> None:
    with RawClient() as client:
        client.initialize(PULLING)
        client.open(A, DSL)
        client.answer(client.pull(A))
        events = [{"uri": f"file:///watched/{number}.py", "type": 2} for number in range(2000)]
        client.notify("workspace/didChangeWatchedFiles", {"changes": events})
        client.change(A, 2, DSL + "BAD\n")
        begin = time.monotonic()
        assert len(client.answer(client.pull(A))["result"]["items"]) == 1
        assert time.monotonic() - begin < 1
