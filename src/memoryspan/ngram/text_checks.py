"""What is wrong with the bytes of a text, and where."""


def first_fault(text: bytes) -> tuple[int, str] | None:
    """The place of the first byte that no UTF-8 text has, and what is wrong with it."""
    place = text.find(b"\0")
    problem = "a NUL byte; this is no text file or a damaged one"
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        if place < 0 or error.start < place:
            place = error.start
            problem = "not UTF-8; convert the file, e.g. with iconv -f latin1 -t utf-8"
    return (place, problem) if place >= 0 else None
