"""The file of the memory: one SQLite database, which is the authority; everything else is made anew from it.

It is made as a whole or not at all. A committed transaction survives a cut of the power: WAL, with every
commit synced. What is deleted is overwritten (`secure_delete`) and leaves the log at once (`wiped`).
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from host.memory.files import files, real
from host.memory.values import BUSY, Damaged, MemoryProblem, NoRoom, NotHere
from models.atomic_file import PRIVATE, write_whole

APPLICATION = 0x48_42_4D_31
"""`PRAGMA application_id` of a memory: "HBM1"."""
VERSION = 3
"""`PRAGMA user_version` of the tables below; form 1 has no activations, form 2 no things."""
BUSY_S = 10.0
"""Longest wait for another process that uses the file."""
_PAUSE_S = 0.02
_ACTIVATIONS = """
CREATE TABLE activations(
    view INTEGER PRIMARY KEY REFERENCES views ON DELETE CASCADE, data BLOB NOT NULL);
"""
_THINGS = """
CREATE TABLE things(
    view INTEGER PRIMARY KEY REFERENCES views ON DELETE CASCADE, data BLOB NOT NULL);
"""
_SINCE = {1: _ACTIVATIONS + _THINGS, 2: _THINGS}
"""What a database of each older form lacks."""
TABLES = f"""
CREATE TABLE about(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE boots(
    number INTEGER PRIMARY KEY AUTOINCREMENT, boot TEXT NOT NULL UNIQUE,
    first_s REAL NOT NULL, last_s REAL NOT NULL, offset_s REAL NOT NULL);
CREATE TABLE views(
    number INTEGER PRIMARY KEY AUTOINCREMENT, boot INTEGER NOT NULL REFERENCES boots,
    monotonic_s REAL NOT NULL, wall_s REAL NOT NULL,
    reason TEXT NOT NULL, depth INTEGER NOT NULL, encoder TEXT NOT NULL,
    kept INTEGER NOT NULL, bytes INTEGER NOT NULL, vector BLOB, name BLOB);
CREATE INDEX views_by_time ON views(boot, monotonic_s);
CREATE TABLE pictures(
    view INTEGER PRIMARY KEY REFERENCES views ON DELETE CASCADE, jpeg BLOB NOT NULL);
{_ACTIVATIONS}{_THINGS}"""
MOST_S = 1e11
"""No view is of a later second since 1970, nor of an earlier one before."""
_SETTINGS = """
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA synchronous = FULL;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -2048;
PRAGMA trusted_schema = OFF;
"""
FULL = "The disk is full, so nothing more is remembered."
_UNSHARED = ("SQLITE_CANTOPEN", "SQLITE_IOERR_SHMSIZE", "SQLITE_READONLY_DIRECTORY")
"""Errors of a disk that is full, or of a disk or a folder that can't be written, where SQLite makes the file
that its processes share.
"""
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def connected(path: Path, *, create: bool = True, alone: bool = False) -> sqlite3.Connection:
    """The database, with its tables; made with permissions for its owner alone. alone: where the disk has no
    room for the file by which SQLite's processes know of each other, no other one may use the memory
    meanwhile, and on a disk or in a folder that can't be written it is read only. Raises `MemoryProblem`.
    """
    try:
        if not files(path):
            if not create:
                raise NotHere("Nothing is remembered yet.")
            write_whole(real(path), _new(), PRIVATE)
        elif not path.exists() or not path.stat().st_size:  # SQLite would delete the log and begin anew
            raise Damaged(unreadable(path, "it is empty" if path.exists() else "only its log is there"))
        with failing(path, opening=True):
            try:
                return _opened(path)
            except sqlite3.OperationalError as error:
                if not alone or _name(error) not in _UNSHARED:
                    raise
            return _opened(path, alone=True)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise NoRoom(FULL) from error
        raise MemoryProblem(f"The memory {path} can't be opened: {_cause(error)}.") from error


def _opened(path: Path, *, alone: bool = False) -> sqlite3.Connection:
    log = Path(f"{real(path)}-wal")
    logged = log.exists() and log.stat().st_size > 0
    fixed = alone and not logged and not _takes_files(path)
    name = f"{path.resolve().as_uri()}?mode=ro&immutable=1" if fixed else str(path)
    database = sqlite3.connect(name, timeout=BUSY_S, isolation_level=None, check_same_thread=False, uri=fixed)
    database.text_factory = _text
    try:
        if alone:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
        _prepared(database, path, fixed)
    except BaseException:
        database.close()
        raise
    return database


def _takes_files(path: Path) -> bool:
    """Whether files can be made beside the database."""
    return not os.statvfs(path).f_flag & os.ST_RDONLY and os.access(real(path).parent, os.W_OK)


def _prepared(database: sqlite3.Connection, path: Path, fixed: bool) -> None:
    """Checks whose it is, and brings it up. fixed: it can't be written."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if (application, version, tables) != (0, 0, 0):
        if application != APPLICATION:
            raise MemoryProblem(f"{path} is a database of another program.")
        if not 1 <= version <= VERSION:
            raise MemoryProblem(
                f"The memory {path} has form {version} and this program knows {VERSION}: update the program."
            )
    database.executescript(_SETTINGS)
    if fixed:
        if tables and version < VERSION:  # what it lacks is empty
            _make(database, _SINCE[version].replace("CREATE TABLE", "CREATE TEMP TABLE"))
        return
    (mode,) = database.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise MemoryProblem(f"The disk of {path} can't hold a database that survives a cut of the power.")
    if not tables:  # version 0.2.0 left one so where the power was cut while it made it
        _fill(database)
    elif version < VERSION:
        _brought_up(database)


def _new() -> bytes:
    """A database without views. It comes onto the disk as a whole, so that an empty file is one that lost
    what it had.
    """
    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        _fill(database)
        return database.serialize()
    finally:
        database.close()


def _fill(database: sqlite3.Connection) -> None:
    with transaction(database):
        _make(database, TABLES)
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {VERSION}")


def _brought_up(database: sqlite3.Connection) -> None:
    """Makes a database of an older form one of this form; all or nothing, and once although two processes
    try.
    """
    with transaction(database):
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version < VERSION:
            _make(database, _SINCE[version])
            database.execute(f"PRAGMA user_version = {VERSION}")


def _make(database: sqlite3.Connection, tables: str) -> None:
    for statement in filter(str.strip, tables.split(";")):
        database.execute(statement)


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; synced to the disk when the block ends."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def used_bytes(database: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    (pages,), (free,), (page_bytes,) = (
        database.execute(f"PRAGMA {name}").fetchone()
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * page_bytes)


def left_bytes(database: sqlite3.Connection, path: Path) -> int:
    """Bytes that the disk has left, and the file has free. Raises `OSError`."""
    disk = os.statvfs(real(path))
    (free,), (page_bytes,) = (
        database.execute(f"PRAGMA {name}").fetchone() for name in ("freelist_count", "page_size")
    )
    return int(disk.f_bavail * disk.f_frsize + free * page_bytes)


def wiped(database: sqlite3.Connection) -> bool:
    """Brings what was deleted out of the log as well; False while another process reads. SQLite waits for one
    that reads, and not for one that brings something out of the log itself.
    """
    until_s = time.monotonic() + BUSY_S
    while True:
        (busy, _, _) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy or time.monotonic() >= until_s:
            return not busy
        time.sleep(_PAUSE_S)


def compacted(database: sqlite3.Connection, folder: Path) -> None:
    """Makes the file as small as what it holds. SQLite copies that on the way: into a file without a name in
    its folder, as it may be more than the computer has memory for.
    """
    quoted = str(folder.resolve()).replace("'", "''")
    database.execute(f"PRAGMA temp_store_directory = '{quoted}'")
    database.execute("PRAGMA temp_store = FILE")
    try:
        database.execute("VACUUM")
    finally:
        database.execute("PRAGMA temp_store = MEMORY")
    wiped(database)


@contextmanager
def failing(path: Path, *, opening: bool = False) -> Iterator[None]:
    """Turns SQLite's errors into one sentence. opening: what can't be opened can't be exported either."""
    try:
        yield
    except OSError as error:
        raise MemoryProblem(f"The memory {path} can't be used: {_cause(error)}.") from error
    except UnicodeDecodeError as error:  # SQLite quotes the damaged names of its tables, which Python decodes
        raise Damaged(unreadable(path, "the names of its tables make no sense")) from error
    except sqlite3.Error as error:
        if is_damage(error):
            if opening:
                raise Damaged(unreadable(path, _cause(error))) from error
            raise Damaged(
                f"The memory {path} is damaged ({_cause(error)}): `headband memory export DIR` saves what "
                "can be read, and `headband memory forget --all` begins anew."
            ) from error
        if "locked" in str(error):
            raise MemoryProblem(BUSY) from error
        if "full" in str(error) or _name(error) == "SQLITE_IOERR_SHMSIZE":
            raise NoRoom(FULL) from error
        if "readonly" in str(error) or "read-only" in str(error):
            raise NoRoom("The disk can't be written, so nothing more is remembered.") from error
        raise MemoryProblem(f"The memory {path} can't be used: {_cause(error)}.") from error


@contextmanager
def forgetting() -> Iterator[None]:
    """Says of a disk without room that nothing was forgotten: who asked for that has to know."""
    try:
        yield
    except NoRoom as problem:
        raise NoRoom(f"It could not be forgotten: that has to be written first. {problem}") from None


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite says that what it read is no part of a database."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def senseless(view: int) -> sqlite3.DatabaseError:
    """The error for a row that can't have been written so: SQLite keeps no checksums, so that it gives what a
    disk has changed within a page.
    """
    error = sqlite3.DatabaseError(f"the row of view {view} makes no sense")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def unreadable(path: Path, cause: str) -> str:
    """The sentence about a memory of which nothing can be read."""
    return (
        f"The memory {path} is damaged ({cause}), and nothing of it can be read: put it back from a copy, or "
        "begin anew with `headband memory forget --all`."
    )


def _name(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", "")


def _text(stored: bytes) -> str:
    """What a damaged text still says."""
    return stored.decode(errors="replace")


def _cause(error: Exception) -> str:
    return str(error.strerror if isinstance(error, OSError) else error).rstrip(".")
