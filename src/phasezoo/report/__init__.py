"""Self-contained report pages: escaped HTML, themed plots, one style sheet, nothing fetched."""
