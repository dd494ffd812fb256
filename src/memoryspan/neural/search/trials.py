"""One trial: a short training that may be pruned, and what is noted of it."""

import itertools
import math
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from optuna.exceptions import TrialPruned
from optuna.trial import Trial

from memoryspan.neural.listening import Listener
from memoryspan.neural.module import BreakdownError
from memoryspan.neural.parameters import NetworkParameters
from memoryspan.neural.search.parameters import SearchParameters
from memoryspan.neural.search.table import HIDDEN_SIZE, REASON, SECONDS, TOKENS
from memoryspan.neural.sizing import sized
from memoryspan.neural.training import train
from memoryspan.neural.training_parameters import TrainingParameters
from memoryspan.text.streams import TokenStream


@dataclass(frozen=True)
class Laboratory:
    """What all trials of one network share.

    Attributes:
        parameters: of the search.
        train_stream: its beginning is trained on.
        validation_stream: its beginning decides.
        seed: of every training: trials differ in their values alone.
        folder: where the training under way has its checkpoints; gone afterwards.
    """

    parameters: SearchParameters
    train_stream: TokenStream
    validation_stream: TokenStream
    seed: int
    folder: Path

    def loss_of(
        self,
        trial: Trial,
        name: str,
        network: NetworkParameters,
        training: TrainingParameters,
        prunable: bool,
    ) -> float | None:
        """Train; the lowest validation loss at the end of an epoch, in nats per token.

        Args:
            trial: takes what is measured on the way.
            name: of the trial.
            network: its shape.
            training: of the length of a trial.
            prunable: whether it may end before its time.

        Returns:
            None if the trial was pruned or its training broke down: then it carries the reason.
        """
        shape = sized(network, self.train_stream.vocabulary_size)
        trial.set_user_attr(HIDDEN_SIZE, shape.hidden_size)
        listener = Listener(
            self._hearing(trial, training, prunable), self.parameters.validations_per_epoch
        )
        started = time.monotonic()
        shutil.rmtree(self.folder, ignore_errors=True)
        try:
            result = train(
                name,
                shape,
                training,
                self.train_stream,
                self.validation_stream,
                self.seed,
                self.folder,
                listener,
            )
        except TrialPruned:
            return None
        except BreakdownError as error:
            trial.set_user_attr(REASON, str(error))
            return None
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
            trial.set_user_attr(SECONDS, time.monotonic() - started)
        return float(result.summary["best_validation_nats_per_token"])

    def _hearing(
        self, trial: Trial, training: TrainingParameters, prunable: bool
    ) -> Callable[[float, float], None]:
        """What listens to the training: reports to Optuna, and ends it if Optuna says so."""
        tokens = min(len(self.train_stream), training.max_train_tokens or len(self.train_stream))
        reports = itertools.count(1)

        def hear(epochs: float, nats: float) -> None:
            trial.set_user_attr(TOKENS, round(epochs * tokens))
            if not math.isfinite(nats):
                raise BreakdownError(f"The validation loss is {nats} after {epochs:.3g} epochs.")
            trial.report(nats, next(reports))
            if prunable and epochs < training.epochs and trial.should_prune():
                raise TrialPruned

        return hear
