"""``python -m phasezoo`` is the command ``phasezoo``."""

import sys

from phasezoo.apps.cli import main

sys.exit(main())
