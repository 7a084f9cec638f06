"""Seals what memory keeps: XChaCha20-Poly1305 of libsodium, through PyNaCl.

Every value has a random nonce of 24 bytes in front. Row and column are associated data, so a sealed value
that is moved to another row does not open.
"""

from __future__ import annotations

import os

KEY_BYTES = 32
NONCE_BYTES = 24
OVERHEAD_BYTES = NONCE_BYTES + 16
"""By which a sealed value is longer."""


class SealBroken(Exception):
    """The value was changed or moved, or sealed with another key."""


class Seal:
    """Seals and opens with one key of `KEY_BYTES`."""

    def __init__(self, key: bytes) -> None:
        from nacl import bindings, exceptions  # native: only where a store is opened

        if len(key) != KEY_BYTES:
            raise ValueError(f"the key has {len(key)} bytes, not {KEY_BYTES}")
        self._key = key
        self._encrypt = bindings.crypto_aead_xchacha20poly1305_ietf_encrypt
        self._decrypt = bindings.crypto_aead_xchacha20poly1305_ietf_decrypt
        self._broken = exceptions.CryptoError

    def seal(self, plain: bytes, column: str, row: int) -> bytes:
        """The sealed value for that place."""
        nonce = os.urandom(NONCE_BYTES)
        sealed: bytes = self._encrypt(plain, _place(column, row), nonce, self._key)
        return nonce + sealed

    def open(self, sealed: object, column: str, row: int) -> bytes:
        """The value. Raises `SealBroken`."""
        if not isinstance(sealed, bytes):
            raise SealBroken("a damaged row has another type of value there")
        if len(sealed) < OVERHEAD_BYTES:
            raise SealBroken("it is too short")
        try:
            plain: bytes = self._decrypt(
                sealed[NONCE_BYTES:], _place(column, row), sealed[:NONCE_BYTES], self._key
            )
        except self._broken as error:
            raise SealBroken("it does not open with this key at this place") from error
        return plain


def _place(column: str, row: int) -> bytes:
    return f"headband memory 1 {column} {row}".encode()
