"""The baseline: a training loop as pytorch/examples' word_language_model describes its own.

Embedding, LSTM with dropout, tied decoder; log-softmax and negative log-likelihood over all
logits, gradient clipping at 0.25, an update p ← p − 20 g by hand; float32, torch's own allocator
and threads. It knows nothing of memoryspan. Prints the figures of ``step_clock`` as JSON.
"""

import argparse
import json

import torch
from torch import Tensor, nn
from torch.nn.functional import log_softmax

from step_clock import StepClock
from zipf import zipf_ids

DROPOUT, CLIP_NORM, LEARNING_RATE = 0.2, 0.25, 20.0
State = tuple[Tensor, Tensor]


class WordModel(nn.Module):
    """Steps first, as torch's LSTM has it by default."""

    def __init__(self, vocabulary: int, units: int, layers: int) -> None:
        super().__init__()
        self.drop = nn.Dropout(DROPOUT)
        self.encoder = nn.Embedding(vocabulary, units)
        self.lstm = nn.LSTM(units, units, layers, dropout=DROPOUT if layers > 1 else 0.0)
        self.decoder = nn.Linear(units, vocabulary)
        self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def forward(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Log-probabilities of all places, and the state after the last step."""
        output, state = self.lstm(self.drop(self.encoder(tokens)), state)
        logits = self.decoder(self.drop(output))
        return log_softmax(logits.view(-1, logits.shape[-1]), dim=1), state


def main() -> None:
    """Train for some steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("vocabulary", "units", "layers", "streams", "bptt", "warm-up", "steps"):
        parser.add_argument(f"--{name}", type=int, required=True)
    options = parser.parse_args()
    torch.manual_seed(1)
    model = WordModel(options.vocabulary, options.units, options.layers)
    clock = StepClock(options.warm_up, options.steps)
    nats = train(model, clock, options)
    print(json.dumps({"nats_per_token": nats, **clock.figures()}))


def train(model: WordModel, clock: StepClock, options: argparse.Namespace) -> float:
    """The loop; mean nats per token."""
    length = (options.warm_up + options.steps) * options.bptt + 1
    ids = zipf_ids(length * options.streams, options.vocabulary)
    text = torch.from_numpy(ids).long().view(options.streams, -1).t().contiguous()
    weight = model.encoder.weight
    shape = (options.layers, options.streams, options.units)
    state = (weight.new_zeros(shape), weight.new_zeros(shape))
    criterion = nn.NLLLoss()
    model.train()
    total = 0.0
    for begin in range(0, len(text) - 1, options.bptt):
        inputs = text[begin : begin + options.bptt]
        targets = text[begin + 1 : begin + 1 + options.bptt].reshape(-1)
        model.zero_grad()
        state = (state[0].detach(), state[1].detach())
        log_probs, state = model(inputs, state)
        loss = criterion(log_probs, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP_NORM)
        for parameter in model.parameters():
            assert parameter.grad is not None
            parameter.data.add_(parameter.grad, alpha=-LEARNING_RATE)
        total += loss.item()
        clock.tick()
    return total / clock.seen


if __name__ == "__main__":
    main()
