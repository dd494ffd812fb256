"""Networks and what adapts: all sentences side by side, against one text after the other."""

from itertools import pairwise

import numpy as np
import pytest
from tests.neural.adaptation.conftest import ADAPTABLE, vivid_model
from tests.neural.conftest import VOCABULARY_SIZE

from memoryspan.errors import MemoryspanError
from memoryspan.language_model import SentenceScorer, sentence_log_probs
from memoryspan.neural.adaptation.dynamic_evaluation import DynamicEvaluation
from memoryspan.neural.adaptation.neural_cache import NeuralCache
from memoryspan.neural.sentences import sentence_batches
from memoryspan.text.streams import TokenStream


def text(tokens: int) -> TokenStream:
    """Sentences of 1 to about 30 tokens; the last one has no end."""
    generator = np.random.default_rng(0)
    ids = generator.integers(2, 9, tokens)
    ids[generator.random(tokens) < 0.12] = 1
    ids[20:50] = 5
    return TokenStream.of(np.append(ids, 4).astype(np.int32), VOCABULARY_SIZE)


def one_after_the_other(model, stream):
    bounds = stream.sentence_bounds
    return np.concatenate([
        model.token_log_probs(TokenStream.of(stream.ids[a:b], VOCABULARY_SIZE))
        for a, b in pairwise(bounds)
    ])  # fmt: skip


@pytest.fixture(params=ADAPTABLE, ids=lambda variant: "-".join([variant[0], *variant[1]]))
def network(request):
    kind, changes = request.param
    return vivid_model(kind, **changes)


@pytest.fixture(params=["alone", "cache", "small cache", "dynamic", "frozen"])
def model(request, network):
    return {
        "alone": lambda: network,
        "cache": lambda: NeuralCache(network, 100, 0.7, 0.3),
        "small cache": lambda: NeuralCache(network, 3, 0.0, 0.3),
        "dynamic": lambda: DynamicEvaluation(network, 4, 0.03, 0.05),
        "frozen": lambda: DynamicEvaluation(network, 4, 0.0, 0.05),
    }[request.param]()


@pytest.mark.parametrize("at_once", [1, 40, 10_000])
def test_every_sentence_is_a_text_of_its_own(model, at_once, monkeypatch):
    monkeypatch.setattr("memoryspan.neural.sentences.TOKENS_AT_ONCE", at_once)
    monkeypatch.setattr("memoryspan.neural.adaptation.neural_cache.PAIRS_AT_ONCE", at_once)
    stream = text(150)
    assert isinstance(model, SentenceScorer)
    scores = sentence_log_probs(model, stream)
    np.testing.assert_allclose(scores, one_after_the_other(model, stream), atol=1e-4)


def test_what_stands_before_a_sentence_does_not_matter(model):
    stream = text(150)
    changed = stream.ids.copy()
    begin = stream.sentence_bounds[-4]
    changed[:begin] = np.where(changed[:begin] == 1, 1, 7)
    others = sentence_log_probs(model, TokenStream.of(changed, VOCABULARY_SIZE))
    np.testing.assert_allclose(others[begin:], sentence_log_probs(model, stream)[begin:], atol=1e-5)


def test_no_tokens_are_no_problem_and_a_foreign_vocabulary_is_refused(model):
    empty = TokenStream.of(np.empty(0, np.int32), VOCABULARY_SIZE)
    assert sentence_log_probs(model, empty).shape == (0,)
    with pytest.raises(MemoryspanError, match="vocabulary"):
        sentence_log_probs(model, TokenStream.of(np.zeros(3, np.int32), VOCABULARY_SIZE + 1))


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_batches_hold_every_place_once_and_not_too_many_rows(rows):
    stream = text(300)
    batches = list(sentence_batches(stream, lambda length: rows))
    assert all(1 <= len(batch.places_BT) <= rows for batch in batches)
    places = np.concatenate([batch.places_BT[batch.inside_BT] for batch in batches])
    assert sorted(places) == list(range(len(stream)))
    for batch in batches:
        assert (batch.inputs_BT[:, 0] == 1).all()
        targets = stream.ids[batch.places_BT]
        np.testing.assert_array_equal(batch.targets_BT, targets)
        np.testing.assert_array_equal(batch.inputs_BT[:, 1:], targets[:, :-1])
