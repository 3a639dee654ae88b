"""The one grammar of options: texts, typed values, the options of anything, and registries.

* ``text``: a text ``name:first,key=value,…`` names a thing and its options.
* ``values``: the annotation of an option says what it takes, and nothing repeats it.
* ``ranges``: an annotation gives the range and the unit of numbers.
* ``options``: the fields of a dataclass, or the signature of a class or function, are its options.
* ``arguments``: the fields of a dataclass are the options of a command.
* ``recipes``: a recipe makes the things of one name.
* ``registry``: a registry finds things by name.
"""

from phasezoo.specs.arguments import Argument, Arguments, words_of
from phasezoo.specs.options import (
    Option,
    Options,
    changed,
    changed_among,
    check,
    check_arguments,
    descriptions_of,
    fields_of,
    joined,
    options_in,
    options_of,
    unknown_option,
)
from phasezoo.specs.ranges import (
    Even,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    PositiveUInt16,
    Share,
    UInt32,
    Unit,
)
from phasezoo.specs.recipes import Part, Recipe
from phasezoo.specs.registry import Registry, renamed, renamed_method, warn_renamed
from phasezoo.specs.text import (
    SpecText,
    did_you_mean,
    read_items,
    read_spec,
    split_items,
    write_spec,
)
from phasezoo.specs.values import (
    UNKNOWN,
    Default,
    as_typed,
    check_value,
    read_value,
    values_of,
    write_value,
)

__all__ = [
    "Argument",
    "Arguments",
    "Default",
    "Even",
    "NonNegativeFloat",
    "NonNegativeInt",
    "Option",
    "Options",
    "Part",
    "PositiveFloat",
    "PositiveInt",
    "PositiveUInt16",
    "Recipe",
    "Registry",
    "Share",
    "SpecText",
    "UNKNOWN",
    "UInt32",
    "Unit",
    "as_typed",
    "changed",
    "changed_among",
    "check",
    "check_arguments",
    "check_value",
    "descriptions_of",
    "did_you_mean",
    "fields_of",
    "joined",
    "options_in",
    "options_of",
    "read_items",
    "read_spec",
    "read_value",
    "renamed",
    "renamed_method",
    "split_items",
    "unknown_option",
    "values_of",
    "warn_renamed",
    "words_of",
    "write_spec",
    "write_value",
]
