import socket

import pytest

from memoryspan.errors import MemoryspanError
from memoryspan.tracking.parameters import TrackingParameters, tracking_parameters
from memoryspan.tracking.recorder import Recorder, readable_failure, without_password
from memoryspan.tracking.ui import check_port, latest_per_model, links


def test_links_are_the_latest_run_of_each_model_on_the_newest_corpus():
    newest_first = [
        {"id": "4", "memoryspan.model": "lstm", "memoryspan.corpus": "mine"},
        {"id": "3", "memoryspan.model": "gru", "memoryspan.corpus": "mine"},
        {"id": "2", "memoryspan.model": "lstm", "memoryspan.corpus": "mine"},
        {"id": "1", "memoryspan.model": "rnn", "memoryspan.corpus": "other"},
    ]
    assert latest_per_model(newest_first) == {"lstm": "4", "gru": "3"}


def test_links_need_something_recorded(tmp_path):
    settings = TrackingParameters(
        tracking_uri=f"sqlite:///{tmp_path}/mlflow.db", artifact_location=str(tmp_path / "a")
    )
    with pytest.raises(MemoryspanError, match="make run"):
        links(settings, 5000)
    record = Recorder(settings, {"memoryspan.corpus": "mine"})
    record.open_new("lstm")
    said = links(settings, 5001)
    assert record.runs["lstm"] in said
    assert "http://127.0.0.1:5001/#/compare-runs" in said


def test_a_port_in_use_is_named():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with pytest.raises(MemoryspanError, match=str(listener.getsockname()[1])):
            check_port(listener.getsockname()[1])


@pytest.mark.parametrize("uri", ["http://127.0.0.1:9", "nosuch://x", "sqlite:////proc/nowhere.db"])
def test_an_unusable_store_is_one_sentence(uri):
    with pytest.raises(MemoryspanError, match="enabled: false"):
        Recorder(TrackingParameters(tracking_uri=uri), {})


def test_a_file_that_is_no_database_is_one_sentence(tmp_path):
    (tmp_path / "mlflow.db").write_text("garbage " * 100)
    with pytest.raises(MemoryspanError, match="enabled: false"):
        Recorder(TrackingParameters(tracking_uri=f"sqlite:///{tmp_path}/mlflow.db"), {})


def test_passwords_are_not_repeated():
    assert without_password("https://me:secret@host/path@x") == "https://host/path@x"
    with pytest.raises(MemoryspanError) as caught, readable_failure("http://me:secret@host"):
        raise OSError("no route")
    assert "secret" not in str(caught.value)


def test_a_wrong_setting_is_named():
    with pytest.raises(MemoryspanError, match="enabledd"):
        tracking_parameters({"tracking_uri": "sqlite:///x", "enabledd": False})
