import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryspan.errors import MemoryspanError
from memoryspan.text.readers import decode, split_lines, strip_markdown

PLAY = """# The Tempest

## ACT I

### SCENE I. On a ship at sea.

_Enter Mariners, with torches,
and others_

**ALONSO**  
_\\[Aside]_  
Good boatswain, have care;\\--where's # the master?  

*Exeunt.*
__\\[Sings]_  
"""


def test_markdown_marks_go_and_every_line_stays():
    assert split_lines(strip_markdown(PLAY)) == [
        "The Tempest",
        "",
        "ACT I",
        "",
        "SCENE I. On a ship at sea.",
        "",
        "Enter Mariners, with torches,",
        "and others",
        "",
        "ALONSO",
        "[Aside]",
        "Good boatswain, have care;--where's # the master?",
        "",
        "Exeunt.",
        "[Sings]",
    ]


def test_a_bom_and_foreign_line_ends_are_accepted():
    assert decode(b"\xef\xbb\xbfa\r\nb\rc\n", "x", "utf-8") == "a\nb\nc\n"
    assert decode("a\r\nb".encode("utf-16"), "x", "utf-16") == "a\nb"


def test_bytes_of_another_encoding_are_an_error_that_says_where():
    with pytest.raises(MemoryspanError) as caught:
        decode("eins\nzwei\ndrei für\n".encode("latin-1"), "buch.txt", "utf-8")
    message = str(caught.value)
    assert "buch.txt is not valid utf-8" in message
    assert "byte 0xfc at offset 16 (line 3)" in message
    assert "corpus.encoding=latin-1" in message


def test_utf16_is_recognised_by_its_mark():
    with pytest.raises(MemoryspanError, match=r"corpus\.encoding=utf-16"):
        decode("text".encode("utf-16"), "x.txt", "utf-8")


def test_a_binary_file_is_not_called_latin1():
    with pytest.raises(MemoryspanError, match="NUL bytes") as caught:
        decode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "x.txt", "utf-8")
    assert "latin-1" not in str(caught.value)


def test_nul_characters_are_refused_with_their_line():
    with pytest.raises(
        MemoryspanError, match=r"x\.txt holds NUL characters \(the first in line 2\)"
    ):
        decode(b"a\nb\0c\n", "x.txt", "utf-8")


@settings(deadline=None)
@given(st.text(alphabet="ab \x0c\x85\u2028\n"))
def test_only_a_newline_ends_a_line(text):
    lines = split_lines(text)
    assert len(lines) == text.count("\n") + (not text.endswith("\n") and text != "")
    assert "\n".join(lines) == text.removesuffix("\n")
