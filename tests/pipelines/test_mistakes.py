"""A mistake of the user is one readable line, and changes nothing."""

import pytest


def stderr_of_failure(outcome) -> str:
    assert outcome.returncode not in (0, None)
    assert "Traceback" not in outcome.stderr
    assert outcome.stderr.count("Error: ") == 1
    return outcome.stderr


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("corpus.source=nowhere", "nowhere"),
        ("corpus.source=empty", "empty"),
        ("corpus.source=latin.txt", "latin.txt"),
        ("corpus.source=tiny.txt", "too small"),
    ],
)
def test_bad_text_is_named(kedro_run, project, parameters, said):
    (project / "empty").mkdir()
    (project / "latin.txt").write_bytes("Käfer\n".encode("latin-1") * 50)
    (project / "tiny.txt").write_text("one line\n")
    outcome = kedro_run(project, "--pipelines", "ingest", "--params", parameters)
    assert said in stderr_of_failure(outcome)
    assert not list((project / "data").glob("02_intermediate/*"))


def test_unknown_keys_and_bad_values_are_named_before_anything_runs(kedro_run, project):
    wrong = "corpus.sorce=plays,lstm.network.hiden=3,foo=1,training.epochs=0"
    said = stderr_of_failure(kedro_run(project, "--params", wrong))
    for key in ("corpus.sorce", "lstm.network.hiden", "foo", "training.epochs"):
        assert key in said
    assert not (project / "data").exists()


def test_no_network_for_the_default_corpus_says_what_to_do(kedro_run, project, monkeypatch):
    for key in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.setenv(key, "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_RETRIES", "0")
    said = stderr_of_failure(kedro_run(project, "--pipelines", "ingest"))
    assert "corpus.source" in said
    assert not list((project / "data").glob("0[2-8]*/*"))


def test_unknown_pipeline_lists_the_known_ones(kedro_run, project):
    said = stderr_of_failure(kedro_run(project, "--pipelines", "lstmm"))
    assert "lstmm" in said
    assert "tokenize" in said


def test_a_step_without_its_inputs_says_what_comes_before(kedro_run, project):
    said = stderr_of_failure(kedro_run(project, "--pipeline", "lstm"))
    assert "train_stream" in said
    assert "ingest" in said


def test_models_of_other_tokens_are_refused(kedro_run, project):
    first = "corpus.source=plays,corpus.max_characters=20000"
    assert (
        kedro_run(project, "--pipelines", "ingest,tokenize,ngram", "--params", first).returncode
        == 0
    )
    (project / "other").mkdir()
    for play in (project / "plays").iterdir():
        text = play.read_text(encoding="utf-8").replace("king", "emperor")
        (project / "other" / play.name).write_text(text, encoding="utf-8")
    second = "corpus.source=other,corpus.max_characters=20000"
    assert kedro_run(project, "--pipelines", "ingest,tokenize", "--params", second).returncode == 0
    said = stderr_of_failure(kedro_run(project, "--nodes", "kneser_ney.score_kneser_ney_3"))
    assert "kneser_ney_3" in said
    assert "other tokens" in said


def test_an_unusable_mlflow_store_stops_before_anything_runs(kedro_run, project):
    (project / "mlflow.db").write_text("garbage " * 100)
    said = stderr_of_failure(kedro_run(project, "--params", "corpus.source=plays"))
    assert "mlflow.db" in said
    assert "enabled: false" in said
    assert not (project / "data").exists()
