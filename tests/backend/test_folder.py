"""The output folder: whole or not at all, and never somebody else's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pto_lsp.backend.artefacts import Artefacts
from pto_lsp.backend.folder import MARKER, ForeignFolder, write


def artefacts(**files: str) -> Artefacts:
    return Artefacts("e", {name.replace("_in_", "/"): text for name, text in files.items()}, (), (), {})


def content(folder: Path) -> dict[str, str]:
    found = [path for path in folder.rglob("*") if path.is_file() and path.name != MARKER]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


def test_a_folder_holds_the_newest_files_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "a" / "out"
    assert write(artefacts(k_in_x="1", m="2"), str(out))
    assert write(artefacts(k_in_y="3"), str(out))
    assert content(out) == {"k/y": "3"}
    assert os.listdir(out.parent) == ["out"]


def test_the_same_again_touches_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(artefacts(x="1"), str(out))
    before = (out / "x").stat()
    assert not write(artefacts(x="1"), str(out))
    assert (out / "x").stat() == before


def test_what_was_changed_by_hand_is_made_right(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(artefacts(x="1"), str(out))
    (out / "x").write_text("changed")
    assert write(artefacts(x="1"), str(out))
    assert content(out) == {"x": "1"}


def test_an_empty_folder_may_be_taken(tmp_path: Path) -> None:
    write(artefacts(x="1"), str(tmp_path))
    assert content(tmp_path) == {"x": "1"}


def test_what_python_compiled_is_not_foreign(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(artefacts(x="1"), str(out))
    (out / "__pycache__").mkdir()
    (out / "__pycache__" / "x.pyc").write_text("")
    assert not write(artefacts(x="1"), str(out))
    assert write(artefacts(x="2"), str(out))
    assert content(out) == {"x": "2"}


@pytest.mark.parametrize("what", ["file", "file below", "empty folder", "link", "link to a folder", "no marker"])
def test_foreign_content_is_never_removed(tmp_path: Path, what: str) -> None:
    out = tmp_path / "out"
    write(artefacts(k_in_x="1"), str(out))
    if what == "file":
        (out / "notes").write_text("mine")
    elif what == "file below":
        (out / "k" / "notes").write_text("mine")
    elif what == "empty folder":
        (out / "notes").mkdir()
    elif what == "link":
        (out / "notes").symlink_to(tmp_path / "nowhere")
    elif what == "link to a folder":
        (out / "notes").symlink_to(tmp_path)
    else:
        (out / MARKER).unlink()
    before = sorted(out.rglob("*"))
    with pytest.raises(ForeignFolder, match="k/x" if what == "no marker" else "notes"):
        write(artefacts(k_in_x="2"), str(out))
    assert sorted(out.rglob("*")) == before and (out / "k" / "x").read_text() == "1"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(ForeignFolder, match="not a folder"):
        write(artefacts(x="1"), str(tmp_path / "out"))


def test_the_working_directory_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    for folder in (".", ".."):
        with pytest.raises(ForeignFolder, match="working directory"):
            write(artefacts(x="1"), folder)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    write(artefacts(x="1"), str(tmp_path / "out"))
    assert (tmp_path / "out").is_symlink() and content(tmp_path / "real") == {"x": "1"}


def test_a_failure_leaves_the_old_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    write(artefacts(x="1"), str(out))
    rename = os.rename

    def failing(source: str, target: str) -> None:
        if source.endswith("new"):
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="No space"):
        write(artefacts(x="2"), str(out))
    assert content(out) == {"x": "1"} and os.listdir(tmp_path) == ["out"]
