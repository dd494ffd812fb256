"""Continuing a text by drawing one token after the other, with any language model.

Only ``next_log_probs`` is asked, so a 5-gram model and an LSTM are sampled the same way: every
step gives the model its last ``context_order`` tokens (at most ``LONGEST_CONTEXT``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from memoryspan.errors import MemoryspanError
from memoryspan.evaluation.parameters import GenerationParameters
from memoryspan.language_model import Floats, Ids, LanguageModel
from memoryspan.text.vocabulary import END_ID, UNKNOWN_ID

LONGEST_CONTEXT = 200


class Codec(Protocol):
    """What turns text into ids and back (a tokenizer of ``memoryspan.text`` is one)."""

    def encode(self, text: str) -> Sequence[int] | Ids:
        """Ids of a text."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ids."""
        ...


@dataclass(frozen=True)
class Continuation:
    """What was drawn.

    Attributes:
        ids: int32 [n], the tokens after the context, n ≤ the length asked for.
        note: why it ended early; empty if it did not.
    """

    ids: Ids
    note: str


def continue_text(
    model: LanguageModel,
    context_ids: Ids,
    length: int,
    seed: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    stop_at_end_of_sentence: int | None = None,
    exclude_unknown: bool = True,
) -> Continuation:
    """Draw up to ``length`` tokens after a context.

    Args:
        model: any language model.
        context_ids: int32 [n], n ≥ 0; begins with ``</s>`` if it begins a sentence.
        length: most tokens to draw.
        seed: of the draws.
        temperature: divides the log probabilities (> 0).
        top_k, top_p: see ``restricted``.
        stop_at_end_of_sentence: stop after so many ``</s>``; None = at ``length`` only.
        exclude_unknown: never draw ``<unk>``.

    Returns:
        The drawn tokens. A context after which the model gives nothing a probability (maximum
        likelihood after an unseen context) ends them, and the note says so.
    """
    rng = np.random.default_rng(seed)
    ids = [int(token) for token in context_ids]
    drawn: list[int] = []
    note = ""
    while len(drawn) < length:
        log_probs_V = model.next_log_probs(_bounded(ids, model.context_order))[0]
        if exclude_unknown:
            log_probs_V = log_probs_V.copy()
            log_probs_V[UNKNOWN_ID] = -np.inf
        if not np.isfinite(log_probs_V).any():
            note = f"ended after {len(drawn)} tokens: the model has no next word for this context"
            break
        probs_V = restricted(log_probs_V / temperature, top_k, top_p)
        drawn.append(int(rng.choice(len(probs_V), p=probs_V)))
        ids.append(drawn[-1])
        if stop_at_end_of_sentence and drawn.count(END_ID) == stop_at_end_of_sentence:
            break
    return Continuation(np.array(drawn, dtype=np.int32), note)


def _bounded(ids: Sequence[int], context_order: int | None) -> Ids:
    longest = LONGEST_CONTEXT if context_order is None else min(context_order, LONGEST_CONTEXT)
    return np.array([ids[max(0, len(ids) - longest) :]], dtype=np.int32)


def restricted(log_weights_V: Floats, top_k: int | None, top_p: float | None) -> Floats:
    """Probabilities [V] of the likeliest tokens alone, from unnormalised log weights.

    First the ``top_k`` likeliest are kept (Fan et al. 2018), then of these the fewest likeliest
    whose probabilities reach ``top_p`` (nucleus sampling, Holtzman et al. 2020, equation 2).
    Ties go to the lower id. At least one weight must be finite.
    """
    probs_V = np.exp(log_weights_V - log_weights_V.max())
    if top_k is not None or top_p is not None:
        order = np.argsort(-probs_V, kind="stable")
        kept = order[:top_k]
        if top_p is not None:
            cumulative = np.cumsum(probs_V[kept]) / probs_V[kept].sum()
            kept = kept[: int(np.searchsorted(cumulative, top_p)) + 1]
        mask_V = np.zeros(len(probs_V), dtype=bool)
        mask_V[kept] = True
        probs_V = np.where(mask_V, probs_V, 0.0)
    probabilities: Floats = probs_V / probs_V.sum()
    return probabilities


def samples(
    model: LanguageModel,
    codec: Codec,
    parameters: GenerationParameters,
    seed: int,
) -> pd.DataFrame:
    """Continue every prompt once.

    Args:
        model: any language model.
        codec: text ↔ ids. Each prompt begins a sentence; a ``</s>`` that ``encode`` puts at
            its end is taken off, for the sentence is to go on.
        parameters: prompts and how to draw.
        seed: each prompt has its own draws from it, the same for every model.

    Returns:
        The columns model, prompt, continuation, note; one row per prompt.

    Raises:
        MemoryspanError: there are no prompts.
    """
    if not parameters.prompts:
        raise MemoryspanError("There are no prompts. Give at least one under 'prompts'.")
    rows = []
    for index, prompt in enumerate(parameters.prompts):
        prompt_ids = [int(token) for token in codec.encode(prompt)]
        if prompt_ids[-1:] == [END_ID]:
            prompt_ids.pop()
        continuation = continue_text(
            model,
            np.array([END_ID, *prompt_ids], dtype=np.int32),
            parameters.length,
            int(np.random.SeedSequence([seed, index]).generate_state(1)[0]),
            **parameters.model_dump(exclude={"prompts", "length"}),
        )
        unknown = prompt_ids.count(UNKNOWN_ID)
        notes = [f"{unknown} unknown words in the prompt"] if unknown else []
        rows.append(
            {
                "model": model.name,
                "prompt": prompt,
                "continuation": codec.decode(continuation.ids.tolist()),
                "note": "; ".join([*notes, continuation.note] if continuation.note else notes),
            }
        )
    return pd.DataFrame(rows)
