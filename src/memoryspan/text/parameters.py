"""What a user chooses about the text: corpus, splits, tokenizer; and how a named corpus is listed.

Only pydantic is imported here: the command line reads this module at its start.
"""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
ReaderName = Literal["plain", "markdown_play"]
TokenizerKind = Literal["word", "character", "whitespace"]
LARGEST_VOCABULARY = 2_000_000


def _text_encoding(name: str) -> str:
    """``name`` if Python can decode text with it."""
    try:
        b"text".decode(name, errors="replace")
    except LookupError as error:  # no such codec, or not one of text
        raise ValueError(f"{name!r} is not a text encoding; try utf-8, latin-1, gb18030") from error
    return name


class CorpusParameters(BaseModel):
    """Which text is read and how it is divided."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = Field(
        default="shakespeare",
        min_length=1,
        description="name of a corpus in conf/base/corpora.yml, or path of a text file, "
        "a folder of text files, a .zip or a .gz",
    )
    include: tuple[str, ...] = Field(
        default=("*.txt", "*.text", "*.tokens", "*.md"),
        min_length=1,
        description="file name patterns that are read in a folder or .zip (case is ignored)",
    )
    encoding: str = Field(
        default="utf-8", description="encoding of the files, decoded strictly; a BOM is accepted"
    )
    validation_share: float = Field(
        default=0.05,
        gt=0,
        lt=1,
        description="share of the text that becomes the validation split, where the corpus "
        "does not come with one",
    )
    test_share: float = Field(
        default=0.10,
        gt=0,
        lt=1,
        description="share of the text that becomes the test split, where the corpus "
        "does not come with one",
    )

    max_characters: int | None = Field(
        default=None,
        ge=1,
        description="use only the beginning of every document, about so many characters in all",
    )

    _encoding_is_known = field_validator("encoding")(_text_encoding)

    @model_validator(mode="after")
    def _leave_something_to_train_on(self) -> Self:
        if self.validation_share + self.test_share >= 1:
            raise ValueError("validation_share and test_share must leave a share for training")
        return self


class PublishedPackage(BaseModel):
    """A file of a package index that is used as data: downloaded, verified, never installed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="package name")
    version: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.+!]*$", description="exact version")
    file: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*\.(whl|zip)$",
        description="name of the published file, a zip archive",
    )
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the file, in hex")


class NamedCorpus(BaseModel):
    """A corpus that a user can ask for by name (an entry of conf/base/corpora.yml)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(description="what the corpus is, for tables and the report")
    package: PublishedPackage = Field(description="where the archive with its text comes from")
    members: tuple[str, ...] = Field(
        min_length=1, description="patterns of the archive members that are its documents"
    )
    excluded: tuple[str, ...] = Field(
        default=(), description="documents (file stems) that are left out"
    )
    reader: ReaderName = Field(default="plain", description="how a member's text is read")
    encoding: str = Field(default="utf-8", description="encoding of the members")
    licence: str = Field(description="licence of the text and of the archive")
    citation: str = Field(description="how to cite the corpus")
    validation: tuple[str, ...] = Field(
        default=(), description="documents of the validation split; none: cut by share"
    )
    test: tuple[str, ...] = Field(
        default=(), description="documents of the test split; none: cut by share"
    )

    _encoding_is_known = field_validator("encoding")(_text_encoding)

    @model_validator(mode="after")
    def _no_document_in_two_places(self) -> Self:
        listed = [*self.excluded, *self.validation, *self.test]
        twice = sorted({name for name in listed if listed.count(name) > 1})
        if twice:
            raise ValueError(f"listed twice in excluded, validation and test: {', '.join(twice)}")
        return self


class TokenizerParameters(BaseModel):
    """How a line becomes tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: TokenizerKind = Field(
        default="word",
        description="word: words and punctuation are tokens; whitespace: the text is already "
        "tokenised with spaces; character: every character is a token",
    )
    vocabulary_size: int = Field(
        default=10_000,
        ge=1,
        le=LARGEST_VOCABULARY,
        description="the most frequent types of the training split, without <unk> and </s>",
    )
    lowercase: bool = Field(default=False, description="lower-case the text first")
    keep_blank_lines: bool = Field(
        default=False, description="a blank line is a sentence of </s> alone (WikiText's custom)"
    )
