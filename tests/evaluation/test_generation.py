import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from memoryspan.errors import MemoryspanError
from memoryspan.evaluation.generation import continue_text, restricted, samples
from memoryspan.evaluation.parameters import GenerationParameters


class Table:
    """P(next | last token) by a matrix [V, V]; remembers the contexts it was given."""

    name, family, parameter_count = "table", "n-gram", 1

    def __init__(self, probs, context_order=1):
        with np.errstate(divide="ignore"):
            self.log_probs = np.log(np.asarray(probs, dtype=float))
        self.vocabulary_size = len(self.log_probs)
        self.context_order = context_order
        self.contexts = []

    def token_log_probs(self, stream, window=None):
        raise NotImplementedError

    def next_log_probs(self, contexts):
        self.contexts.append(contexts)
        if contexts.shape[1] == 0:
            return np.tile(self.log_probs[1], (len(contexts), 1))
        return self.log_probs[contexts[:, -1]]


CYCLE = np.eye(5)[[2, 2, 3, 4, 1]]  # </s> → 2 → 3 → 4 → </s>
UNIFORM = np.full((5, 5), 0.2)


class Letters:
    def encode(self, text):
        return np.array(["?.abc".index(c) if c in "?.abc" else 0 for c in text], dtype=np.int32)

    def decode(self, ids):
        return "".join("?.abc"[i] for i in ids)


def test_a_certain_model_is_followed():
    found = continue_text(Table(CYCLE), np.array([1]), 6, seed=0)
    assert found.ids.tolist() == [2, 3, 4, 1, 2, 3]
    assert (found.ids.dtype, found.note) == (np.int32, "")


@pytest.mark.parametrize(("sentences", "length"), [(1, 4), (2, 8), (None, 12)])
def test_it_stops_after_so_many_sentences(sentences, length):
    found = continue_text(Table(CYCLE), np.array([1]), 12, 0, stop_at_end_of_sentence=sentences)
    assert len(found.ids) == length


@pytest.mark.parametrize(("order", "widths"), [(0, {0}), (2, {1, 2}), (None, set(range(1, 201)))])
def test_the_context_is_bounded_by_the_order(order, widths):
    model = Table(UNIFORM, order)
    continue_text(model, np.array([1]), 230, seed=0)
    assert {context.shape[1] for context in model.contexts} == widths


def test_a_dead_end_stops_and_says_so():
    dead = CYCLE.copy()
    dead[3] = 0
    found = continue_text(Table(dead), np.array([1]), 9, seed=0)
    assert found.ids.tolist() == [2, 3]
    assert found.note == "ended after 2 tokens: the model has no next word for this context"


def test_only_unknown_is_a_dead_end_unless_it_is_allowed():
    only_unknown = np.eye(5)[[0] * 5]
    assert "no next word" in continue_text(Table(only_unknown), np.array([1]), 3, 0).note
    found = continue_text(Table(only_unknown), np.array([1]), 3, 0, exclude_unknown=False)
    assert found.ids.tolist() == [0, 0, 0]


def test_frequencies_are_the_models_probabilities_renormalised_without_unknown():
    probs = np.tile([0.5, 0.05, 0.1, 0.15, 0.2], (5, 1))
    ids = continue_text(Table(probs), np.array([1]), 4000, seed=3).ids
    frequencies = np.bincount(ids, minlength=5) / 4000
    np.testing.assert_allclose(frequencies, [0, 0.1, 0.2, 0.3, 0.4], atol=0.025)


def test_same_seed_same_text():
    texts = [
        continue_text(Table(UNIFORM), np.array([1]), 30, seed=s).ids.tolist() for s in (4, 4, 5)
    ]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize(
    ("top_k", "top_p", "expected"),
    [
        (None, None, [0.1, 0.2, 0.3, 0.4]),
        (1, None, [0, 0, 0, 1]),
        (2, None, [0, 0, 3 / 7, 4 / 7]),
        (9, None, [0.1, 0.2, 0.3, 0.4]),
        (None, 0.3, [0, 0, 0, 1]),
        (None, 0.65, [0, 0, 3 / 7, 4 / 7]),
        (None, 0.75, [0, 2 / 9, 3 / 9, 4 / 9]),
        (None, 1.0, [0.1, 0.2, 0.3, 0.4]),
        (3, 0.5, [0, 0, 3 / 7, 4 / 7]),  # of 9/9: 4/9 is not enough
    ],
)
def test_top_k_then_top_p(top_k, top_p, expected):
    log_weights = np.log([0.1, 0.2, 0.3, 0.4]) + 7
    np.testing.assert_allclose(restricted(log_weights, top_k, top_p), expected, atol=1e-12)


def test_temperature_sharpens_and_flattens():
    probs = np.tile([0, 0.1, 0.2, 0.3, 0.4], (5, 1))
    likeliest = [
        (continue_text(Table(probs), np.array([1]), 500, 0, temperature=t).ids == 4).mean()
        for t in (0.05, 1.0, 100.0)
    ]
    assert likeliest[0] > 0.98
    assert likeliest[1] == pytest.approx(0.4, abs=0.06)
    assert likeliest[2] == pytest.approx(0.25, abs=0.06)


def test_samples_has_a_row_per_prompt():
    parameters = GenerationParameters(prompts=("ab", "", "xa."), length=3)
    table = samples(Table(CYCLE), Letters(), parameters, seed=0)
    assert list(table.columns) == ["model", "prompt", "continuation", "note"]
    assert table["continuation"].tolist() == ["c.a", "abc", "bc."]
    assert table["note"].tolist() == ["", "", "1 unknown words in the prompt"]
    assert set(table["model"]) == {"table"}


def test_samples_are_seeded_per_prompt():
    parameters = GenerationParameters(prompts=("a", "a"), length=20)
    table = samples(Table(UNIFORM), Letters(), parameters, seed=0)
    assert table["continuation"][0] != table["continuation"][1]
    pd.testing.assert_frame_equal(table, samples(Table(UNIFORM), Letters(), parameters, seed=0))
    other = samples(Table(UNIFORM), Letters(), parameters, seed=1)
    assert table["continuation"][0] != other["continuation"][0]


def test_no_prompts_are_an_error():
    with pytest.raises(MemoryspanError, match="prompts"):
        samples(Table(CYCLE), Letters(), GenerationParameters(prompts=()), seed=0)


@pytest.mark.parametrize(
    "bad", [{"temperature": 0}, {"top_k": 0}, {"top_p": 1.1}, {"length": 0}, {"topk": 1}]
)
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ValidationError, match=next(iter(bad))):
        GenerationParameters(**bad)
