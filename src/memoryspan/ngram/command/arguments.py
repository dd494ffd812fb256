"""What the command line understands."""

from argparse import (
    Action,
    ArgumentError,
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
)
from typing import Any, NoReturn, get_args

from memoryspan.errors import MemoryspanError
from memoryspan.ngram.command.streams import standard_output
from memoryspan.ngram.parameters import (
    MAXIMUM_ORDER,
    DiscountTriple,
    EstimatorName,
    NgramParameters,
    Precision,
)

DESCRIPTION = """N-gram language models: train them, write and read ARPA files, score texts.

White space separates words; every line is a sentence. "-" stands for standard input or output.
Files that end in .gz, .bz2 or .xz are compressed."""

EXAMPLES = """examples:
  python -m memoryspan.ngram train --order 5 --text train.txt --arpa model.arpa.gz
  python -m memoryspan.ngram train --order 3 --text train.txt --evaluate test.txt
  python -m memoryspan.ngram score --arpa model.arpa.gz --text test.txt
  python -m memoryspan.ngram score --arpa model.arpa.gz --text test.txt --per-token"""
DEFAULTS = NgramParameters()


class _Once(Action):
    """Keep the value of an option, which may not be given twice."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option: str | None = None
    ) -> None:
        given = vars(namespace).setdefault("given", set())
        if self.dest in given:
            raise ArgumentError(self, "it is given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class Parser(ArgumentParser):
    """One line for a mistake; an error where the help cannot be printed."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        options["allow_abbrev"] = False
        super().__init__(*arguments, **options)
        self.register("action", None, _Once)

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments: one line, exit code 2."""
        raise MemoryspanError(f'{message}. See "{self.prog} --help".')

    def print_help(self, file: Any = None) -> None:
        """Print the help on standard output (``ArgumentParser`` hides it if that fails)."""
        with standard_output() as output:
            (file or output).write(self.format_help())


def parser() -> Parser:
    """The parser of both commands."""
    top = Parser(
        prog="python -m memoryspan.ngram",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="train | score")
    _add_train(commands.add_parser("train", help="estimate a model from a text"))
    _add_score(commands.add_parser("score", help="score a text with the model of an ARPA file"))
    return top


def _add_train(train: ArgumentParser) -> None:
    train.add_argument("--text", required=True, metavar="FILE", help="the training text")
    train.add_argument(
        "--order", type=_order, default=5, metavar="N", help="1 to 10 (default: %(default)s)"
    )
    train.add_argument("--arpa", metavar="FILE", help="write the model to this ARPA file")
    train.add_argument(
        "--evaluate", metavar="FILE", help="score this text, without going through a file"
    )
    train.add_argument(
        "--estimator",
        choices=get_args(EstimatorName),
        default="kneser_ney",
        help="how counts become probabilities (default: interpolated modified Kneser-Ney)",
    )
    train.add_argument(
        "--validation", metavar="FILE", help="a text that jelinek_mercer learns its weights from"
    )
    train.add_argument(
        "--prune",
        type=int,
        nargs="+",
        metavar="COUNT",
        help="per order: leave out n-grams that occur at most so often, as lmplz does; the last "
        "one also holds for higher orders, e.g. --prune 0 0 1",
    )
    train.add_argument(
        "--entropy-pruning",
        type=float,
        metavar="X",
        help="leave out n-grams without which perplexity rises by less than this, relatively, "
        "e.g. 1e-8 (Stolcke 1998)",
    )
    train.add_argument(
        "--discounts",
        type=_discounts,
        nargs="+",
        metavar="N=D1,D2,D3",
        help="kneser_ney: discounts to use for an order instead of the estimated ones, "
        "e.g. --discounts 1=0.5,1,1.5 3=0.9,1.2,1.4",
    )
    train.add_argument(
        "--vocabulary",
        default="open",
        metavar="open | closed | FILE",
        help="open: <unk> can always be predicted; closed: only if the text has it; FILE: the "
        "words in it are all there are, others become <unk> (default: %(default)s); a file with "
        "such a name is ./open",
    )
    train.add_argument(
        "--add-k",
        type=float,
        metavar="K",
        help=f"add_k: what is added to each count (default: {DEFAULTS.add_k})",
    )
    train.add_argument(
        "--precision",
        choices=get_args(Precision),
        default="single",
        help="of the probabilities while they are in memory (default: %(default)s, as in KenLM)",
    )
    train.add_argument(
        "--memory-budget",
        type=int,
        default=DEFAULTS.counting.memory_budget_mb,
        metavar="MB",
        help="count with a database that spills to disk where the counts would take more than "
        "this (default: %(default)s)",
    )


def _add_score(score: ArgumentParser) -> None:
    score.add_argument("--arpa", required=True, metavar="FILE", help="a model of any tool")
    score.add_argument("--text", required=True, metavar="FILE", help="the text to score")
    score.add_argument(
        "--per-token",
        action="store_true",
        help="instead of the sums: word, length of the matched n-gram and log10 probability of "
        "each token, separated by tabs",
    )
    score.add_argument(
        "--tolerant",
        action="store_true",
        help="leave out n-grams whose prefix is not in the file instead of refusing it",
    )


def _order(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= MAXIMUM_ORDER:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no order from 1 to {MAXIMUM_ORDER}")


def _discounts(text: str) -> tuple[int, DiscountTriple]:
    order, _, values = text.partition("=")
    try:
        d1, d2, d3 = (float(value) for value in values.split(","))
        return _order(order), (d1, d2, d3)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not like 3=0.9,1.2,1.4") from None
