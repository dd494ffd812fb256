"""Numbers as people read them: four significant digits, thin spaces between thousands."""

import math
from numbers import Integral, Real

MISSING = "–"
NARROW_SPACE = "\u202f"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def is_missing(value: object) -> bool:
    """Whether a table cell is empty: None, NaN, or pandas' NA and NaT."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, Real) and not isinstance(value, Integral) and math.isnan(value)


def number(value: object, digits: int = 4) -> str:
    """A cell of a table or a number in a sentence; integers in full, text as it is.

    ``digits`` are significant digits; integer digits are never rounded away below 10^12.
    """
    if is_missing(value):
        return MISSING
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return _grouped(int(value))
    return _real(float(value), digits) if isinstance(value, Real) else str(value)


def percent(share: object, digits: int = 3) -> str:
    """A share in [0, 1] as a percentage."""
    if is_missing(share) or not isinstance(share, Real):
        return MISSING
    return f"{number(100.0 * float(share), digits)}{NARROW_SPACE}%"


def interval(low: object, high: object) -> str:
    """The two ends of an interval (a dash for one not known), or nothing where there is none."""
    return "" if is_missing(low) and is_missing(high) else f"[{number(low)}, {number(high)}]"


def ratio(value: object, low: object = None, high: object = None) -> str:
    """A ratio near 1 with its interval, all to three decimals so that they compare by eye."""
    if is_missing(value):
        return MISSING
    ends = (value, low, high)
    shown = [float(end) for end in ends if isinstance(end, Real) and not is_missing(end)]
    texts = [f"{end:.3f}" if 0.01 <= end < 10 else number(end) for end in shown]
    return texts[0] if len(texts) < 3 else f"{texts[0]} [{texts[1]}, {texts[2]}]"


def axis_number(value: float) -> str:
    """A tick of a logarithmic axis: short, without mathematical markup."""
    if not math.isfinite(value):
        return ""
    if 1e-3 <= value < 1e7:
        text = f"{value:.10g}"
        return _grouped(int(value)) if text.isdigit() else text
    mantissa, exponent = f"{value:.0e}".split("e")
    prefix = "" if mantissa == "1" else f"{mantissa} × "
    return f"{prefix}10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def _real(value: float, digits: int) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e12:
        mantissa, exponent = f"{value:.{digits - 1}e}".replace("-", "−", value < 0).split("e")
        return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    text = f"{value:#.{digits}g}"
    if "e" in text or abs(float(text)) >= 1000:
        return _grouped(round(value))
    return text.rstrip(".").replace("-", "−")


def _grouped(value: int) -> str:
    return f"{value:,}".replace(",", NARROW_SPACE).replace("-", "−")
