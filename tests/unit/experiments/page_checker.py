"""Checks of every study's run, and of its page: well-formed, self-contained, no stray values."""

import re
from html.parser import HTMLParser

from phasezoo import experiments

VOID = {"meta", "br", "link", "img"}
CELLS = {"td", "th"}


class Checker(HTMLParser):
    """Complains about elements that are not closed in order and about repeated identifiers."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.text = [], [], [], []
        self.images, self.titled = 0, 0

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            self.ids.append(found["id"])
        for name in ("href", "src"):
            if name in found:
                self.links.append(found[name])
        if tag == "svg":
            self.images += 1
            assert found["role"] == "img"
            assert "viewbox" in found
        if tag == "title" and "svg" in self.open:
            self.titled += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes something else"
        if tag in CELLS:
            self.text.append(" ")

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)


def check_page(text):
    """Check a report and return its words and the number of its drawings."""
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.open == []
    assert len(checker.ids) == len(set(checker.ids)), "an identifier is used twice"
    for link in checker.links:
        assert link.startswith("#"), f"{link} leads out of the page"
        assert link[1:] in checker.ids
    for reference in re.findall(r"url\((.*?)\)", text):
        assert reference.startswith("#")
        assert reference[1:] in checker.ids
    assert "http" not in text
    assert "<script" not in text
    assert checker.images == checker.titled
    return check_words("".join(checker.text)), checker.images


def check_words(text):
    """Check that a report's text shows no stray values, and return it on one line."""
    words = re.sub(r"\s+", " ", text)
    for bad in ("nan", "None", "inf", "Interval(", "{", "}", "  "):
        assert not re.search(rf"(?<![\w-]){re.escape(bad)}(?!\w)", words), bad
    return words


def check_run(study, out, results, *, journals=False):
    """Check what a run that has ended left, and return its report and the words of its page.

    The run reads back as what it found. Going on with it does no stage again; a study that
    ``journals`` what it finds done writes of it.
    """
    for name in ("config.json", "journal.jsonl", "results.json", "report.html"):
        assert (out / name).stat().st_size > 0, name
    assert not list(out.rglob("*.partial"))
    document = experiments.open(out)
    assert document.to_markdown() == study.report(results).to_markdown()
    words, images = check_page((out / "report.html").read_text())
    assert images == len(document.figures)
    assert document.headline in words
    for claim in document.claims:
        assert claim.text in words
        assert claim.rule in words
        assert claim.judgement in words
    journal = (out / "journal.jsonl").read_bytes()
    again = study.resume(out)
    assert journals or (out / "journal.jsonl").read_bytes() == journal
    assert study.report(again).claims == document.claims
    return document, words
