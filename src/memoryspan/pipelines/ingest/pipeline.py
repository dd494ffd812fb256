"""The ingest pipeline."""

from kedro.pipeline import Node, Pipeline

from memoryspan.pipelines.ingest.nodes import ingest, profile


def create_pipeline() -> Pipeline:
    """Source text → ``documents``, ``corpus_description``, ``corpus_profile``, ``split_table``."""
    return Pipeline(
        [
            Node(
                ingest,
                ["params:corpus", "params:corpora", "params:raw_folder", "params:seed"],
                ["documents", "corpus_description"],
                name="read_and_split_corpus",
            ),
            Node(
                profile,
                "documents",
                ["corpus_profile", "split_table"],
                name="profile_corpus",
            ),
        ],
        tags="ingest",
    )
