import re
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest

from memoryspan.reporting.content import ReportContent
from memoryspan.reporting.figure_style import svg_text
from memoryspan.reporting.figures import context_figure, gradient_figure, perplexity_figure
from memoryspan.reporting.report import render_report

VOID = {"meta", "img", "br", "link", "input", "hr", "image"}


class Page(HTMLParser):
    """Tags, attributes and the text of each section."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def html(content: ReportContent) -> str:
    return render_report(content)


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def sections(page: Page) -> list[str]:
    return [str(attrs["id"]) for tag, attrs in page.tags if tag == "section" and "id" in attrs]


def test_the_page_is_well_formed_and_complete(page: Page) -> None:
    assert page.open == []
    assert sections(page) == [
        *("corpus", "ngrams", "counts", "perplexity", "learning", "context", "gradient"),
        *("samples", "configuration", "reproduce"),
    ]
    ids = [attrs["id"] for _, attrs in page.tags if attrs.get("id")]
    assert len(ids) == len(set(ids))
    assert sum(tag == "svg" for tag, _ in page.tags) == 7


def test_models_numbers_and_verdicts_are_there(page: Page) -> None:
    words = " ".join(page.text.replace("\u202f", " ").split())
    for expected in (
        *("Uniform", "Max. likelihood 2-gram", "Kneser–Ney 3-gram", "LSTM", "GRU"),
        "91 345 words in 11 documents",
        "All models predict the same 54 321 tokens",
        "0.900 [0.880, 0.920]",
        "on the first 1 234 tokens of the test split",
        "The 95 % interval comes from drawing the 6 documents",
        "divided by that of the Kneser–Ney 3-gram model",
        "(Kneser–Ney 3-gram: k = 2)",
        "lstm has a lower test perplexity",
        "ended after 0 tokens",
        "model.hidden_size",
        "0123abc",
    ):
        assert expected in words
    names = {attrs.get("title") for _, attrs in page.tags}
    assert {"uniform", "maximum_likelihood_2", "kneser_ney_3", "lstm", "gru"} <= names


def test_learning_table_names_the_best_validation_perplexity(page: Page) -> None:
    row = page.text[page.text.index("best validation perplexity") :]
    assert re.search(r"LSTM\s+4\u202f000\s+4\S*\s+148.4\s+250.0\s+2\u202f000", row)


def test_text_of_a_corpus_is_never_markup(page: Page) -> None:
    assert not {"script", "img", "object", "iframe"} & {tag for tag, _ in page.tags}
    for text in ("<script>alert('document')</script>", "<script> x", "To <script>be</script> …"):
        assert text in page.text
    assert "</p><img src=x>" in page.text
    assert "春天" in page.text


def test_nothing_is_loaded_from_anywhere(html: str, page: Page) -> None:
    assert not {"link", "base"} & {tag for tag, _ in page.tags}
    for tag, attrs in page.tags:
        for name, value in attrs.items():
            if name in {"href", "src", "srcset", "xlink:href", "data", "action", "poster"}:
                assert str(value).startswith("#"), (tag, name, value)
    css = re.sub(r'xmlns(:\w+)?="[^"]*"', "", html)
    assert "http://" not in css
    assert "https://" not in css
    assert "@import" not in css
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", css))


def test_the_same_content_gives_the_same_bytes(content: ReportContent, html: str) -> None:
    assert content.perplexity is not None
    again = replace(content, perplexity_svg=svg_text(perplexity_figure(content.perplexity)))
    assert render_report(again) == html
    assert len(html.encode()) < 2_000_000


def test_sections_without_content_are_left_out(content: ReportContent) -> None:
    assert sections(Page(render_report(ReportContent(title="Nothing yet")))) == ["reproduce"]
    assert content.gradient_curve is not None
    only_ngrams = replace(
        content,
        histories={},
        gradient_curve=content.gradient_curve.head(0),
        gradient_summary=None,
        samples=pd.DataFrame(),
    )
    page = Page(render_report(only_ngrams))
    assert sections(page) == [
        *("corpus", "ngrams", "counts", "perplexity", "context", "configuration", "reproduce")
    ]
    links = [str(attrs["href"])[1:] for tag, attrs in page.tags if tag == "a"]
    assert links == sections(page)


def test_different_tokens_are_pointed_out(content: ReportContent) -> None:
    assert content.perplexity is not None
    mixed = content.perplexity.assign(test_tokens=[1, 2, 3, 4])
    text = render_report(replace(content, perplexity=mixed))
    assert "must not be compared" in text
    assert "All models predict" not in text


def test_importing_the_report_is_light() -> None:
    code = "import sys, memoryspan.reporting.report; print({'matplotlib', 'pandas', 'torch'}"
    found = subprocess.run(
        [sys.executable, "-c", code + " & set(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "set()"


def test_drawing_and_rendering_are_fast(content: ReportContent) -> None:
    assert content.perplexity is not None
    assert content.context_curve is not None
    assert content.gradient_curve is not None
    start = time.process_time()
    svg_text(perplexity_figure(content.perplexity))
    svg_text(context_figure(content.context_curve, content.effective_context))
    svg_text(gradient_figure(content.gradient_curve))
    render_report(content)
    assert time.process_time() - start < 3
