"""Tokenizers: lines of text to the ids of a closed vocabulary, on Hugging Face's library.

The vocabulary is the most frequent types of the training split (ties in code point order) behind
``<unk>`` and ``</s>``. Every line is one sentence and gets its ``</s>`` here; a ``</s>`` written
in the text is a word like any other that the vocabulary lacks, so it cannot end a sentence.
``<unk>`` written in the text is the unknown token (WikiText and the Penn Treebank have it), save
for characters, where it is five characters.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from memoryspan.errors import MemoryspanError
from memoryspan.text.detokenization import join_words
from memoryspan.text.parameters import TokenizerKind, TokenizerParameters
from memoryspan.text.readers import split_lines
from memoryspan.text.vocabulary import END, END_ID, UNKNOWN, UNKNOWN_ID, Vocabulary

# The library's threads do not survive a fork; unset, it warns whenever a process forks.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import tokenizers as huggingface
from tokenizers import models, normalizers, pre_tokenizers, processors, trainers

_BATCH_LINES = 32  # short texts: the library slows down on long ones
_LINE_END = "\n"


class Tokenizer:
    """A fitted tokenizer.

    Attributes:
        parameters: how it splits lines.
        vocabulary: its tokens, with their counts in the training split.
    """

    def __init__(self, parameters: TokenizerParameters, vocabulary: Vocabulary) -> None:
        self.parameters = parameters
        self.vocabulary = vocabulary
        self._encoder = _backend(parameters, vocabulary.tokens)
        # Many lines are encoded as one text: twice as fast as one by one. Their ends come
        # back as an id past the vocabulary, which no word of the text can have.
        self._encoder.add_special_tokens([_verbatim(_LINE_END)])
        self._line_end_id = len(vocabulary)

    @classmethod
    def fit(cls, parameters: TokenizerParameters, texts: Iterable[str]) -> "Tokenizer":
        """A tokenizer with the most frequent types of the training texts.

        Raises:
            MemoryspanError: the texts hold no token.
        """
        all_lines = (line for text in texts for line in split_lines(text))
        lines = list(_sentences(all_lines, parameters.keep_blank_lines))
        rank = _ranked_characters if parameters.kind == "character" else _ranked_words
        tokens = (UNKNOWN, END, *rank(parameters, lines))
        if len(tokens) == 2:
            raise MemoryspanError("The training split holds no token. Give a corpus with text.")
        uncounted = Vocabulary(tokens, np.zeros(len(tokens), dtype=np.int64))
        ids = cls(parameters, uncounted).encode_lines(lines)
        return cls(parameters, Vocabulary(tokens, np.bincount(ids, minlength=len(tokens))))

    def encode(self, text: str) -> NDArray[np.int32]:
        """Ids [N] of a text, every line a sentence ended by ``</s>``."""
        return self.encode_lines(split_lines(text))

    def encode_lines(self, lines: Iterable[str]) -> NDArray[np.int32]:
        """Ids [N] of lines (without line ends), each followed by ``</s>``.

        Blank lines are left out, or give ``</s>`` alone with ``keep_blank_lines``.
        """
        sentences = _sentences(lines, self.parameters.keep_blank_lines)
        parts = [self._encode_batch(batch) for batch in _batches(sentences)]
        return np.concatenate([np.empty(0, dtype=np.int32), *parts])

    def _encode_batch(self, lines: Sequence[str]) -> NDArray[np.int32]:
        text = _LINE_END.join(lines) + _LINE_END
        [encoding] = self._encoder.encode_batch_fast([text], add_special_tokens=False)
        ids = np.array(encoding.ids, dtype=np.int32)
        ids[ids == END_ID] = UNKNOWN_ID  # a </s> of the text itself
        ids[ids == self._line_end_id] = END_ID
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """Readable text of ids; ``</s>`` becomes a line end.

        Characters are joined; words are joined by spaces where a typesetter would set one, which
        is a guess: white space is not part of a word-level vocabulary.
        """
        join = "".join if self.parameters.kind == "character" else join_words
        lines: list[list[str]] = [[]]
        for index in ids:
            if index == END_ID:
                lines.append([])
            else:
                lines[-1].append(self.vocabulary.tokens[index])
        return "\n".join(join(line) for line in lines)

    def to_json(self) -> str:
        """The tokenizer as JSON: our parameters and counts, and under ``tokenizer`` the JSON that
        ``tokenizers.Tokenizer.from_str`` reads.
        """
        return _StoredTokenizer(
            parameters=self.parameters,
            counts=self.vocabulary.counts.tolist(),
            tokenizer=_StoredBackend.model_validate_json(
                _backend(self.parameters, self.vocabulary.tokens).to_str()
            ),
        ).model_dump_json()

    @classmethod
    def from_json(cls, text: str) -> "Tokenizer":
        """The tokenizer that ``to_json`` wrote.

        Raises:
            MemoryspanError: the text is not what ``to_json`` writes.
        """
        try:
            stored = _StoredTokenizer.model_validate_json(text)
            ids = stored.tokenizer.model.vocab
            tokens = tuple(sorted(ids, key=ids.__getitem__))
            if [ids[token] for token in tokens] != list(range(len(tokens))):
                raise ValueError("the ids of its vocabulary have gaps")
            counts = np.array(stored.counts, dtype=np.int64)
            return cls(stored.parameters, Vocabulary(tokens, counts))
        except (ValidationError, ValueError, OverflowError) as error:
            reason = str(error).splitlines()[0]
            raise MemoryspanError(
                f"The tokenizer file is damaged ({reason}). Run the pipeline tokenize again."
            ) from error


class _StoredModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")

    vocab: dict[str, int]


class _StoredBackend(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")

    model: _StoredModel


class _StoredTokenizer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    parameters: TokenizerParameters
    counts: list[int]
    tokenizer: _StoredBackend


def _sentences(lines: Iterable[str], keep_blank: bool) -> Iterator[str]:
    return (line for line in lines if keep_blank or line.strip())


def _batches(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    iterator = iter(lines)
    while batch := tuple(islice(iterator, _BATCH_LINES)):
        yield batch


def _backend(parameters: TokenizerParameters, tokens: Sequence[str]) -> huggingface.Tokenizer:
    ids = {token: index for index, token in enumerate(tokens)}
    backend = _splitter(parameters, ids)
    if parameters.kind == "word":
        # Found before the pre-tokenizer would split it into <, unk and >.
        backend.add_special_tokens([_verbatim(UNKNOWN)])
    backend.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, END_ID)]
    )
    return backend


def _verbatim(token: str) -> huggingface.AddedToken:
    return huggingface.AddedToken(token, normalized=False, special=True)


def _splitter(parameters: TokenizerParameters, ids: dict[str, int]) -> huggingface.Tokenizer:
    """Normalizer, pre-tokenizer and model of a kind."""
    if parameters.kind == "character":
        # Byte-pair encoding without merges: the library's fastest way to single characters.
        model = models.BPE(ids, [], unk_token=UNKNOWN, fuse_unk=False, cache_capacity=0)
        backend = huggingface.Tokenizer(model)
    else:
        backend = huggingface.Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
        backend.pre_tokenizer = _PRE_TOKENIZERS[parameters.kind]()
    if parameters.lowercase:
        backend.normalizer = normalizers.Lowercase()
    return backend


_PRE_TOKENIZERS: dict[TokenizerKind, Callable[[], pre_tokenizers.PreTokenizer]] = {
    "word": pre_tokenizers.Whitespace,
    "whitespace": pre_tokenizers.WhitespaceSplit,
}


def _ranked_words(parameters: TokenizerParameters, lines: Sequence[str]) -> list[str]:
    """The most frequent types, by count and then by code points (the trainer's own order)."""
    backend = _splitter(parameters, {UNKNOWN: UNKNOWN_ID})
    trainer = trainers.WordLevelTrainer(
        vocab_size=parameters.vocabulary_size + 2, show_progress=False
    )
    texts = (_LINE_END.join(batch) for batch in _batches(lines))
    if parameters.kind == "word":  # the trainer does not know that <unk> is one token
        texts = (text.replace(UNKNOWN, " ") for text in texts)
    backend.train_from_iterator(texts, trainer)
    ids = backend.get_vocab(with_added_tokens=False)
    types = sorted(ids.keys() - {UNKNOWN, END}, key=ids.__getitem__)
    return types[: parameters.vocabulary_size]


def _ranked_characters(parameters: TokenizerParameters, lines: Sequence[str]) -> list[str]:
    """The most frequent characters, by count and then by code point."""
    counts: Counter[str] = Counter()
    lower = normalizers.Lowercase()
    for line in lines:
        counts.update(lower.normalize_str(line) if parameters.lowercase else line)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [character for character, _ in ranked[: parameters.vocabulary_size]]
