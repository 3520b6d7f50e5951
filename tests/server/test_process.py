"""The process: its exit codes, its output, the end of the editor, messages out of order, and faults of our own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pto_lsp.server.transport import Writer
from tests.support.client import CAPABILITIES, PULLING, REAL, RawClient

DSL = "pypto\n"
A = "file:///a.py"


def test_leaving_in_order_is_success() -> None:
    with RawClient(from_start=True) as client:
        client.initialize()
        assert client.leave() == 0
        assert client.stderr == b""


@pytest.mark.parametrize("initialized", [True, False])
def test_exit_without_shutdown_is_failure(initialized: bool) -> None:
    with RawClient(from_start=True) as client:
        if initialized:
            client.initialize()
        client.notify("exit", None)
        assert client.process.wait(10) == 1


def test_the_end_of_the_input_ends_the_server() -> None:
    with RawClient(from_start=True) as client:
        client.initialize()
        client.open(A, DSL + "SLOW\n")
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(10) == 1


def test_the_death_of_the_editor_ends_the_server_although_its_pipes_stay_open() -> None:
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with RawClient(from_start=True) as client:
        client.initialize(processId=editor.pid)
        assert editor.stdin is not None
        editor.stdin.close()
        # Not waited for, it stays a zombie: gone all the same.
        begin = time.monotonic()
        assert client.process.wait(10) == 1
        assert time.monotonic() - begin < 10
    editor.wait()


def test_an_editor_that_is_gone_before_it_is_answered_is_answered_all_the_same() -> None:
    editor = subprocess.Popen([sys.executable, "-c", ""])
    editor.wait()
    with RawClient(from_start=True) as client:
        client.initialize(processId=editor.pid)
        assert client.process.wait(10) == 1


def test_stray_prints_do_not_reach_the_protocol() -> None:
    with RawClient(from_start=True) as client:
        client.initialize()
        client.open(A, DSL + "PRINT BAD\n")
        assert len(client.published(A, 1)) == 1
        assert client.leave() == 0
        assert b"a stray print\n" in client.stderr
        assert b"a stray print of a child\n" in client.stderr


def test_an_exception_costs_one_quiet_note_and_nothing_else() -> None:
    with RawClient(from_start=True) as client:
        client.initialize()
        client.open(A, DSL + "CRASH BAD\n")
        [note] = client.published(A, 1)
        assert (note["severity"], note.get("code")) == (3, None)
        client.change(A, 2, DSL + "BAD\n")
        assert [d["code"] for d in client.published(A, 2)] == ["PTO101"]
        logged = [m["params"]["message"] for m in client.received if m.get("method") == "window/logMessage"]
        assert len(logged) == 1
        assert "RuntimeError: crashed on demand" in logged[0]
        assert [m for m in client.received if m.get("method") == "window/showMessage"] == []


def test_unknown_messages_are_answered_or_ignored() -> None:
    with RawClient(from_start=True) as client:
        client.initialize()
        assert client.ask("pto/doesNotExist", {"a": 1})["error"]["code"] == -32601
        client.send({"id": "without parameters", "method": "pto/doesNotExist"})
        while (answer := client.next()).get("id") != "without parameters":
            pass
        assert answer["error"]["code"] == -32601
        client.notify("pto/alsoUnknown", {})
        client.notify("$/cancelRequest", {"id": 987654})
        client.notify("$/setTrace", {"value": "off"})
        client.close("file:///never_opened.py")
        client.change("file:///never_opened.py", 1, "x")
        client.open(A, DSL + "BAD\n")
        assert len(client.published(A, 1)) == 1


def test_messages_out_of_order_are_refused() -> None:
    with RawClient(from_start=True) as client:
        for method in ("textDocument/hover", "shutdown", "pto/unknown"):
            assert client.ask(method, {})["error"]["code"] == -32002
        # None of these is one.
        for wrong in ({"capabilities": 5}, {"processId": "me", "capabilities": {}}, [], None):
            assert client.ask("initialize", wrong)["error"]["code"] == -32602
        assert "error" in client.ask("initialize", {"rootUri": "http://[", "capabilities": {}})
        client.open(A, DSL)
        client.initialize()
        assert (
            client.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["error"]["code"]
            == -32600
        )
        client.ask("shutdown", None)
        assert client.ask("textDocument/hover", {})["error"]["code"] == -32600
        client.notify("exit", None)
        assert client.process.wait(10) == 0


MALFORMED = [
    (b"{", -32700),
    (b"\xff\xfe", -32700),
    (b"[" * 100_000, -32700),
    (b"[]", -32600),
    (b"1", -32600),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": {"position": 3}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 8, "method": "textDocument/hover"}', -32602),
    (b'{"jsonrpc": "2.0", "id": 9, "method": 5}', -32600),
    (b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": []}}', None),
    (b'{"jsonrpc": "2.0", "id": {}, "result": 5}', None),
    (b'{"jsonrpc": "2.0", "id": 10}', None),
    (b'{"jsonrpc": "2.0", "result": null}', None),
    (b'{"jsonrpc": "2.0"}', None),
    (b'{"id": 11}', None),
    (b'{"id": 12, "method": "textDocument/hover", "params": {}}', -32600),
    (b'{"jsonrpc": "1.0", "method": "textDocument/didOpen", "params": {}}', None),
    (b"{}", None),
]


def test_malformed_messages_are_answered_and_survived() -> None:
    with RawClient(from_start=True) as client:
        client.initialize()
        for version, (body, code) in enumerate(MALFORMED, start=1):
            client.send_bytes(body)
            if code is not None:
                while "error" not in (message := client.next()):
                    pass
                assert (body, message["error"]["code"]) == (body, code)
            client.open(A, DSL + "BAD\n", version)
            assert len(client.published(A, version)) == 1
        assert client.leave() == 0
        assert client.stderr == b""


def test_shutting_down_answers_what_still_waits() -> None:
    with RawClient(from_start=True) as client:
        client.initialize(PULLING)
        client.open(A, DSL + "SLOW\n")
        pending = [client.pull(A) for _ in range(3)]
        time.sleep(0.1)
        assert client.ask("shutdown", None)["result"] is None
        assert [client.answer(identity)["error"]["code"] for identity in pending] == [-32800] * 3
        client.notify("exit", None)
        assert client.process.wait(10) == 0


def test_an_editor_that_has_said_goodbye_need_not_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What some thread still has to say then must not decide about the exit code."""
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    reading, writing = os.pipe()
    os.close(reading)
    with suppress(OSError), os.fdopen(writing, "wb") as stream:
        writer = Writer(stream)
        writer.write(b"x")
        assert codes == [1]
        writer.leaving = True
        writer.write(b"x")
        assert codes == [1]


def test_configuration_of_file_and_editor(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    config = tmp_path / "pto-lsp.toml"
    config.write_text("ignore = ['PTO101']\nselct = []\n")
    uri = path.as_uri()
    capabilities = {**CAPABILITIES, "workspace": {"didChangeConfiguration": {"dynamicRegistration": True}}}
    with RawClient(cwd=tmp_path, from_start=True) as client:
        client.initialize(capabilities, rootUri=tmp_path.as_uri())
        client.open(uri, DSL + "BAD FAINT WRONG\n")
        [fault] = client.published(config.as_uri())
        assert (fault["message"], fault["range"]["start"]) == ("unknown key 'selct'", {"line": 1, "character": 0})
        assert [d["code"] for d in client.published(uri, 1)] == ["PTO106", "PTO001"]
        settings = {"pto-lsp": {"ignore": ["PTO106"], "path": ["not a key of the analysis"], "select": None}}
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
        assert [d["code"] for d in client.published(uri, 1)] == ["PTO101", "PTO001"]
        config.write_text("severity = { PTO101 = 'hint' }\n")
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": config.as_uri(), "type": 2}]})
        assert client.published(config.as_uri()) == []
        assert [d["severity"] for d in client.published(uri, 1)] == [4, 1]
        registered = [m for m in client.received if m.get("method") == "client/registerCapability"]
        assert len(registered) == 1


def test_configuration_that_the_client_is_asked_for(tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()
    with RawClient(from_start=True) as client:
        client.initialize(
            {**CAPABILITIES, "workspace": {"configuration": True}},
            workspaceFolders=[{"uri": tmp_path.as_uri(), "name": "folder"}],
            initializationOptions={"settings": {"ignore": ["PTO106"]}},
        )
        while (request := client._inbox.get(timeout=10)) is not None:
            if request.get("method") == "workspace/configuration":
                break
        assert request is not None
        assert request["params"]["items"] == [
            {"section": "pto-lsp"},
            {"scopeUri": tmp_path.as_uri(), "section": "pto-lsp"},
        ]
        client.open(uri, DSL + "BAD FAINT\n")
        assert [d["code"] for d in client.published(uri, 1)] == ["PTO101"]
        client.send({"id": request["id"], "result": [None, {"ignore": ["PTO101"]}]})
        assert [d["code"] for d in client.published(uri, 1)] == ["PTO106"]


def test_an_editor_that_refuses_or_leaves_instead_of_telling_its_configuration() -> None:
    for refuse in (True, False):
        with RawClient(from_start=True) as client:
            client.initialize({**CAPABILITIES, "workspace": {"configuration": True}})
            while (request := client._inbox.get(timeout=10)) is not None:
                if request.get("method") == "workspace/configuration":
                    break
            assert request is not None
            if refuse:
                client.send({"id": request["id"], "error": {"code": -32601, "message": "what is that?"}})
            client.open(A, DSL + "BAD\n")
            assert len(client.published(A, 1)) == 1
            assert client.leave() == 0
            assert client.stderr == b""


def test_the_server_needs_no_environment() -> None:
    with RawClient([*REAL, "--stdio"], env={"PATH": os.environ["PATH"]}, from_start=True) as client:
        assert client.initialize()["textDocumentSync"]["change"] == 2
        assert client.leave() == 0
