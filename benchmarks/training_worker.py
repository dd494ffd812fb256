"""Some steps of our training, by ``train()`` or by a bare loop that does the same work.

Prints the figures of ``step_clock`` as JSON. In a process of its own: the settings that make
training fast are made before torch is imported, as a ``kedro run`` makes them.
"""

from memoryspan.neural.environment import keep_large_buffers, prepare_environment

prepare_environment()

import argparse  # noqa: E402
import json  # noqa: E402
import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.nn.utils import clip_grad_norm_  # noqa: E402
from torch.optim.optimizer import register_optimizer_step_post_hook  # noqa: E402

from memoryspan.neural.batching import Chunking, StreamLoader  # noqa: E402
from memoryspan.neural.network import Dropouts  # noqa: E402
from memoryspan.neural.networks import initial_network  # noqa: E402
from memoryspan.neural.optimizers import optimizer_of  # noqa: E402
from memoryspan.neural.parameters import NetworkParameters  # noqa: E402
from memoryspan.neural.softmax import objective_of  # noqa: E402
from memoryspan.neural.training import train  # noqa: E402
from memoryspan.neural.training_parameters import TrainingParameters  # noqa: E402
from memoryspan.neural.training_run import token_counts  # noqa: E402
from memoryspan.text.streams import TokenStream  # noqa: E402
from step_clock import StepClock  # noqa: E402
from zipf import zipf_ids  # noqa: E402

# A bare loop knows no schedule and no resets.
PLAIN: dict[str, Any] = {"schedule": "constant", "warmup_share": 0.0, "reset_share": 0.0}
WORK: dict[str, dict[str, Any]] = {
    # What the baseline does: all logits, plain SGD, the same clipping and dropout.
    "same": PLAIN | {"negatives": 0, "optimizer": "sgd", "clip_norm": 0.25, "weight_decay": 0.0},
    # Our defaults: sampled softmax, AdamW.
    "sampled": PLAIN,
}
SEED = 1


def main() -> None:
    """Train for some steps."""
    options = _options()
    steps = options.warm_up + options.steps
    if options.stream is None:
        ids = zipf_ids(steps * options.streams * options.bptt, options.vocabulary)
    else:
        ids = np.load(options.stream, mmap_mode="r")
    stream = TokenStream.of(ids, options.vocabulary)
    network, training = _parameters(options)
    clock = StepClock(options.warm_up, options.steps)
    hook = register_optimizer_step_post_hook(lambda *_: clock.tick())
    if options.loop == "train":
        nats = _trained(network, training, stream)
    else:
        nats = _bare_loop(network, training, stream)
    hook.remove()
    print(json.dumps({"nats_per_token": nats, **clock.figures()}))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("vocabulary", "units", "layers", "streams", "bptt", "warm-up", "steps"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--loop", choices=["train", "bare"], default="train")
    parser.add_argument("--work", choices=list(WORK), default="same")
    parser.add_argument("--precision", choices=["auto", "float32"], default="auto")
    parser.add_argument("--stream", type=Path, help="an .npy file of ids, to be mapped")
    parser.add_argument("--max-minutes", type=float, help="in place of one epoch")
    return parser.parse_args()


def _parameters(options: argparse.Namespace) -> tuple[NetworkParameters, TrainingParameters]:
    """A network like the baseline's, and its work or that of our defaults."""
    network = NetworkParameters(
        kind="lstm",
        hidden_size=options.units,
        embedding_size=options.units,
        layers=options.layers,
        projection=False,
        learning_rate=1.0 if options.work == "same" else 0.004,
    )
    training = TrainingParameters(
        streams=options.streams,
        bptt=options.bptt,
        epochs=1,
        max_minutes=options.max_minutes,
        precision=options.precision,
        accelerator="cpu",
        **WORK[options.work],
    )
    return network, training


def _trained(
    network: NetworkParameters, training: TrainingParameters, stream: TokenStream
) -> float:
    """By ``train()``; mean nats per token."""
    validation = TokenStream.of(stream.ids[: training.streams], stream.vocabulary_size)
    with tempfile.TemporaryDirectory() as folder:
        result = train("lstm", network, training, stream, validation, SEED, Path(folder))
    history = result.history
    tokens = np.diff(history["tokens"], prepend=0)
    return float(np.average(history["train_nats_per_token"], weights=tokens))


def _bare_loop(
    parameters: NetworkParameters, training: TrainingParameters, stream: TokenStream
) -> float:
    """The same network, loss, clipping and optimizer without Lightning or our callbacks."""
    keep_large_buffers()
    torch.manual_seed(SEED)
    network = initial_network(parameters, stream.vocabulary_size, SEED)
    network.dropouts = Dropouts.of(training)
    objective = objective_of(training, network.output_layer, lambda: token_counts(stream))
    optimizer = optimizer_of(training, network)
    loader = StreamLoader(stream, training.streams, Chunking(training.bptt))
    bfloat16 = training.precision == "auto" and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    state = network.initial_state(training.streams)
    nats = 0.0
    for chunk in loader:
        with torch.autocast("cpu", torch.bfloat16, enabled=bool(bfloat16)):
            reading = network.read(chunk.inputs_BT, state)
            state = network.carried(reading.state)
            output_NE, targets_N = reading.output_BTE.flatten(0, 1), chunk.targets_BT.flatten()
            loss = objective(network.output_layer, output_NE, targets_N)
        optimizer.zero_grad()
        (loss.total / len(targets_N)).backward()
        clip_grad_norm_(network.parameters(), training.clip_norm or float("inf"))
        optimizer.step()
        nats += float(loss.nats)
    return nats / len(stream)


if __name__ == "__main__":
    main()
