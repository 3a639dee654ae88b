"""OpenVINO, loaded without its telemetry. Import it from here."""

import sys

# It reports its import to Intel through this package, if it finds it; it does without as well.
_REPORTS = "openvino_telemetry"
_held = _REPORTS in sys.modules
if not _held:
    sys.modules[_REPORTS] = None  # type: ignore[assignment]  # what makes an import fail
try:
    import openvino
finally:
    if not _held:
        del sys.modules[_REPORTS]

__all__ = ["openvino"]
