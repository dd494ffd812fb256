"""What a user puts into conf/local holds in every environment; --params holds over it."""

import pytest

from memoryspan.configuration import LayeredConfigLoader

ARGUMENTS = {
    "base_env": "base",
    "default_run_env": "local",
    "merge_strategy": {"parameters": "soft"},
}


@pytest.fixture
def conf(tmp_path):
    texts = {
        "base": "corpus: {source: shakespeare, encoding: utf-8}\nseed: 1\n",
        "smoke": "corpus: {max_characters: 9}\nseed: 2\n",
        "local": "corpus: {source: mine.txt}\n",
    }
    for environment, text in texts.items():
        (tmp_path / environment).mkdir()
        (tmp_path / environment / "parameters.yml").write_text(text)
    return tmp_path


@pytest.mark.parametrize("environment", [None, "smoke"])
def test_the_users_own_layer_is_above_every_environment(conf, environment):
    found = LayeredConfigLoader(str(conf), env=environment, **ARGUMENTS)["parameters"]
    assert found["corpus"]["source"] == "mine.txt"
    assert found["corpus"]["encoding"] == "utf-8"
    assert found["seed"] == (2 if environment else 1)


def test_params_are_above_the_users_own_layer(conf):
    runtime = {"corpus": {"source": "other.txt"}}
    loader = LayeredConfigLoader(str(conf), env="smoke", runtime_params=runtime, **ARGUMENTS)
    assert loader["parameters"]["corpus"]["source"] == "other.txt"


def test_without_own_files_the_environment_stands(conf):
    (conf / "local" / "parameters.yml").unlink()
    found = LayeredConfigLoader(str(conf), env="smoke", **ARGUMENTS)["parameters"]
    assert found["corpus"]["source"] == "shakespeare"
