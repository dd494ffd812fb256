"""The feed-forward network with a fixed window.

Legend: B sequences, T steps, E embedding size, H hidden size, W window, C = W − 1.
"""

import torch
from torch import Tensor, nn

from memoryspan.neural import initialisation
from memoryspan.neural.cells import State
from memoryspan.neural.network import Network, variational_dropout
from memoryspan.neural.parameters import NetworkParameters

NOTHING = -1  # in place of a token id: no token there, its embedding is the zero vector


class FeedforwardNetwork(Network):
    """Bengio et al. (2003): embeddings of the last W tokens → tanh layer → tied output layer.

    Without their direct connections from input to output. The state is the last W − 1 tokens, so
    no token further back can matter; where there is none, the zero vector stands.
    """

    def __init__(self, parameters: NetworkParameters, vocabulary_size: int) -> None:
        super().__init__(parameters, vocabulary_size)
        self.window = parameters.window
        self.hidden = nn.Linear(self.window * parameters.embedding_size, self.hidden_size)

    def initial_state(self, batch_size: int) -> list[State]:
        """Tokens [B, W − 1], all ``NOTHING``."""
        shape = (batch_size, self.window - 1)
        return [(torch.full(shape, NOTHING, dtype=torch.int64, device=self.table.device),)]

    def forward(self, tokens_BT: Tensor, state: list[State]) -> tuple[Tensor, list[State]]:
        """See ``Network.forward``."""
        ((before_BC,),) = state
        tokens = torch.cat([before_BC, tokens_BT], dim=1)
        x = self.embed(tokens.clamp(min=0)) * (tokens != NOTHING).unsqueeze(2)
        x_BTWE = x.unfold(1, self.window, 1).transpose(2, 3)
        h_BTH = torch.tanh(self.hidden(x_BTWE.flatten(start_dim=2)))
        h_BTH = variational_dropout(h_BTH, self.dropouts.output, self.training)
        return self.projection(h_BTH), [(tokens[:, tokens.shape[1] - self.window + 1 :],)]

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

    def initialise(self, generator: torch.Generator) -> None:
        """See ``initialisation``."""
        initialisation.output_layer(self.table, self.output_bias, self.projection, generator)
        nn.init.xavier_uniform_(self.hidden.weight, generator=generator)
        nn.init.zeros_(self.hidden.bias)
