import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryspan.reporting.formatting import axis_number, interval, number, percent, ratio


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567, "1 234 567"),
        (-1234, "−1 234"),
        (np.int64(999), "999"),
        (123.456, "123.5"),
        (0.871249, "0.8712"),
        (9.99999, "10.00"),
        (999.96, "1 000"),
        (10001.4, "10 001"),
        (-2.5, "−2.500"),
        (0.0, "0"),
        (1.5e-7, "1.500 × 10⁻⁷"),
        (-1.5e-7, "−1.500 × 10⁻⁷"),
        (3e15, "3.000 × 10¹⁵"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "–"),
        (None, "–"),
        (pd.NA, "–"),
        (True, "yes"),
        (np.False_, "no"),
        ("w<1>", "w<1>"),
    ],
)
def test_numbers(value: object, text: str) -> None:
    assert number(value).replace("\u202f", " ") == text


@given(st.floats(min_value=1e-300, max_value=1e11))
def test_four_digits_are_kept(value: float) -> None:
    text = number(value).replace("\u202f", "")
    mantissa, _, exponent = text.partition(" × 10")
    plain = exponent.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or "0"
    assert float(mantissa) * 10.0 ** int(plain) == pytest.approx(value, rel=6e-4)


def test_shares_ratios_and_intervals() -> None:
    assert percent(0.0251) == "2.51\u202f%"
    assert percent(0.95, 1) == "95\u202f%"
    assert percent(math.nan) == "–"
    assert ratio(0.98765, 0.9, 1.1) == "0.988 [0.900, 1.100]"
    assert ratio(math.inf, math.nan, math.nan) == "∞"
    assert interval(3, pd.NA) == "[3, –]"
    assert interval(None, math.nan) == ""


def test_ticks_are_short() -> None:
    texts = [axis_number(value) for value in (1e-5, 0.01, 0.25, 1.0, 20_000.0, 3e8)]
    assert texts == ["10⁻⁵", "0.01", "0.25", "1", "20\u202f000", "3 × 10⁸"]
