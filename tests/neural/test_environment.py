import os

from memoryspan.neural import environment


def test_what_the_user_has_set_stays(monkeypatch):
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")
    environment.prepare_environment()
    assert os.environ["GOMP_SPINCOUNT"] == "7"
    monkeypatch.delenv("GOMP_SPINCOUNT")
    environment.prepare_environment()
    assert int(os.environ["GOMP_SPINCOUNT"]) > 0


def test_threads_are_the_physical_cpus_unless_the_user_says_otherwise(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert 1 <= environment.cpu_threads() <= os.cpu_count()
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert environment.cpu_threads() == 3
