"""Documents over stdio: open, edit, break, heal, close; findings as pushed and as pulled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.client import CAPABILITIES, PULLING, Message, RawClient, edit

DSL = "pypto\n"


@pytest.fixture(scope="module")
def server() -> Iterator[RawClient]:
    """A server that pushes; tests use documents of their own."""
    with RawClient() as client:
        client.initialize()
        yield client
        assert client.leave() == 0


@pytest.fixture(scope="module")
def pulled() -> Iterator[RawClient]:
    """A server for a client that pulls."""
    with RawClient() as client:
        capabilities = client.initialize(PULLING)
        assert capabilities["diagnosticProvider"]["interFileDependencies"] is True
        yield client
        assert client.leave() == 0


def codes(found: list[Message]) -> list[str]:
    return [diagnostic["code"] for diagnostic in found]


def test_a_document_from_opening_to_closing(server: RawClient) -> None:
    uri = "file:///life.py"
    server.open(uri, DSL + "BAD\n")
    [found] = server.published(uri, 1)
    assert found == {
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}},
        "severity": 2,
        "code": "PTO101",
        "codeDescription": {"href": found["codeDescription"]["href"]},
        "source": "pto-lsp",
        "message": "'BAD' is here",
    }
    assert found["codeDescription"]["href"].endswith("PTO101.md")
    server.change(uri, 2, edit((1, 3), (1, 3), " WRONG"))
    assert codes(server.published(uri, 2)) == ["PTO101", "PTO001"]
    server.change(uri, 3, edit((1, 0), (1, 9), "fine"))
    assert server.published(uri, 3) == []
    server.change(uri, 4, DSL + "FAINT\n")
    [found] = server.published(uri, 4)
    assert (found["severity"], found["tags"]) == (4, [1])
    server.close(uri)
    assert server.published(uri) == []


def test_an_empty_document_has_findings_none_too(server: RawClient) -> None:
    server.open("file:///empty.py", "")
    assert server.published("file:///empty.py", 1) == []


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "vscode-vfs://github/owner/repository/x.py",
        "file:///dir%20with%20space/%E6%96%87/b%231.py",
        "file:///c%3A/users/x.py",
        "http://[",
        "file:///%00/x.py",
        "::",
        "",
    ],
)
def test_any_address_will_do(server: RawClient, uri: str) -> None:
    server.open(uri, DSL + "BAD\n")
    assert codes(server.published(uri, 1)) == ["PTO101"]
    server.close(uri)
    assert server.published(uri) == []


def test_changes_of_one_message_apply_one_after_the_other(server: RawClient) -> None:
    uri = "file:///several.py"
    server.open(uri, DSL + "1\n2\n3\n")
    server.published(uri, 1)
    # Ascending: the second counts in the text the first has left.
    server.change(uri, 2, edit((1, 0), (2, 0), ""), edit((1, 0), (1, 1), "BAD"))
    [found] = server.published(uri, 2)
    assert found["range"]["start"] == {"line": 1, "character": 0}
    # Descending, as editors send them.
    server.change(uri, 3, edit((2, 0), (2, 1), "WRONG"), edit((1, 0), (1, 3), "x BAD"))
    first, second = server.published(uri, 3)
    assert (first["code"], first["range"]["start"]) == ("PTO101", {"line": 1, "character": 2})
    assert (second["code"], second["range"]["start"]) == ("PTO001", {"line": 2, "character": 0})
    server.change(uri, 4, edit((0, 0), (99, 0), ""), "pypto BAD", edit((0, 9), (7, 7), " FAINT"))
    assert codes(server.published(uri, 4)) == ["PTO101", "PTO106"]


@pytest.mark.parametrize("junk", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_the_protocols_line_ends_are_line_ends(server: RawClient, junk: str) -> None:
    uri = f"file:///junk{ord(junk)}.py"
    server.open(uri, f"# pypto{junk}\ny\r\nz\rw")
    server.published(uri, 1)
    server.change(uri, 2, edit((3, 0), (3, 1), "BAD"), edit((2, 0), (2, 1), "WRONG"))
    assert [(d["code"], d["range"]["start"]["line"]) for d in server.published(uri, 2)] == [
        ("PTO001", 2),
        ("PTO101", 3),
    ]


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 18), ("utf-16", 10), ("utf-32", 8)])
def test_columns_count_in_the_clients_units(encoding: str, column: int) -> None:
    uri = "file:///columns.py"
    with RawClient() as client:
        capabilities = client.initialize({**CAPABILITIES, "general": {"positionEncodings": [encoding, "utf-16"]}})
        assert capabilities["positionEncoding"] == encoding
        client.open(uri, DSL + "'张量😀🚀'; BAD\n")
        [found] = client.published(uri, 1)
        assert found["range"]["start"] == {"line": 1, "character": column}
        client.change(uri, 2, edit((1, column), (1, column + 1), "G"))
        assert client.published(uri, 2) == []
        client.change(uri, 3, edit((1, column), (1, column + 3), "BAD"))
        [found] = client.published(uri, 3)
        assert found["range"]["end"] == {"line": 1, "character": column + 3}


def test_without_an_offer_columns_are_utf16() -> None:
    with RawClient() as client:
        assert client.initialize({})["positionEncoding"] == "utf-16"


def test_what_the_client_cannot_show_goes_into_the_message(tmp_path: Path) -> None:
    there, here = (tmp_path / "there.py").as_uri(), (tmp_path / "here.py").as_uri()
    with RawClient() as client:
        client.initialize({})
        client.open(there, "\n\nBAD pypto\n")
        client.open(here, DSL + "USES(there) FAINT\n")
        found = client.published(here, 1)
        imported = next(diagnostic for diagnostic in found if diagnostic["code"] == "PTO201")
        assert imported["message"] == f"'BAD' is imported\nthe cause is here ({tmp_path / 'there.py'}:3)"
        assert all(key not in d for d in found for key in ("relatedInformation", "codeDescription", "tags"))


def test_related_places_carry_their_own_document(server: RawClient) -> None:
    there, here = "file:///other%20one.py", "file:///uses.py"
    server.open("file:///cause.py", "'😀' BAD pypto\n")
    server.open(here, DSL + "USES(cause)\n")
    [found] = server.published(here, 1)
    [related] = found["relatedInformation"]
    assert related["location"]["uri"] == "file:///cause.py"
    assert related["location"]["range"]["start"] == {"line": 0, "character": 5}
    assert there not in str(found)


def test_an_edit_republishes_the_documents_that_depend_on_it(server: RawClient) -> None:
    server.open("file:///base.py", DSL)
    server.open("file:///top.py", DSL + "USES(base)\n")
    assert server.published("file:///top.py", 1) == []
    server.change("file:///base.py", 2, DSL + "BAD\n")
    assert codes(server.published("file:///base.py", 2)) == ["PTO101"]
    assert codes(server.published("file:///top.py", 1)) == ["PTO201"]
    server.close("file:///base.py")
    assert server.published("file:///top.py", 1) == []


def test_pulled_findings_are_full_or_unchanged_and_never_pushed(pulled: RawClient) -> None:
    uri = "file:///pulled.py"
    pulled.open(uri, DSL + "BAD\n")
    first = pulled.answer(pulled.pull(uri))["result"]
    assert (first["kind"], codes(first["items"])) == ("full", ["PTO101"])
    again = pulled.answer(pulled.pull(uri, first["resultId"]))["result"]
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    pulled.change(uri, 2, DSL + "BAD FAINT\n")
    second = pulled.answer(pulled.pull(uri, first["resultId"]))["result"]
    assert (second["kind"], codes(second["items"])) == ("full", ["PTO101", "PTO106"])
    pulled.close(uri)
    assert pulled.answer(pulled.pull(uri, second["resultId"]))["result"] == {"kind": "full", "items": []}
    pulled.open(uri, DSL + "WRONG\n")
    third = pulled.answer(pulled.pull(uri, first["resultId"]))["result"]
    assert (third["kind"], codes(third["items"])) == ("full", ["PTO001"])
    assert [m for m in pulled.received if m.get("method") == "textDocument/publishDiagnostics"] == []


def test_a_pull_right_behind_a_change_describes_the_new_text(pulled: RawClient) -> None:
    uri = "file:///race.py"
    pulled.open(uri, DSL)
    for version in range(2, 102):
        bad = version % 2 == 0
        pulled.change(uri, version, DSL + ("BAD\n" if bad else ""))
        assert codes(pulled.answer(pulled.pull(uri))["result"]["items"]) == (["PTO101"] if bad else [])


def test_a_pulling_client_is_asked_to_pull_again_when_another_document_changes_the_result() -> None:
    base, top = "file:///base.py", "file:///top.py"
    with RawClient() as client:
        client.initialize({**PULLING, "workspace": {"diagnostics": {"refreshSupport": True}}})
        client.open(base, DSL)
        client.open(top, DSL + "USES(base)\n")
        first = client.answer(client.pull(top))["result"]
        assert first["items"] == []
        client.change(base, 2, DSL + "BAD\n")
        while client.next().get("method") != "workspace/diagnostic/refresh":
            pass
        second = client.answer(client.pull(top, first["resultId"]))["result"]
        assert codes(second["items"]) == ["PTO201"]
        client.change(base, 3, DSL + "BAD \n")
        assert client.quiet() == [], "nothing has changed over there"


def test_hover_on_a_code_shows_its_page(server: RawClient) -> None:
    uri = "file:///hover.py"
    server.open(uri, DSL + "'😀'  # pto: ignore[PTO101]\n")
    server.published(uri, 1)

    def hover(line: int, character: int, where: str = uri) -> Message:
        position = {"line": line, "character": character}
        return server.ask("textDocument/hover", {"textDocument": {"uri": where}, "position": position})

    page = hover(1, 23)["result"]["contents"]
    assert page["kind"] == "markdown"
    assert page["value"].startswith("# PTO101 derived-boundary-scalar")
    assert hover(1, 1)["result"] is None
    assert hover(99, 1)["result"] is None
    assert hover(0, 0, "file:///never_opened.py")["result"] is None
