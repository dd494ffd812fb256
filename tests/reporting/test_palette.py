import itertools

from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import is_color_like, to_rgb

from memoryspan.reporting.palette import in_order, model_style, order_style

NAMES = [
    *("uniform", "unigram", "feedforward", "rnn", "gru", "lstm", "transformer", "mixture"),
    *("lstm_neural_cache", "lstm_dynamic"),
    *(f"{kind}_{n}" for kind in ("maximum_likelihood", "kneser_ney") for n in range(1, 6)),
]


def test_every_model_has_its_own_colour_and_label() -> None:
    styles = [model_style(name) for name in NAMES]
    assert len({style.colour for style in styles}) == len({s.label for s in styles}) == len(NAMES)


def test_orders_of_ngrams_differ_in_shade_and_marker() -> None:
    styles = [order_style(n) for n in range(1, 6)]
    assert len({style.colour for style in styles}) == len({style.marker for style in styles}) == 5
    assert [style.label for style in styles] == [f"{n}-grams" for n in range(1, 6)]
    assert order_style(9).colour == styles[-1].colour


def test_ways_to_smooth_differ_in_marker_and_label() -> None:
    names = ("add_k", "witten_bell", "absolute_discounting", "katz", "jelinek_mercer")
    styles = [model_style(f"{name}_5") for name in (*names, "kneser_ney")]
    assert len({style.marker for style in styles}) == len({style.label for style in styles}) == 6
    assert len({style.family for style in styles}) == 1


def test_networks_differ_in_colour_and_marker() -> None:
    styles = [model_style(name) for name in ("feedforward", "rnn", "gru", "lstm")]
    assert len({style.marker for style in styles}) == 4
    for one, other in itertools.combinations(styles, 2):
        difference = [a - b for a, b in zip(to_rgb(one.colour), to_rgb(other.colour), strict=True)]
        assert sum(map(abs, difference)) > 0.3


def test_shades_darken_with_the_order() -> None:
    lightness = [sum(to_rgb(model_style(f"kneser_ney_{n}").colour)) for n in range(1, 6)]
    assert lightness == sorted(lightness, reverse=True)


@given(st.text())
def test_unknown_names_have_a_fixed_look(name: str) -> None:
    assert model_style(name) == model_style(name)
    assert is_color_like(model_style(name).colour)


def test_order_is_by_family_then_by_n() -> None:
    shuffled = ["lstm", "own", "kneser_ney_10", "feedforward", "kneser_ney_2", "rnn", "unigram"]
    shuffled += ["maximum_likelihood_3", "uniform", "lstm", "katz_5"]
    assert in_order(shuffled) == [
        *("uniform", "unigram", "maximum_likelihood_3", "katz_5", "kneser_ney_2", "kneser_ney_10"),
        *("feedforward", "rnn", "lstm", "own"),
    ]
