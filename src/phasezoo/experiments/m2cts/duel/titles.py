"""The sections of the report: their anchors and headings, in order."""

__all__ = ["TITLES"]

TITLES = {
    "asked": "What was asked",
    "done": "What was done",
    "losses": "What came out: losses",
    "match": "What came out: games",
    "sure": "How sure is it",
    "paper": "Beside the paper",
    "terms": "Terms and limits",
    "again": "Doing it again",
}
