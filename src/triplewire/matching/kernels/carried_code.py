"""Machine code that another process has compiled, perhaps on another host.

A kernel's own cache is asked first; where that has nothing, each folder that `look_also` knows of is. `pack` fills such
a folder with what this process would find. Code for another processor, version of numba or content of the kernels has
another key or stamp, and is not found.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import caching

Find = Callable[[], Path | None]

# numba's annotations know neither.
_index_file: Any = caching.IndexDataCacheFile
_function_cache: Any = caching.FunctionCache
_results: Any = caching.CompileResultCacheImpl

_kernels: list[CarriedCode] = []
_folders: list[Find] = []


def look_also(find: Find) -> None:
    """Ask for a folder whenever a kernel's own cache has nothing. `find` is called often, and may have none yet."""
    _folders.append(find)


def pack(folder: Path) -> int:
    """Fill a folder with the machine code of every kernel that has been imported; returns how many have some."""
    return sum(kernel.pack(folder) for kernel in _kernels)


class CarriedCode:
    """A kernel's cache on this host, and after it what was carried here. Stands where numba has the first."""

    def __init__(self, own: Any, function: Any, stamp: str) -> None:
        self._own = own
        self._py_func = function
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._stamp = stamp
        _kernels.append(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        found = self._own.load_overload(signature, context)
        return self._carried(signature, context) if found is None else found

    def has_code_for(self, machine: object) -> bool:
        """Whether there is code for a kind of processor, here or carried here."""
        files = [*self._files(), *([self._own._cache_file] if hasattr(self._own, "_cache_file") else [])]
        return any(key[1] == machine for file in files for key in file._load_index())

    def pack(self, folder: Path) -> bool:
        """Copy what this host has."""
        own: Any = getattr(self._own, "_cache_file", None)
        known = {} if own is None else own._load_index()
        for key, name in known.items():
            self._file(folder).save(key, own._load_data(name))
        return bool(known)

    def _carried(self, signature: Any, context: Any) -> Any:
        context.refresh()
        key = _function_cache._index_key(self, signature, context.codegen())
        payloads = (file.load(key) for file in self._files())
        payload = next((payload for payload in payloads if payload is not None), None)
        return None if payload is None else _results.rebuild(None, context, payload)

    def _files(self) -> list[Any]:
        return [self._file(folder) for find in _folders if (folder := find()) is not None]

    def _file(self, folder: Path) -> Any:
        return _index_file(str(folder), self._name, self._stamp)
