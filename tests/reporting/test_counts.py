from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from memoryspan.reporting.content import ReportContent
from memoryspan.reporting.counts import continuation_views, count_sentences, count_tables
from memoryspan.reporting.report import render_report


def plain(text: str) -> str:
    return text.replace("\u202f", " ")


def text_rows(content: ReportContent, name: str) -> list[list[str]]:
    view = count_tables(content)[name]
    assert view is not None
    return [[plain(cell.text) for cell in row] for row in view.rows]


def test_sentences_speak_in_the_numbers_of_the_tables(content: ReportContent) -> None:
    frequencies, growth, seen = map(plain, count_sentences(content))
    assert frequencies == (
        "In the training text, of the 1 000 distinct 2-grams 90.0 %, "
        "of the 2 000 distinct 3-grams 99.0 % occur only once."
    )
    assert growth == (
        "The 70 000 tokens of the training text are of 453 types, before rare ones become <unk>. "
        "By Heaps’ law, K · N^β with β = 0.450 fitted from 1 000 to 70 000 tokens, a text twice "
        "as long has 1.37 times as many."
    )
    assert seen == (
        "Of the 54 321 tokens of the test text 85.0 % [84.0 %, 86.0 %] end a 2-gram, 50.0 % "
        "[48.0 %, 52.0 %] end a 3-gram that the training text has. To the other 50.0 % maximum "
        "likelihood of that order gives no probability: this is the sparsity that smoothing is "
        "for. With the rare words themselves in the place of <unk>, which is in 8.00 % of these "
        "3-grams, it would be greater."
    )


def test_sentences_follow_what_there_is(
    content: ReportContent, seen_ngrams: pd.DataFrame, heaps_fit: pd.DataFrame
) -> None:
    assert count_sentences(ReportContent(title="nothing")) == []
    small = replace(
        content,
        counts_of_counts=pd.DataFrame({"order": [1, 2], "count": [1, 1], "ngrams": [2, 3]}),
        heaps_fit=heaps_fit.assign(beta=np.nan),
        seen_ngrams=seen_ngrams.head(2).assign(
            token_share_low=np.nan, token_share_high=np.nan, unknown_share=0.0
        ),
    )
    frequencies, growth, seen = map(plain, count_sentences(small))
    assert frequencies == "In the training text, of the 3 distinct 2-grams 100 % occur only once."
    assert growth.endswith("before rare ones become <unk>.")
    assert "test text 85.0 % end a 2-gram that the training text has" in seen
    assert seen.endswith("smoothing is for.")


def test_tables(content: ReportContent) -> None:
    assert text_rows(content, "frequencies") == [
        ["1", "43", "0", "40", "0 %"],
        ["2", "1 000", "900", "80", "90.0 %"],
        ["3", "2 000", "1 980", "0", "99.0 %"],
    ]
    assert text_rows(content, "seen")[2] == [
        *("3", "50.0 % [48.0 %, 52.0 %]", "8 240", "25.0 % [23.0 %, 27.0 %]", "8.00 %")
    ]
    assert text_rows(content, "growth")[0] == [
        *("1", "0.4500", "3", "0.9990", "1 000", "70 000", "3")
    ]


def test_continuations_stand_by_context(top_continuations: pd.DataFrame) -> None:
    (first, view), (second, unseen) = continuation_views(top_continuations)
    assert plain(first) == "after “of <b>”: n = 3, 3 001 times"
    assert [[plain(cell.text) for cell in row] for row in view.rows] == [
        ["<i>", "3 000", "1.00", "0.750"],
        ["春", "1", "0.000333", "0.125"],
    ]
    assert second == "after “zebra”: n = 2, 0 times"
    assert unseen.rows[0][2].text == "–"
    assert continuation_views(None) == []


def test_the_page_shows_a_limited_number_of_contexts(top_continuations: pd.DataFrame) -> None:
    many = pd.concat([top_continuations.assign(context=f"w{i}") for i in range(30)])
    assert len(continuation_views(many)) == 24


@pytest.mark.parametrize("missing", ["counts_of_counts", "vocabulary_growth", "seen_ngrams"])
def test_the_section_stands_without_each_of_its_parts(content: ReportContent, missing: str) -> None:
    page = render_report(replace(content, **{missing: None}))
    assert "What the counts say" in page
    assert page.count("<svg") == 6


def test_tokens_of_the_tables_are_never_markup(content: ReportContent) -> None:
    page = render_report(content)
    assert "after “of &lt;b&gt;”" in page
    assert "<i>" not in page
