"""What streams are called in messages."""

STANDARD_STREAMS: dict[object, str] = {
    "<stdin>": "standard input",
    "<stdout>": "standard output",
    0: "standard input",
    1: "standard output",
}


def stream_name(stream: object, otherwise: str = "the text") -> str:
    """The name of a stream, if it has one."""
    name = getattr(stream, "name", None)
    return STANDARD_STREAMS.get(name, name if isinstance(name, str) and name else otherwise)
