import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from memoryspan.reporting import figure_style
from memoryspan.reporting.figure_style import svg_text
from memoryspan.reporting.figures import (
    context_figure,
    gradient_figure,
    learning_curves_figure,
    perplexity_figure,
)
from memoryspan.reporting.palette import model_style


def line(figure: Figure, label: str, axes: int = 0) -> Line2D:
    return next(line for line in figure.axes[axes].lines if line.get_label() == label)


def texts(figure: Figure, axes: int) -> list[str]:
    return [text.get_text() for text in figure.axes[axes].texts]


def test_perplexities_are_dots_and_infinity_is_words(perplexity: pd.DataFrame) -> None:
    figure = perplexity_figure(perplexity)
    assert [*line(figure, "LSTM").get_xdata()] == [90.0]
    assert line(figure, "Uniform").get_markerfacecolor() == "white"
    assert line(figure, "LSTM").get_markerfacecolor() == model_style("lstm").colour
    assert any("∞ (12.5\u202f% of tokens" in text for text in texts(figure, 0))
    labels = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert labels == ["Uniform", "Max. likelihood 2-gram", "Kneser–Ney 3-gram", "LSTM"]


def test_ratios_have_intervals(perplexity: pd.DataFrame) -> None:
    figure = perplexity_figure(perplexity)
    segments = [c.get_segments()[0][:, 0].tolist() for c in figure.axes[1].collections]
    assert segments == [[1.0, 1.0], [0.88, 0.92]]  # those off the axis are written only
    assert texts(figure, 1) == [
        *("100.0 (off the axis)", "∞", "1.000 [1.000, 1.000]", "0.900 [0.880, 0.920]")
    ]
    assert figure.axes[1].get_title(loc="left") == "Ratio to Kneser–Ney 3-gram"
    assert figure.axes[1].get_xlabel() == "interval: 6 documents resampled"


def test_without_a_reference_there_is_one_panel(perplexity: pd.DataFrame) -> None:
    unrelated = perplexity.assign(ratio_to_best_ngram=np.nan, reference=pd.NA)
    assert len(perplexity_figure(unrelated).axes) == 1


def test_learning_curves(histories: dict[str, pd.DataFrame]) -> None:
    figure = learning_curves_figure(histories)
    validation = line(figure, "lstm validation")
    assert [*validation.get_xdata()] == [2000, 4000]
    np.testing.assert_allclose(np.asarray(validation.get_ydata()), [250.0, 300.0])
    assert len(figure.axes[0].lines) == 4
    assert len(figure.axes[1].lines) == len(figure.axes[1].collections) == 2
    assert figure.axes[0].get_ylim()[1] <= 5 * 250.0  # though one diverged
    assert svg_text(figure)


def test_an_ngram_is_flat_and_rings_mark_the_need(
    context_curve: pd.DataFrame, effective_context: pd.DataFrame
) -> None:
    figure = context_figure(context_curve, effective_context)
    flat = np.asarray(line(figure, "Kneser–Ney 3-gram").get_ydata())
    assert (flat[1:] == 100.0).all()
    rings = [x for x in figure.axes[0].lines if x.get_markersize() == 12 and len(x.get_xdata())]
    assert [(r.get_xdata()[0], r.get_ydata()[0]) for r in rings] == [(2, 100.0), (32, 90.0)]
    assert texts(figure, 0) == ["lecture: about 7 words"]


def test_gradients_are_relative_and_dashed_at_initialisation(gradient_curve: pd.DataFrame) -> None:
    doubled = gradient_curve.assign(gradient_norm=2 * gradient_curve["gradient_norm"])
    figure = gradient_figure(doubled)
    trained = line(figure, "lstm trained")
    np.testing.assert_allclose(np.asarray(trained.get_ydata()), 0.8 ** np.arange(5))
    initial = line(figure, "lstm initialisation")
    assert len(initial.get_xdata()) == 4  # what underflowed has no place
    assert (trained.get_linestyle(), initial.get_linestyle()) == ("-", "--")
    assert {"1 %", "lecture: about 7 words"} == set(texts(figure, 0))


def test_nothing_to_show_is_said(perplexity: pd.DataFrame, gradient_curve: pd.DataFrame) -> None:
    for figure in (
        perplexity_figure(perplexity.head(0)),
        learning_curves_figure({}),
        context_figure(pd.DataFrame()),
        gradient_figure(gradient_curve.head(0)),
    ):
        assert "nothing to show" in svg_text(figure)


def test_an_svg_is_one_clean_element(perplexity: pd.DataFrame) -> None:
    text = svg_text(perplexity_figure(perplexity))
    assert text == svg_text(perplexity_figure(perplexity))
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.find("{http://www.w3.org/2000/svg}metadata") is None
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert ids
    assert all(str(name).startswith("perplexity-") for name in ids)
    for element in root.iter("{http://www.w3.org/2000/svg}use"):
        assert str(element.get("{http://www.w3.org/1999/xlink}href"))[1:] in ids


@pytest.mark.parametrize("name", ["红楼梦模型", "a$_b$ <svg onload=x>", "x]]>&amp;"])
def test_any_name_can_be_drawn(
    name: str, context_curve: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on a machine without a Chinese font; a warning would be an error here.
    families = ("DejaVu Sans", "Last Resort High-Efficiency")
    monkeypatch.setattr(figure_style, "font_families", lambda: families)
    figure = context_figure(context_curve.replace({"model": {"lstm": name}}))
    root = ET.fromstring(svg_text(figure))
    assert name in {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    figure.savefig(tmp_path / "figure.png")


@pytest.mark.parametrize("diverged", [1.5e209, 1e307])
def test_a_diverged_model_is_said_in_words(perplexity, diverged):
    table = perplexity.copy()
    table.loc[table["model"] == "lstm", "test_perplexity"] = diverged
    left = perplexity_figure(table).axes[0]
    assert any("diverged" in text.get_text() for text in left.texts)
    assert left.get_xlim()[1] < 1e9
