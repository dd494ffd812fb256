"""``train``: from a text to a model, an ARPA file, and the perplexity of another text."""

import sys
from argparse import Namespace
from pathlib import Path
from time import perf_counter
from typing import Any

from memoryspan.ngram.arpa.writing import check_target
from memoryspan.ngram.command.combinations import check_combination, parameters_of
from memoryspan.ngram.command.files import check_inputs, check_output, check_standard_output
from memoryspan.ngram.command.score import evaluate
from memoryspan.ngram.command.streams import (
    STANDARD,
    print_json,
    progress_bar,
    standard_output,
    text_named,
)
from memoryspan.ngram.parameters import NgramParameters
from memoryspan.ngram.text_files import check_text, read_word_list
from memoryspan.ngram.text_model import TextModel, train


def run_train(options: Namespace) -> None:
    """Train, then score and write what is asked for; JSON says what happened.

    The ARPA file is written last: an error before that leaves the one that was there.
    """
    check_combination(options)
    parameters = parameters_of(options)
    _check_files(options)
    begin = perf_counter()
    model = _trained(options, parameters)
    result = {**_summary(model, options), "seconds": round(perf_counter() - begin, 3)}
    result["tokens_per_second"] = round(result["tokens"] / max(result["seconds"], 1e-3))
    if options.evaluate is not None:
        result["evaluation"], _ = evaluate(model, options.evaluate)
    if options.arpa == STANDARD:
        with standard_output() as output:
            model.write_arpa(output.buffer)
        print_json(result, sys.stderr)
        return
    if options.arpa is not None:
        model.write_arpa(Path(options.arpa))
        result["arpa"] = options.arpa
    with standard_output() as output:
        print_json(result, output)


def _check_files(options: Namespace) -> None:
    """Find what is wrong with files before work begins; texts to be read late, too.

    Raises:
        MemoryspanError: a file cannot be read or written, or the output is an input.
    """
    named = {f"--{name}": getattr(options, name) for name in ("text", "evaluate", "validation")}
    if options.vocabulary not in ("open", "closed"):
        named["--vocabulary"] = options.vocabulary
    inputs = {option: name for option, name in named.items() if name is not None}
    check_inputs(inputs)
    check_standard_output(inputs)
    if options.arpa is not None:
        check_output("--arpa", options.arpa, inputs)
        check_target(options.arpa)
    for name in (options.evaluate, options.validation):
        if name is not None and Path(name).is_file():
            check_text(Path(name))


def _trained(options: Namespace, parameters: NgramParameters) -> TextModel:
    """The model."""
    listed = options.vocabulary not in ("open", "closed")
    words = read_word_list(text_named(options.vocabulary)) if listed else None
    with progress_bar(options.text, "reading") as progress:
        return train(
            text_named(options.text),
            options.order,
            options.estimator,
            parameters=parameters,
            vocabulary=words,
            validation=text_named(options.validation) if options.validation is not None else None,
            progress=progress,
        )


def _summary(model: TextModel, options: Namespace) -> dict[str, Any]:
    """What was estimated from what."""
    trie = model.model.trie
    return {
        "model": model.model.name,
        "tokens": int(model.vocabulary.counts.sum()),
        "sentences": int(model.vocabulary.counts[1]),
        "unknown": int(model.vocabulary.counts[0]),
        "vocabulary": len(model.vocabulary),
        "ngrams": [_ngrams(model, n) for n in range(1, trie.order + 1)],
        "discounts": [
            {"order": entry.order, "values": list(entry.values), "origin": entry.origin}
            | ({"reason": entry.reason} if entry.reason else {})
            for entry in model.model.discounts
        ],
    }


def _ngrams(model: TextModel, n: int) -> int:
    """N-grams of an order as an ARPA file counts them: ``<s>`` is a unigram there, too."""
    level = model.model.trie.level(n)
    return int(level.stop - level.start) + (n == 1)
