"""How well the recipes of ``conf/`` predict known texts, with the spread over seeds.

    python benchmarks/quality.py laptop FOLDER            # WikiText-2, as short as Penn Treebank
    python benchmarks/quality.py ten_minutes FOLDER       # the same text
    python benchmarks/quality.py examples_lstm200 FOLDER  # all of WikiText-2
    python benchmarks/quality.py characters FOLDER        # tinyshakespeare, last tenth held out

FOLDER holds wiki.train.tokens, wiki.valid.tokens and wiki.test.tokens, or input.txt. Every model
is trained in this process and kept in --work: the same command goes on where it was stopped.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from kedro.config import OmegaConfigLoader

from memoryspan.evaluation.perplexity import perplexity
from memoryspan.language_model import LanguageModel
from memoryspan.mixture.cache import UnigramCache
from memoryspan.mixture.model import Mixture
from memoryspan.neural.training import train
from memoryspan.ngram.counts import NgramCounts
from memoryspan.ngram.kneser_ney import KneserNey
from memoryspan.pipelines.models import NEURAL
from memoryspan.pipelines.parameters import RunParameters
from memoryspan.settings import CONFIG_LOADER_ARGS
from memoryspan.text.streams import TokenStream
from memoryspan.text.tokenizers import Tokenizer

CONF = Path(__file__).resolve().parents[1] / "conf"
RECIPES = ("laptop", "ten_minutes", "examples_lstm200", "characters")
CUT_TOKENS, CUT_TYPES = 930_000, 10_000  # about the Penn Treebank's
Streams = dict[str, TokenStream]


def main() -> None:
    """Train, and print a row per model."""
    options = _options()
    environment = "base" if options.recipe == "laptop" else options.recipe
    loader = OmegaConfigLoader(str(CONF), env=environment, **CONFIG_LOADER_ARGS)
    parameters = RunParameters.model_validate(loader["parameters"])
    streams = _streams(options.recipe, options.folder, parameters)
    sizes = ", ".join(f"{name} {len(stream):,}" for name, stream in streams.items())
    print(f"{options.recipe}: tokens {sizes}; V = {streams['train'].vocabulary_size:,}", flush=True)
    counts = NgramCounts.of(streams["train"], 5)
    kneser_ney = KneserNey(parameters.ngram).estimate(counts, 5)
    rows = [_row(kneser_ney, streams, {})]
    for name in options.models:
        for seed in options.seeds:
            for row in _trained(name, seed, parameters, streams, kneser_ney, options.work):
                rows.append(row | {"seed": seed})
                print(json.dumps(rows[-1]), flush=True)
    print(_table(rows, rows[0]["validation_perplexity"]))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recipe", choices=RECIPES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", nargs="+", choices=NEURAL, default=["lstm"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--work", type=Path, default=Path("data/06_models/quality"))
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    return parser.parse_args()


def _streams(recipe: str, folder: Path, parameters: RunParameters) -> Streams:
    """The token streams of the three splits."""
    if recipe == "characters":
        text = (folder / "input.txt").read_text(encoding="utf-8")
        held_out = len(text) * 9 // 10
        validation = held_out - len(text) // 20
        texts = {
            "train": text[:validation],
            "validation": text[validation:held_out],
            "test": text[held_out:],
        }
    else:
        files = {"train": "train", "validation": "valid", "test": "test"}
        texts = {
            split: (folder / f"wiki.{name}.tokens").read_text(encoding="utf-8")
            for split, name in files.items()
        }
    chosen = parameters.tokenizer
    if recipe in ("laptop", "ten_minutes"):
        texts["train"] = _cut(texts["train"], CUT_TOKENS)
        wanted = {"kind": "whitespace", "keep_blank_lines": True, "vocabulary_size": CUT_TYPES - 2}
        chosen = chosen.model_copy(update=wanted)
    tokenizer = Tokenizer.fit(chosen, [texts["train"]])
    size = len(tokenizer.vocabulary)
    return {split: TokenStream.of(tokenizer.encode(text), size) for split, text in texts.items()}


def _cut(text: str, tokens: int) -> str:
    """The first lines of a text, about so many words and line ends in all."""
    seen, kept = 0, []
    for line in text.split("\n"):
        seen += len(line.split()) + 1
        if seen > tokens:
            break
        kept.append(line)
    return "\n".join(kept) + "\n"


def _trained(
    name: str,
    seed: int,
    parameters: RunParameters,
    streams: Streams,
    kneser_ney: LanguageModel,
    work: Path,
) -> Iterator[dict[str, Any]]:
    """Figures of one network, and of its mixture with Kneser–Ney and a unigram cache."""
    begin = time.process_time()
    network, training = getattr(parameters, name).network, parameters.training_of(name)
    folder = work / f"{name}_{seed}"
    held_out = streams["validation"]
    result = train(name, network, training, streams["train"], held_out, seed, folder)
    cpu_seconds = time.process_time() - begin
    summary = result.summary
    about = {
        "epochs": round(float(result.history["epoch"].iloc[-1]), 2),
        "wall_seconds": summary["train_seconds"],
        "cpu_seconds_with_validation": cpu_seconds,
        "resumed": summary["resumed"],
    }
    yield _row(result.model, streams, about)
    cache = UnigramCache(parameters.mixture.cache_tokens, held_out.vocabulary_size)
    components: list[LanguageModel] = [kneser_ney, result.model, cache]
    scores = {model.name: model.token_log_probs(held_out) for model in components}
    mixture = Mixture.fitted(components, scores)
    mixture.name = f"mixture of kneser_ney_5, {name}, cache"
    yield _row(mixture, streams, {})


def _row(model: LanguageModel, streams: Streams, about: dict[str, Any]) -> dict[str, Any]:
    """What a model makes of the held-out splits."""
    found = {
        split: perplexity(model.token_log_probs(streams[split])) for split in ("validation", "test")
    }
    return {
        "model": model.name,
        "parameters": model.parameter_count,
        "validation_perplexity": found["validation"].perplexity,
        "test_perplexity": found["test"].perplexity,
        "test_nats_per_token": found["test"].nats_per_token,
        **about,
    }


def _table(rows: list[dict[str, Any]], reference: float) -> str:
    """Mean and range over the seeds, and the distance from Kneser–Ney in validation perplexity."""
    lines = [
        f"{'model':42} {'parameters':>11} {'validation ppl':>24} {'test ppl':>24}"
        f" {'nats/token':>10} {'vs KN5':>7} {'epochs':>6} {'wall s':>7}"
    ]
    for name in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == name]
        validation = [row["validation_perplexity"] for row in own]
        epochs = statistics.mean(row.get("epochs", np.nan) for row in own)
        seconds = statistics.mean(row.get("wall_seconds", np.nan) for row in own)
        nats = statistics.mean(row["test_nats_per_token"] for row in own)
        lines.append(
            f"{name:42} {own[0]['parameters']:>11,} {_spread(validation):>24}"
            f" {_spread([row['test_perplexity'] for row in own]):>24} {nats:10.4f}"
            f" {statistics.mean(validation) / reference - 1:>+7.1%} {epochs:6.1f} {seconds:7.0f}"
        )
    return "\n".join(lines)


def _spread(values: list[float]) -> str:
    """Mean, and the smallest and largest in brackets."""
    return f"{statistics.mean(values):.2f} [{min(values):.2f}, {max(values):.2f}]"


if __name__ == "__main__":
    main()
