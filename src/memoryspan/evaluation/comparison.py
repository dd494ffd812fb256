"""The verdict on each neural model, in a sentence: is it better than the best n-gram model?"""

import numpy as np
import pandas as pd


def compare_with_reference(table: pd.DataFrame) -> list[str]:
    """One plain sentence per model that is neither chance nor an n-gram.

    Lower and higher are said only where the 95 % interval of the ratio excludes 1; everything
    else is undecided, and says so.

    Args:
        table: as ``perplexity_table`` makes it.
    """
    neural = table[~table["family"].isin(["chance", "n-gram"])]
    return [_sentence(row) for _, row in neural.iterrows()]


def _sentence(row: "pd.Series") -> str:
    model, reference, ratio = row["model"], row["reference"], float(row["ratio_to_best_ngram"])
    low, high = float(row["ratio_low"]), float(row["ratio_high"])
    clusters = f"{row['interval_clusters']} {row['interval_unit']}s"
    if pd.isna(reference):
        return f"{model}: no n-gram model with a finite validation perplexity to compare with"
    if np.isinf(row["test_perplexity"]):
        return (
            f"{model} does not have a lower test perplexity than {reference}: its own is infinite"
        )
    if np.isnan(low):
        why = f"the test split has only {clusters}" if ratio > 0 else "the latter's is infinite"
        return f"undecided: {model} and {reference} (ratio {ratio:.2f}; no interval, as {why})"
    figures = f"({_figures(ratio, low, high)}, {clusters})"
    if high < 1:
        return f"{model} has a lower test perplexity than {reference} {figures}"
    if low > 1:
        return f"{model} has a higher test perplexity than {reference} {figures}"
    return f"undecided whether {model} has a lower test perplexity than {reference} {figures}"


def _figures(ratio: float, low: float, high: float) -> str:
    """Two decimals, or as many as show on which side of 1 the bounds lie (at most six)."""
    digits = next((d for d in range(2, 6) if round(low, d) != 1 and round(high, d) != 1), 6)
    return f"ratio {ratio:.{digits}f}, 95 % interval {low:.{digits}f}–{high:.{digits}f}"
