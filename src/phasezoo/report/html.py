"""Reports from templates: one HTML page that needs nothing from outside.

Templates are beside the study that they are of and extend ``base.html.j2`` here; what is put into
them is escaped unless it is :class:`markupsafe.Markup`. Every function of
:mod:`phasezoo.report.numbers` is a filter.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from phasezoo.report import numbers
from phasezoo.runs import Provenance

__all__ = ["render"]

_HERE = "phasezoo.report"


def render(
    package: str,
    results: Any,
    headline: str,
    *,
    filters: Mapping[str, Callable[..., Any]] | None = None,
    more_versions: Iterable[tuple[str, str]] = (),
    settings: Sequence[tuple[str, Any]] | None = None,
    **values: Any,
) -> str:
    """Return the report of a study.

    Args:
        package: The study's package, which has a ``templates/report.html.j2``.
        results: Everything a run found; ``r`` in the template.
        headline: The main result as one line.
        filters: Filters of the study's own.
        more_versions: Further rows of the table of versions.
        settings: The table of settings; None: the fields of ``results.config``.
        values: What else the template shows.
    """
    loaders = [PackageLoader(package), PackageLoader(_HERE)]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {name: getattr(numbers, name) for name in numbers.__all__[1:]}
    environment.filters |= {"unbroken": _unbroken, "general": "{:g}".format, **(filters or {})}
    style = resources.files(_HERE).joinpath("style.css").read_text(encoding="utf-8")
    if settings is None:
        fields: Any = dataclasses.fields(results.config)
        settings = [(f.name, getattr(results.config, f.name)) for f in fields]
    return environment.get_template("report.html.j2").render(
        r=results,
        headline=headline,
        style=Markup(style),
        settings=settings,
        environment=[*_surroundings(results.provenance), *more_versions],
        **values,
    )


def _unbroken(text: str) -> Markup:
    """Keep a number and its percent sign on one line."""
    return Markup(escape(text).replace(" %", "\N{NO-BREAK SPACE}%"))


def _surroundings(run: Provenance) -> list[tuple[str, str]]:
    """Versions and machine."""
    memory = numbers.ABSENT if run.memory_gib is None else f"{run.memory_gib:.0f} GiB"
    return [
        ("Python", run.python),
        *((name, version or "not installed") for name, version in run.packages.items()),
        ("revision", run.revision or "not a source checkout"),
        ("system", run.system),
        ("processor", f"{run.processor}, {run.cores} cores usable, {run.threads} threads used"),
        ("memory", memory),
        ("devices", ", ".join(run.devices) or "CPU only"),
    ]
