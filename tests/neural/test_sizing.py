import pytest
from tests.neural.conftest import KINDS

from memoryspan.errors import MemoryspanError
from memoryspan.neural.networks import build_network
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.sizing import sized


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("vocabulary_size", "embedding_size", "budget"), [(10_002, 256, 3_600_000), (65, 32, 200_000)]
)
def test_budgets_are_met_within_one_percent(kind, layers, vocabulary_size, embedding_size, budget):
    asked = NetworkParameters(
        kind=kind, layers=layers, parameters=budget, embedding_size=embedding_size, heads=1
    )
    shape = sized(asked, vocabulary_size)
    assert shape.parameters is None
    built = build_network(shape, vocabulary_size)
    assert built.parameter_count == pytest.approx(budget, rel=0.01)


def test_a_given_size_stays():
    shape = NetworkParameters(kind="gru", hidden_size=7)
    assert sized(shape, 100) == shape


def test_a_budget_below_the_embedding_is_refused():
    asked = NetworkParameters(kind="gru", parameters=100_000, embedding_size=256)
    with pytest.raises(MemoryspanError, match="embedding_size"):
        sized(asked, 10_000)
