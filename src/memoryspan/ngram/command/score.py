"""``score``: what the model of an ARPA file says of a text."""

import logging
from argparse import Namespace
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

from memoryspan.ngram.command.files import check_inputs, check_standard_output
from memoryspan.ngram.command.streams import (
    STANDARD,
    print_json,
    progress_bar,
    spoken,
    standard_input,
    standard_output,
    text_named,
)
from memoryspan.ngram.text_model import TextModel
from memoryspan.ngram.text_scores import TextScores

logger = logging.getLogger(__name__)


def run_score(options: Namespace) -> None:
    """Read the model, score the text, print JSON or a line per token."""
    inputs = {"--arpa": options.arpa, "--text": options.text}
    check_inputs(inputs)
    check_standard_output(inputs)
    source = standard_input() if options.arpa == STANDARD else Path(options.arpa)
    model = TextModel.from_arpa(source, strict=not options.tolerant)
    for note in model.notes:
        logger.warning("%s: %s", spoken(options.arpa), note)
    result, scores = evaluate(model, options.text)
    with standard_output() as output:
        if options.per_token:
            print_tokens(scores, output)
        else:
            print_json(result, output)


def evaluate(model: TextModel, name: str) -> tuple[dict[str, Any], TextScores]:
    """Score a text.

    Returns:
        what to print of it, and the scores.
    """
    begin = perf_counter()
    with progress_bar(name, "scoring") as progress:
        scores = model.score(text_named(name), progress)
    seconds = perf_counter() - begin
    result = {
        "perplexity_including_oov": scores.perplexity_including_oov,
        "perplexity_excluding_oov": scores.perplexity_excluding_oov,
        "tokens": scores.tokens,
        "oov": scores.oov,
        "tokens_per_second": round(scores.tokens / seconds),
    }
    return result, scores


def print_tokens(scores: TextScores, output: TextIO) -> None:
    """A line per token: word, length of the matched n-gram, log10 P."""
    output.reconfigure(encoding="utf-8")  # type: ignore[attr-defined]
    output.write("word\tmatched\tlog10_prob\n")
    for word, matched, log10_prob in scores.rows():
        output.write(f"{word}\t{matched}\t{log10_prob:.7g}\n")
