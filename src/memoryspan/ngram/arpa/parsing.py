"""The compiled loop that takes n-gram lines apart: number, words, maybe a number."""

import numpy as np
from numpy.typing import NDArray

from memoryspan.ngram.compilation import compiled
from memoryspan.ngram.words import Bytes

TAB, LINE_FEED, CARRIAGE_RETURN, SPACE, BACKSLASH = 9, 10, 13, 32, 92

PLUS, MINUS, POINT = 43, 45, 46
LARGEST = 1e9  # no logarithm is larger
NO_EXPONENT = 10**6

# Why parsing stopped: the block is read, a line begins with a backslash, more lines than asked
# for, or something is wrong with the line. (BLOCK_READ is 0.)
BLOCK_READ, KEYWORD, TOO_MANY, FIELDS, PROBABILITY, POSITIVE, BACKOFF = range(7)


@compiled
def parse_number(text: Bytes, begin: int, end: int) -> float:
    """The decimal number that fills ``text[begin:end]``, NaN if there is none of sensible size.

    With up to 15 digits, as all tools write, it is the double nearest to the decimal number
    (Clinger 1990: both parts of mantissa / 10^k are exact).
    """
    p = begin + (text[begin] in (PLUS, MINUS))
    mantissa = np.int64(0)
    exponent = digits = 0
    point = False
    while p < end:
        digit = np.int64(text[p]) - 48
        if 0 <= digit <= 9:
            digits += 1
            if mantissa < 10**17:
                mantissa = mantissa * 10 + digit
                exponent -= point
            else:
                exponent += not point
        elif text[p] == POINT and not point:
            point = True
        else:
            break
        p += 1
    if p < end and text[p] in (69, 101):  # E e
        shown = parse_exponent(text, p + 1, end)
        exponent += shown
        p = end if shown != NO_EXPONENT else p
    if digits == 0 or p < end:
        return np.nan
    power = 10.0 ** min(abs(exponent), 400)
    value = mantissa * power if mantissa and exponent > 0 else mantissa / power
    return np.nan if value >= LARGEST else -value if text[begin] == MINUS else value


@compiled
def parse_exponent(text: Bytes, begin: int, end: int) -> int:
    """The whole number that fills ``text[begin:end]``, cut to four digits."""
    if begin == end:
        return NO_EXPONENT
    p = begin + (text[begin] in (PLUS, MINUS))
    digits = end - p
    exponent = 0
    while p < end and 48 <= text[p] <= 57:
        exponent = min(exponent * 10 + int(text[p]) - 48, 9999)
        p += 1
    if digits == 0 or p < end:
        return NO_EXPONENT
    return -exponent if text[begin] == MINUS else exponent


@compiled
def split_line(text: Bytes, p: int, fields: NDArray[np.int32]) -> tuple[int, int]:
    """Find the fields of a line, which tabs and spaces separate.

    Args:
        text: whole lines.
        p: where the line begins.
        fields: receives where each field begins and ends, [F, 2]; more are only counted.

    Returns:
        the number of fields, and the place of the line feed.
    """
    count = 0
    while True:
        while text[p] in (SPACE, TAB, CARRIAGE_RETURN):
            p += 1
        if text[p] == LINE_FEED:
            return count, p
        begin = p
        while text[p] not in (SPACE, TAB, CARRIAGE_RETURN, LINE_FEED):
            p += 1
        if count < len(fields):
            fields[count, 0] = begin
            fields[count, 1] = p
        count += 1


@compiled
def parse_values(
    text: Bytes, order: int, count: int, fields: NDArray[np.int32]
) -> tuple[float, float, int]:
    """The numbers of a line with so many fields, log10 P and back-off weight, and what is wrong.

    Returns:
        the numbers, the second NaN if the line has none, and 0 or a reason to stop.
    """
    if not order < count <= order + 2:
        return np.nan, np.nan, FIELDS
    prob = parse_number(text, fields[0, 0], fields[0, 1])
    if np.isnan(prob):
        return prob, np.nan, PROBABILITY
    if prob > 0:
        return prob, np.nan, POSITIVE
    if count == order + 1:
        return prob, np.nan, 0
    backoff = parse_number(text, fields[order + 1, 0], fields[order + 1, 1])
    return prob, backoff, BACKOFF if np.isnan(backoff) else 0


@compiled
def parse_ngrams(
    text: Bytes,
    start: int,
    order: int,
    limit: int,
    log10_prob: NDArray[np.float64],
    log10_backoff: NDArray[np.float64],
    words: NDArray[np.int32],
    line: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """Read n-gram lines of one order from a block of whole lines.

    Args:
        text: the block.
        start: where to begin.
        order: words per n-gram, n.
        limit: the most n-grams to read; the arrays to fill have room for those in the block.
        log10_prob: receives log10 P, [L].
        log10_backoff: receives log10 of back-off weights, NaN where there is none, [L].
        words: receives where each word begins and ends in the block, [L, n, 2].
        line: receives how many lines after the first each n-gram stands, [L].

    Returns:
        why it stopped, the place of the line where it did, lines and n-grams before it.
    """
    fields = np.empty((order + 2, 2), np.int32)
    lines = ngrams = 0
    while start < len(text):
        if text[start] == BACKSLASH:
            return KEYWORD, start, lines, ngrams
        count, end = split_line(text, start, fields)
        if count > 0:
            if ngrams == limit:
                return TOO_MANY, start, lines, ngrams
            log10_prob[ngrams], log10_backoff[ngrams], problem = parse_values(
                text, order, count, fields
            )
            if problem:
                return problem, start, lines, ngrams
            words[ngrams] = fields[1 : order + 1]
            line[ngrams] = lines
            ngrams += 1
        lines += 1
        start = end + 1
    return BLOCK_READ, start, lines, ngrams
