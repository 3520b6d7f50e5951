"""What a client hears of the server's state, and of work that takes long."""

from __future__ import annotations

from pathlib import Path

from tests.support.client import CAPABILITIES, Message, RawClient

SHOWN: Message = {**CAPABILITIES, "window": {"workDoneProgress": True}, "experimental": {"ptoStatus": True}}
A = "file:///a.py"


def states(client: RawClient) -> list[Message]:
    return [message["params"] for message in client.received if message.get("method") == "pto/status"]


def progress(client: RawClient) -> list[Message]:
    return [message["params"]["value"] for message in client.received if message.get("method") == "$/progress"]


def test_work_of_more_than_a_second_is_shown() -> None:
    with RawClient() as client:
        client.initialize(SHOWN)
        client.open(A, "pypto\nCRAWL\nBAD\n")
        assert client.published(A, 1)
        client.quiet()
        assert states(client) == [
            {"health": "ok", "message": "", "busy": False},
            {"health": "ok", "message": "checking a.py", "busy": True},
            {"health": "ok", "message": "", "busy": False},
        ]
        begin, end = progress(client)
        assert begin == {"kind": "begin", "title": "PyPTO: checking a.py", "cancellable": False}
        assert end == {"kind": "end"}
        assert client.leave() == 0


def test_quick_work_is_not_shown() -> None:
    with RawClient() as client:
        client.initialize(SHOWN)
        for version in range(1, 4):
            client.open(A, "pypto\nSLOW\n", version)
            client.published(A, version)
        assert len(states(client)) == 1
        assert not progress(client)
        assert client.leave() == 0


def test_a_client_that_shows_nothing_hears_nothing() -> None:
    with RawClient() as client:
        client.initialize()
        client.open(A, "pypto\nCRAWL\n")
        client.published(A, 1)
        assert not states(client) and not progress(client)
        assert not [m for m in client.received if m.get("method") == "window/workDoneProgress/create"]
        assert client.leave() == 0


def test_faults_and_configuration_make_the_state() -> None:
    with RawClient() as client:
        client.initialize(SHOWN)
        client.open(A, "pypto\nCRASH\n")
        client.published(A, 1)
        client.quiet(0.1)
        assert states(client)[-1] == {
            "health": "error",
            "message": "internal error while checking a.py: see the log",
            "busy": False,
        }
        client.change(A, 2, "pypto\n")
        client.published(A, 2)
        client.quiet(0.1)
        assert states(client)[-1] == {"health": "ok", "message": "", "busy": False}
        assert client.leave() == 0


def test_a_faulty_configuration_is_a_warning(tmp_path: Path) -> None:
    settings = tmp_path / "pto-lsp.toml"
    settings.write_text("selct = 1\n")
    uri = (tmp_path / "a.py").as_uri()
    with RawClient() as client:
        client.initialize(SHOWN)
        client.open(uri, "pypto\n")
        client.published(uri, 1)
        client.quiet(0.1)
        warning = {"health": "warning", "message": "pto-lsp.toml: unknown key 'selct'", "busy": False}
        assert states(client)[-1] == warning
        settings.write_text("select = ['ALL']\n")
        client.notify("textDocument/didSave", {"textDocument": {"uri": settings.as_uri()}})
        client.quiet(0.3)
        assert states(client)[-1]["health"] == "ok"
        assert client.leave() == 0
