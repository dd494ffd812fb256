from pathlib import Path

import numpy as np
import pytest

from memoryspan.datasets.models import load_mixture
from memoryspan.errors import MemoryspanError
from memoryspan.language_model import LanguageModel
from memoryspan.mixture.cache import UnigramCache
from memoryspan.mixture.model import Mixture
from memoryspan.ngram import KneserNey, NgramCounts, UniformModel, UnigramModel
from memoryspan.text.streams import TokenStream

V = 30
rng = np.random.default_rng(3)


def stream(tokens: int) -> TokenStream:
    ids = (rng.zipf(1.5, tokens) % (V - 1) + 1).astype(np.int32)
    ids[::7] = 1
    return TokenStream.of(ids, V)


TRAIN, VALIDATION, TEST = stream(3000), stream(400), stream(400)


@pytest.fixture(scope="module")
def components() -> list[LanguageModel]:
    counts = NgramCounts.of(TRAIN, 3)
    return [
        KneserNey().estimate(counts, 3),
        UnigramModel.of(TRAIN),
        UniformModel(V),
        UnigramCache(50, V),
    ]


@pytest.fixture(scope="module")
def mixture(components: list[LanguageModel]) -> Mixture:
    scores = {model.name: model.token_log_probs(VALIDATION) for model in components}
    return Mixture.fitted(components, scores)


def test_it_is_a_language_model(mixture: Mixture) -> None:
    assert isinstance(mixture, LanguageModel)
    assert mixture.family == "mixture"
    assert mixture.context_order == 50
    assert mixture.parameter_count == sum(m.parameter_count for m in mixture.components) + 3
    assert sum(mixture.weight_of.values()) == pytest.approx(1)


def test_rows_are_the_weighted_sum_and_sum_to_one(mixture: Mixture) -> None:
    contexts = np.array([[1, 2, 3], [4, 4, 4]], np.int32)
    rows = np.exp(mixture.next_log_probs(contexts))
    expected = sum(
        weight * np.exp(model.next_log_probs(contexts))
        for weight, model in zip(mixture.weights, mixture.components, strict=True)
    )
    np.testing.assert_allclose(rows, expected, rtol=1e-12)
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("window", [None, 2])
def test_tokens_get_what_the_rows_say(mixture: Mixture, window: int | None) -> None:
    log_probs = mixture.token_log_probs(TEST, window)
    read = np.concatenate([[1], TEST.ids])
    for p in (5, 77, 399):
        reach = p + 1 if window is None else window
        row = mixture.next_log_probs(read[None, p + 1 - reach : p + 1].astype(np.int32))[0]
        assert log_probs[p] == pytest.approx(row[TEST.ids[p]], abs=1e-10)


def test_on_the_validation_text_no_component_is_better(mixture: Mixture) -> None:
    best = max(model.token_log_probs(VALIDATION).mean() for model in mixture.components)
    assert mixture.token_log_probs(VALIDATION).mean() >= best - 1e-8


def test_a_component_without_weight_may_be_impossible(components: list[LanguageModel]) -> None:
    mixture = Mixture(components[:2], [1, 0])
    np.testing.assert_array_equal(
        mixture.token_log_probs(TEST), components[0].token_log_probs(TEST)
    )


def test_it_comes_back_from_its_folder(mixture: Mixture, tmp_path: Path) -> None:
    folder = tmp_path / "mixture"
    for _ in range(2):  # the second takes the place of the first
        mixture.save(folder)
        again = load_mixture(folder)
        np.testing.assert_array_equal(again.token_log_probs(TEST), mixture.token_log_probs(TEST))
        assert again.weight_of == mixture.weight_of
    assert [path.name for path in tmp_path.iterdir()] == ["mixture"]


def test_damage_is_named(mixture: Mixture, tmp_path: Path) -> None:
    folder = tmp_path / "mixture"
    with pytest.raises(MemoryspanError, match=r"There is no file .*mixture\.json"):
        load_mixture(folder)
    mixture.save(folder)
    (folder / "component_0").unlink()
    with pytest.raises(MemoryspanError, match="component_0"):
        load_mixture(folder)
    (folder / "mixture.json").write_text('{"name": 3}', encoding="utf-8")
    with pytest.raises(MemoryspanError, match=r"mixture\.json is damaged"):
        load_mixture(folder)


def test_a_failed_save_keeps_the_old_one(mixture: Mixture, tmp_path: Path) -> None:
    folder = tmp_path / "mixture"
    mixture.save(folder)

    class Unwritable(UniformModel):
        name = "unwritable"

        def save(self, path: Path) -> None:
            raise OSError(28, "No space left on device")

    with pytest.raises(MemoryspanError, match="No space left"):
        Mixture([UniformModel(V), Unwritable(V)], [0.5, 0.5]).save(folder)
    assert load_mixture(folder).weight_of == mixture.weight_of
    assert [path.name for path in tmp_path.iterdir()] == ["mixture"]


@pytest.mark.parametrize(("models", "weights", "message"), [
    ([], [], "components with different names"),
    ([UniformModel(V), UniformModel(V)], [0.5, 0.5], "components with different names"),
    ([UniformModel(V), UnigramCache(3, V + 1)], [0.5, 0.5], "vocabularies of"),
    ([UniformModel(V)], [0.5], "no distribution"),
    ([UniformModel(V)], [0.5, 0.5], "no distribution"),
    ([UniformModel(V), UnigramCache(3, V)], [-0.5, 1.5], "no distribution"),
])  # fmt: skip
def test_what_it_refuses(models: list[LanguageModel], weights: list[float], message: str) -> None:
    with pytest.raises(MemoryspanError, match=message):
        Mixture(models, weights)
