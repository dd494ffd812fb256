r"""Back-off models as ARPA files, the text format that all n-gram tools exchange.

    \data\
    ngram 1=4
    ngram 2=2

    \1-grams:
    -1.2<tab>a<tab>-0.3         log10 P(a), the word, log10 of its back-off weight as a context
    …
    \2-grams:
    -0.4<tab><s> a
    …
    \end\

P(w|h) is that of the longest n-gram hw in the file; for each longer context of which there is no
such n-gram its back-off weight is paid, if it has one. Logarithms are decimal here and nowhere
else; −99 means a probability of zero, as in SRILM.
"""

from memoryspan.ngram.arpa.reading import ArpaModel, read_arpa
from memoryspan.ngram.arpa.writing import write_arpa

__all__ = ["ArpaModel", "read_arpa", "write_arpa"]
