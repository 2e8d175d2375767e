# SPDX-License-Identifier: MIT
"""The shared library: where it is, its functions, and what becomes of its complaints."""
import ctypes
import os
import queue
import sysconfig
import threading
import weakref
from contextlib import contextmanager

from . import _declarations as c

SONAME = "libcollider.so.0"


class Problem(Exception):
    """Something went wrong: one sentence, and the place in a text if there is one."""

    def __init__(self, message, file=None, line=None, column=None):
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column

    def __str__(self):
        if self.file and self.line:
            return f"{self.file}:{self.line}:{self.column}: {self.message}"
        return f"{self.file}: {self.message}" if self.file else self.message


class BadInput(Problem, ValueError):
    """What was given is wrong; the exit status of the command would be 2."""


class MachineTrouble(Problem, RuntimeError):
    """The machine failed, such as a full disk or no memory; exit status 3."""


def _candidates():
    named = os.environ.get("COLLIDER_LIBRARY")
    if named:
        return [named]
    here = os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(here, SONAME)]
    if here.endswith("/lib/python3/dist-packages/collider"):  # as cmake --install leaves it
        lib_folder = os.path.abspath(os.path.join(here, "..", "..", ".."))
        beside += [os.path.join(lib_folder, SONAME),
                   os.path.join(lib_folder, sysconfig.get_config_var("MULTIARCH") or "", SONAME)]
    return [name for name in beside if os.path.exists(name)] + [SONAME]


def _open():
    reasons = []
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as reason:
            reasons.append(str(reason))
    raise ImportError(f"cannot load Collider's library ({'; '.join(reasons)}); install libcollider "
                      "or name the file in COLLIDER_LIBRARY")


def _fits(library):
    """Are the declarations those of this library? Before 1.0 any minor version may change them."""
    library.col_version.restype = ctypes.c_char_p
    version = library.col_version().decode()
    is_ = [int(part) for part in version.split(".")]
    made = [int(part) for part in c.VERSION.split(".")]
    if is_[0] != made[0] or is_[1] < made[1] or (made[0] == 0 and is_[1] != made[1]):
        raise ImportError(f"the library is Collider {version}, this package is for {c.VERSION}: "
                          "install both of the same version")
    return version


def _declare(library):
    for name, (result, arguments) in c.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"the library has no function {name}: it is not the Collider that "
                              "this package is for") from None
        function.restype = result
        function.argtypes = arguments


lib = _open()
version = _fits(lib)
_declare(lib)


def words(name):
    """The texts of a table of the library, without its end."""
    kind = c.VARIABLES[name]
    if isinstance(kind(), ctypes.Array):
        return tuple(word.decode() for word in kind.in_dll(lib, name) if word is not None)
    table = ctypes.cast(ctypes.addressof(ctypes.c_char_p.in_dll(lib, name)),
                        ctypes.POINTER(ctypes.c_char_p))
    found = []
    while table[len(found)] is not None:
        found.append(table[len(found)].decode())
    return tuple(found)


# ---- Arguments. ctypes would cut texts at a NUL and wrap numbers round; this refuses both.

def text(value, what):
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {type(value).__name__}")
    if "\0" in value:
        raise BadInput(f"{what} must not contain a NUL character")
    return value.encode("utf-8", "surrogateescape")


def path(value, what="the path"):
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise BadInput(f"{what} must not contain a NUL character")
    return encoded


def number(value, what, bits=32, least=0):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} must be a whole number, not {type(value).__name__}")
    value = value.__index__()
    if not least <= value < 1 << bits:
        raise BadInput(f"{what} must be from {least} to 2^{bits} - 1, not {value}")
    return value


def seconds(value, what):
    value = float(value)
    if not 0 <= value <= 1e9:
        raise BadInput(f"{what} must be from 0 to 1e9 seconds, not {value}")
    return value


def choice(value, known, what):
    if value not in known:
        raise BadInput(f"{what} is one of {', '.join(known)}, not {value!r}")
    return known.index(value)


def decoded(value):
    """A text of the library, which may quote bytes of a file."""
    return None if value is None else value.decode("utf-8", "replace")


# ---- Calls.

def problem_of(status, problem):
    kind = BadInput if status == c.COL_BAD_INPUT else MachineTrouble
    message = decoded(problem.message) or "the library gave no reason"
    if problem.file:
        return kind(message, decoded(problem.file), problem.line or None, problem.column or None)
    return kind(message)


def call(function, *arguments):
    """A function that takes a problem last and returns a status."""
    problem = c.col_problem()
    status = function(*arguments, ctypes.byref(problem))
    if status != c.COL_OK:
        raise problem_of(status, problem)


def handed_over(function, *arguments):
    """A text that the function hands over."""
    given = ctypes.POINTER(ctypes.c_char)()
    length = ctypes.c_size_t()
    call(function, *arguments, ctypes.byref(given), ctypes.byref(length))
    try:
        return decoded(ctypes.string_at(given, length.value))
    finally:
        lib.col_text_free(given)


class Job:
    """A long call, in a thread of its own, so that Ctrl-C reaches whoever waits for it: what is raised
    while it runs sets the stop flag, and goes on when the call has returned."""

    def __init__(self):
        self.stop = ctypes.c_int(0)
        self._told = queue.Queue()
        self._heard = threading.Event()
        self.is_done = True  # until it runs

    def tell(self, what):
        """From within the call: has it dealt with by the thread that waits, and waits for that."""
        if not self.stop.value:
            self._heard.clear()
            self._told.put((what,))
            self._heard.wait()

    def run(self, work, listen=None):
        """What `work` returns. `listen` is called with what is told. Ctrl-C at the worst moment, or
        again and again, may leave before the call has ended: then `is_done` is false, and what the
        call uses must not be freed."""
        results = []

        def call_it():
            try:
                results.append((work(), None))
            except BaseException as reason:  # noqa: B902: raised below
                results.append((None, reason))
            self.is_done = True
            self._told.put(None)
        worker = threading.Thread(target=call_it, name="collider")
        raised = None
        self.is_done = False
        worker.start()
        while not self.is_done or not self._told.empty():
            try:
                told = self._told.get()
                if told is not None and raised is None and listen is not None:
                    listen(told[0])
                self._heard.set()
            except BaseException as reason:  # noqa: B902: raised below
                self.stop.value = 1
                self._heard.set()
                raised = raised or reason
        worker.join()
        result, inner = results[0]
        if raised is not None or inner is not None:
            raise raised or inner
        return result


class Handle:
    """Something in the library's memory. It is freed once: by close(), at the end of a with block,
    or with the last reference. Calls from several threads take turns."""

    _what = "object"

    def __init__(self, pointer, free):
        self._pointer = pointer
        self._lock = threading.RLock()
        self._free = weakref.finalize(self, free, pointer)

    @contextmanager
    def _use(self):
        with self._lock:
            if self._pointer is None:
                raise ValueError(f"the {self._what} is closed")
            yield self._pointer

    def close(self):
        """Frees its memory now. Closing twice does no harm; using it afterwards is a ValueError."""
        with self._lock:
            self._pointer = None
            self._free()

    @property
    def closed(self):
        return self._pointer is None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __copy__(self):
        raise TypeError(f"a {self._what} cannot be copied")

    def __deepcopy__(self, memo):
        raise TypeError(f"a {self._what} cannot be copied")

    def __reduce__(self):
        raise TypeError(f"a {self._what} cannot be pickled")
