"""What is remembered of texts is bounded by their length, not by their number: one function can be a whole file."""

from __future__ import annotations

from pto_lsp.analysis.frontend.constants.chunk_code import ChunkCache
from pto_lsp.analysis.frontend.constants.text_cache import TextCache
from pto_lsp.analysis.source.document import Document


def test_the_least_recently_used_go_first() -> None:
    cache: TextCache[int] = TextCache(10)
    cache.put("aaaa", 1)
    cache.put("bbbb", 2)
    assert cache.get("aaaa") == 1
    cache.put("cccc", 3)
    assert [cache.get(text) for text in ("aaaa", "bbbb", "cccc")] == [1, None, 3]


def test_a_text_longer_than_all_there_may_be_is_not_kept() -> None:
    cache: TextCache[int] = TextCache(10)
    cache.put("a" * 4, 1)
    cache.put("b" * 11, 2)
    assert cache.get("a" * 4) is None
    assert cache.get("b" * 11) is None
    cache.put("c" * 10, 3)
    assert cache.get("c" * 10) == 3


def test_code_is_found_again_and_what_was_dropped_is_made_again() -> None:
    cache = ChunkCache()
    first = Document("N = 1\n").chunks[0]
    code = cache.get(first)
    assert cache.get(first) is code
    filler = "x" * 100_000
    for number in range(30):
        cache.get(Document(f"N = '{number}{filler}'\n").chunks[0])
    again = cache.get(first)
    assert again is not code
    assert again.names == code.names == {"N"}
