"""From source text to token streams: corpora, documents, tokenizers, vocabularies, streams."""
