"""The firmware that these tests emulate collects garbage as `tests/firmware` says."""

from tests.firmware.conftest import _nothing_of_before_is_collected  # noqa: F401
