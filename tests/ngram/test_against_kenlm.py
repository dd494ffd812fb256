"""Held to the numbers of KenLM's lmplz and query, per token."""

import csv
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memoryspan.ngram.discounts import Discounts, estimate_discounts
from memoryspan.ngram.kneser_ney import KneserNey
from memoryspan.ngram.model import NgramModel
from memoryspan.ngram.parameters import NgramParameters

ORDERS = [2, 3, 4, 5]


def last_in_suffix_order(columns: list[np.ndarray]) -> int:
    """The n-gram that comes last when n-grams are compared from their last token backwards.

    Ids are in order of first occurrence, as in lmplz; ``<s>`` comes before all but ``<unk>``,
    and ``</s>`` after it, which is as good as one id here.
    """
    return int(np.lexsort(columns)[-1])


def discounts_of_lmplz(corpus: Any, order: int) -> NgramParameters:
    """lmplz counts the last n-gram of each lower order with its raw count (NGRAM quirk)."""
    discounts = {}
    counts = corpus.counts
    for n in range(1, order + 1):
        adjusted = counts.adjusted(n, order).copy()
        if n < order:
            last = last_in_suffix_order(counts.trie.words(n))
            adjusted[last] = counts.raw[counts.trie.level(n)][last]
        n1, n2, n3, n4 = (int(np.count_nonzero(adjusted == k)) for k in (1, 2, 3, 4))
        discounts[n], reason = estimate_discounts(n1, n2, n3, n4)
        assert not reason
    return NgramParameters(discounts=discounts)


def check_summary(model: NgramModel, corpus: Any, expected: dict[str, Any]) -> None:
    """N-grams per order, discounts and both perplexities."""
    order = model.trie.order
    seen = [np.count_nonzero(corpus.counts.raw[model.trie.level(n)]) for n in range(1, order + 1)]
    seen[0] += 2  # KenLM lists <s> and <unk> too
    assert seen == list(expected["ngrams"].values())
    for discounts in model.discounts:
        np.testing.assert_allclose(
            discounts.values, expected["discounts"][str(discounts.order)], rtol=4e-6
        )
    log_probs = model.token_log_probs(corpus.test)
    known = corpus.test.ids != 0
    assert len(log_probs) == expected["tokens"]
    assert np.count_nonzero(~known) == expected["oov"]
    # KenLM sums in single precision: 6 digits are what it can say
    assert np.exp(-log_probs.mean()) == pytest.approx(
        expected["perplexity_including_oov"], rel=3e-7
    )
    assert np.exp(-log_probs[known].mean()) == pytest.approx(
        expected["perplexity_excluding_oov"], rel=3e-7
    )


@pytest.mark.parametrize("order", ORDERS)
def test_tinyshakespeare_summary(
    tinyshakespeare: Any, kenlm_summary: dict[str, Any], order: int
) -> None:
    parameters = discounts_of_lmplz(tinyshakespeare, order)
    model = KneserNey(parameters).estimate(tinyshakespeare.counts, order)
    check_summary(model, tinyshakespeare, kenlm_summary[f"tinyshakespeare/order{order}"])


@pytest.mark.parametrize("order", ORDERS)
def test_wikitext_summary(wikitext: Any, kenlm_summary: dict[str, Any], order: int) -> None:
    parameters = discounts_of_lmplz(wikitext, order)
    model = KneserNey(parameters).estimate(wikitext.counts, order)
    check_summary(model, wikitext, kenlm_summary[f"wikitext-2/order{order}"])


@pytest.mark.parametrize(
    ("order", "perplexity"), [(2, 269.8573), (3, 230.8863), (4, 226.0502), (5, 224.8116)]
)
def test_wikitext_perplexity_without_the_quirk(
    wikitext: Any, order: int, perplexity: float
) -> None:
    model = KneserNey().estimate(wikitext.counts, order)
    log_probs = model.token_log_probs(wikitext.test)
    assert np.exp(-log_probs.mean()) == pytest.approx(perplexity, abs=1e-4)


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("order", ORDERS)
def test_every_token_of_tinyshakespeare(
    tinyshakespeare: Any, shared_data: Path, order: int, precision: Any
) -> None:
    parameters = NgramParameters(precision=precision)
    scores = (
        KneserNey(parameters).estimate(tinyshakespeare.counts, order).score(tinyshakespeare.test)
    )
    path = shared_data / "kenlm-reference" / f"tinyshakespeare.order{order}.token_scores.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    log10 = np.array([float(row["log10_prob"]) for row in rows])
    np.testing.assert_allclose(scores.log_probs / np.log(10), log10, rtol=0, atol=2e-6)
    np.testing.assert_array_equal(scores.matched, [int(row["ngram_length"]) for row in rows])


@pytest.mark.parametrize("order", [2, 3])
def test_every_ngram_of_the_arpa_file(tinyshakespeare: Any, shared_data: Path, order: int) -> None:
    """Probabilities and back-off weights of the whole model, not of one text only."""
    model = KneserNey().estimate(tinyshakespeare.counts, order)
    id_of = {**tinyshakespeare.vocabulary.id_of, "<s>": 1}
    trie = model.trie
    node_of: dict[tuple[int, ...], int] = {}
    for n in range(1, order + 1):
        ngrams = zip(*(column.tolist() for column in trie.words(n)), strict=True)
        node_of.update(zip(ngrams, range(trie.first[n], trie.first[n + 1]), strict=True))
    path = shared_data / "kenlm-reference" / f"tinyshakespeare.order{order}.arpa.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if "\t" in line]
    words = [row[1].split(" ") for row in rows]
    nodes = np.array([node_of[tuple(map(id_of.__getitem__, ngram))] for ngram in words])
    assert len(nodes) == len(trie)  # they have <s>, we the empty n-gram
    predicted = np.array([ngram != ["<s>"] for ngram in words])
    log10 = np.array([float(row[0]) for row in rows])[predicted]
    np.testing.assert_allclose(model.log_prob[nodes[predicted]] / np.log(10), log10, atol=2e-6)
    contexts = np.array([len(row) == 3 and not row[1].endswith("</s>") for row in rows])
    log10 = np.array([float(rows[i][2]) for i in np.flatnonzero(contexts)])
    np.testing.assert_allclose(model.log_backoff[nodes[contexts]] / np.log(10), log10, atol=2e-6)


def test_discounts_are_recorded(tinyshakespeare: Any) -> None:
    model = KneserNey().estimate(tinyshakespeare.counts, 2)
    assert [type(entry) for entry in model.discounts] == [Discounts, Discounts]
    assert {entry.origin for entry in model.discounts} == {"estimated"}
