"""The feed-forward network with a fixed window.

Legend: B sequences, T steps, E embedding size, H hidden size, W window, C = W − 1.
"""

import torch
from torch import Tensor, nn

from memoryspan.neural import initialisation
from memoryspan.neural.cells import State
from memoryspan.neural.network import Network, Reading, variational_dropout
from memoryspan.neural.parameters import NetworkParameters

NOTHING = -1  # in place of a token id: no token there, its embedding is the zero vector


class FeedforwardNetwork(Network):
    """Bengio et al. (2003): embeddings of the last W tokens → tanh layers → output layer.

    Their direct connections from input to output are optional; here they end in the E features
    that the output layer reads. The state is the last W − 1 tokens, so no token further back can
    matter; where there is none, the zero vector stands.
    """

    def __init__(self, parameters: NetworkParameters, vocabulary_size: int) -> None:
        super().__init__(parameters, vocabulary_size)
        self.window = parameters.window
        inputs = self.window * parameters.embedding_size
        sizes = [inputs] + [self.hidden_size] * (parameters.layers - 1)
        self.layers = nn.ModuleList(nn.Linear(size, self.hidden_size) for size in sizes)
        self.norms = nn.ModuleList(
            nn.LayerNorm(self.hidden_size) if parameters.layer_norm else nn.Identity()
            for _ in sizes
        )
        self.direct: nn.Linear | None = None
        if parameters.direct_connections:
            features = parameters.embedding_size if parameters.projection else self.hidden_size
            self.direct = nn.Linear(inputs, features, bias=False)

    @property
    def context_order(self) -> int:
        """W."""
        return self.window

    def initial_state(self, batch_size: int) -> list[State]:
        """Tokens [B, W − 1], all ``NOTHING``."""
        shape = (batch_size, self.window - 1)
        return [(torch.full(shape, NOTHING, dtype=torch.int64, device=self.table.device),)]

    def read(self, tokens_BT: Tensor, state: list[State]) -> Reading:
        """See ``Network.read``."""
        ((before_BC,),) = state
        tokens = torch.cat([before_BC, tokens_BT], dim=1)
        x = self.embed(tokens.clamp(min=0)) * (tokens != NOTHING).unsqueeze(2)
        x_BTF = x.unfold(1, self.window, 1).transpose(2, 3).flatten(start_dim=2)
        dropped_BTF, last = x_BTF, len(self.layers) - 1
        for number, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
            h_BTH = norm(torch.tanh(layer(dropped_BTF)))
            share = self.dropouts.output if number == last else self.dropouts.hidden
            dropped_BTF = variational_dropout(h_BTH, share, self.training)
        output_BTE = self.projection(dropped_BTF)
        if self.direct is not None:
            output_BTE = output_BTE + self.direct(x_BTF)
        new_state: list[State] = [(tokens[:, tokens.shape[1] - self.window + 1 :],)]
        return Reading(output_BTE, new_state, h_BTH, dropped_BTF)

    def nothing_read(self, batch_size: int) -> Tensor:
        """See ``Network.nothing_read``."""
        nothing = torch.full((batch_size, 1), NOTHING, device=self.table.device)
        output_B1E, _ = self.forward(nothing, self.initial_state(batch_size))
        return output_B1E[:, 0]

    def forget(self, state: list[State], forget_B: Tensor) -> list[State]:
        """See ``Network.forget``."""
        forget_B1 = forget_B.unsqueeze(1)
        return [tuple(t.masked_fill(forget_B1, NOTHING) for t in layer) for layer in state]

    def carried(self, state: list[State]) -> list[State]:
        """Token ids have no gradient."""
        return state

    def initialise_hidden(self, generator: torch.Generator) -> None:
        """See ``initialisation``."""
        for layer in self.layers:
            initialisation.linear_layer(layer, generator)
        for norm in self.norms:
            initialisation.normalisation(norm)
        if self.direct is not None:
            initialisation.linear_layer(self.direct, generator)
