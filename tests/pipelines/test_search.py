"""One real search by the command line, and what it leaves behind."""

import sqlite3

import pandas as pd
import pytest
import yaml

from memoryspan.datasets.figures import FigureDataset
from memoryspan.hooks import check_parameters
from memoryspan.pipelines.models import NEURAL

PARAMETERS = "corpus.source=plays,search.trials=2,search.train_tokens=3000"
SEARCH = ("--pipeline", "search", "--params", PARAMETERS)


@pytest.fixture(scope="module")
def searched(kedro_run, tmp_path_factory):
    from tests.pipelines.conftest import make_project

    project = make_project(tmp_path_factory.mktemp("searched") / "project")
    outcome = kedro_run(project, "--pipelines", "ingest,tokenize,search", "--params", PARAMETERS)
    assert outcome.returncode == 0, outcome.stderr
    (project / "output.txt").write_text(outcome.stdout + outcome.stderr, encoding="utf-8")
    return project


def test_the_same_budget_for_every_network(searched):
    trials = pd.read_csv(searched / "data/08_reporting/search_trials.csv")
    assert trials.groupby("model").size().to_dict() == dict.fromkeys(NEURAL, 2)
    assert trials["tokens"].unique().tolist() == [3000]
    assert (trials["outcome"] == "complete").all()
    assert trials.groupby("model")["layers"].agg(set).tolist() == [{1, 2}] * len(NEURAL)
    assert trials["recurrent_gain"].notna().eq(trials["model"] == "rnn").all()


def test_what_was_found_is_a_configuration(searched):
    from tests.test_configuration import loader

    text = (searched / "data/08_reporting/search_best.yml").read_text(encoding="utf-8")
    assert "2 trials of each network, 3,000 training tokens" in text
    found = yaml.safe_load(text)
    assert list(found) == list(NEURAL)
    check_parameters(loader("base")["parameters"] | found)
    assert (
        FigureDataset(filepath=str(searched / "data/08_reporting/learning_rates.png"))
        .load()
        .startswith("<svg")
    )


def test_nothing_but_progress_is_said_and_nothing_stays_behind(searched):
    output = (searched / "output.txt").read_text(encoding="utf-8")
    assert "lstm: trial 2 of 2, learning_rate 0.004, layers 2" in output
    assert "lstm: trial 2 ended at" in output
    assert "Warning" not in output
    assert "[I " not in output  # how Optuna's own lines begin
    assert list((searched / "data/06_models/checkpoints/search").iterdir()) == []


def test_mlflow_has_a_run_per_network_with_its_trials_as_a_curve(searched):
    with sqlite3.connect(searched / "mlflow.db") as database:
        runs = dict(database.execute("select name, status from runs"))
        points = database.execute(
            "select step, value from metrics m join runs r on r.run_uuid = m.run_uuid"
            " where r.name = 'gru_search' and m.key = 'search.validation_nats_per_token'"
        ).fetchall()
        (trials,) = database.execute(
            "select p.value from params p join runs r on r.run_uuid = p.run_uuid"
            " where r.name = 'gru_search' and p.key = 'search.trials'"
        ).fetchone()
    assert runs == dict.fromkeys((f"{model}_search" for model in NEURAL), "FINISHED")
    table = pd.read_csv(searched / "data/06_models/search/gru.csv")
    assert dict(points) == pytest.approx(
        dict(zip(table["trial"], table["validation_nats_per_token"], strict=True))
    )
    assert trials == "2"


def test_a_damaged_study_is_one_line(kedro_run, searched):
    (searched / "data/06_models/search/gru.db").write_bytes(b"garbage " * 500)
    outcome = kedro_run(searched, *SEARCH, "--nodes", "gru.search_gru")
    assert outcome.returncode == 1
    assert outcome.stderr.count("Error: ") == 1
    assert "gru.db" in outcome.stderr
    assert "Traceback" not in outcome.stderr
