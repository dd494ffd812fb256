import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from memoryspan.reporting.figure_style import svg_text
from memoryspan.reporting.figures import counts_of_counts_figure, growth_figure, seen_figure
from memoryspan.reporting.figures.frequencies import binned_means


def line(figure: Figure, label: str) -> Line2D:
    return next(line for line in figure.axes[0].lines if line.get_label() == label)


def labels(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_bins_hold_every_r_also_those_of_no_ngram() -> None:
    r, ngrams = np.array([1, 3, 5, 7, 40]), np.array([10, 6, 4, 2, 23])
    middle, mean = binned_means(r, ngrams)
    # 1, 2 (none), 3, 4 (none), 5–7, 8–10 …, 32–44
    np.testing.assert_allclose(middle, [1, 3, np.sqrt(35), np.sqrt(32 * 44)])
    np.testing.assert_allclose(mean, [10, 6, 2, 23 / 13])


def test_the_largest_count_is_in_a_bin() -> None:
    for most in (1, 2, 3, 4, 5, 7, 8, 11, 16, 2**20, 2**31 - 1):
        _, mean = binned_means(np.array([most]), np.array([1]))
        assert len(mean) == 1


def test_counts_of_counts(counts_of_counts: pd.DataFrame) -> None:
    figure = counts_of_counts_figure(counts_of_counts)
    assert labels(figure) == ["1-grams", "2-grams", "3-grams"]
    dots = [x for x in figure.axes[0].lines if x.get_marker() == "."]
    assert [*dots[1].get_xdata()] == [1, 2, 40]
    assert [*dots[1].get_ydata()] == [900, 80, 20]
    assert (figure.axes[0].get_xscale(), figure.axes[0].get_yscale()) == ("log", "log")


def test_growth_has_the_law_over_its_range(
    vocabulary_growth: pd.DataFrame, heaps_fit: pd.DataFrame
) -> None:
    figure = growth_figure(vocabulary_growth, heaps_fit)
    law = line(figure, "types by Heaps’ law, β = 0.45")
    assert [*law.get_xdata()] == [1000, 70_000]
    np.testing.assert_allclose(np.asarray(law.get_ydata()), 3 * np.array([1000, 70_000]) ** 0.45)
    assert labels(figure)[:4] == ["all new", "types", "2-grams", "3-grams"]
    assert [*line(figure, "types").get_xdata()] == [10, 100, 1000, 10_000, 70_000]  # four decades


def test_growth_without_a_law(vocabulary_growth: pd.DataFrame, heaps_fit: pd.DataFrame) -> None:
    for law in (None, heaps_fit.assign(beta=np.nan)):
        assert labels(growth_figure(vocabulary_growth, law)) == [
            *("all new", "types", "2-grams", "3-grams")
        ]


def test_seen_shares_have_intervals_and_numbers(seen_ngrams: pd.DataFrame) -> None:
    figure = seen_figure(seen_ngrams)
    axes = figure.axes[0]
    assert axes.get_xlabel() == "n (interval: 23 blocks resampled)"
    texts = [text.get_text().replace("\u202f", " ") for text in axes.texts]
    assert texts == ["100 %", "85.0 %", "50.0 %", "100 %", "60.0 %", "25.0 %"]
    ends = [segment[:, 1].tolist() for segment in axes.collections[1].get_segments()]
    assert ends == [[1.0, 1.0], [0.58, 0.62], [0.23, 0.27]]


def test_seen_shares_without_intervals(seen_ngrams: pd.DataFrame) -> None:
    bounds = [name for name in seen_ngrams if str(name).endswith(("_low", "_high"))]
    figure = seen_figure(seen_ngrams.assign(**dict.fromkeys(bounds, np.nan)))
    assert figure.axes[0].get_xlabel() == "n"
    assert svg_text(figure)


@pytest.mark.parametrize("draw", [counts_of_counts_figure, growth_figure, seen_figure])
def test_nothing_to_show_is_said(draw) -> None:
    assert "nothing to show" in svg_text(draw(pd.DataFrame()))


def test_a_text_of_one_word() -> None:
    growth = pd.DataFrame({"order": [1], "tokens": [1], "distinct": [1]})
    assert svg_text(growth_figure(growth))
    assert svg_text(
        counts_of_counts_figure(pd.DataFrame({"order": [1], "count": [1], "ngrams": [1]}))
    )
