"""The one error a user sees."""


class MemoryspanError(Exception):
    """Something the user can mend.

    The message is one or two sentences: what is wrong (naming the file, key or line) and what to
    do about it. The command line shows the message alone, without a traceback.
    """
