"""How a kernel is compiled, and the few machine instructions that Python has no word for.

A kernel is cached on disk after its first call. numba looks only at the file of the outermost function to tell whether
the cache is still good, yet a kernel holds the machine code of what it calls in other files too. So the stamp of a
cached kernel here covers the content of every file of this folder, besides its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba
import numba.extending
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import caching, cgutils
from numpy.typing import NDArray

from triplewire.matching.kernels.carried_code import CarriedCode

Bytes = NDArray[np.uint8]
Table = NDArray[np.int64]
Floats = NDArray[np.float64]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_MASK = (1 << 64) - 1

# numba's annotations know neither all options nor the settings.
_njit: Any = numba.njit
_intrinsic: Any = numba.extending.intrinsic
_index_file: Any = caching.IndexDataCacheFile
_memcpy: Any = cgutils.raw_memcpy
_unliteral: Any = types.unliteral
JIT: bool = not getattr(numba.config, "DISABLE_JIT", False)


def kernel(function: _Function) -> _Function:
    """Compile on first call, keep the machine code on disk, run without the interpreter's lock."""
    return _cached(function, {"nogil": True, "error_model": "numpy"})


def lean(function: _Function) -> _Function:
    """A kernel that allocates nothing, and so need not count references: an atomic operation an array and call."""
    return _cached(function, {"nogil": True, "error_model": "numpy", "_nrt": False})


def inner(function: _Function) -> _Function:
    """Compile for use inside kernels only: never called from Python, so nothing is built or cached for that."""
    return _inside({}, function)


def fused(function: _Function) -> _Function:
    """Compile into every lean kernel that calls it: bundles of arrays go by value, and would at every call."""
    return _inside({"forceinline": True, "_nrt": False}, function)


def _inside(options: dict[str, Any], function: _Function) -> _Function:
    dispatcher = _njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(
        function
    )
    if JIT:
        _widen(dispatcher)
    compiled: _Function = dispatcher
    return compiled


def _widen(dispatcher: Any) -> None:
    """Hand every whole number over as an int64.

    numba compiles a function anew, and all that it calls, for each constant and each width that it is called with: a
    loop that starts at 0 doubles everything in it. LLVM still sees the constants of what it inlines.
    """
    resolve = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: resolve(
        tuple(map(_wide, args)), {name: _wide(kind) for name, kind in kws.items()}
    )


def _wide(kind: Any) -> Any:
    plain = _unliteral(kind)
    return types.int64 if plain in (types.int8, types.int16, types.int32) else plain


def _cached(function: _Function, options: dict[str, Any]) -> _Function:
    try:
        dispatcher = _njit(cache=True, **options)(function)
    except RuntimeError:
        # There is no folder that may be written: each process compiles for itself, unless code was carried here.
        dispatcher = _njit(**options)(function)
    if JIT:
        stamp = _stamp(function.__code__.co_filename)
        if keeps(dispatcher):
            dispatcher._cache._cache_file = _cache_file(dispatcher._cache, stamp)
        dispatcher._cache = CarriedCode(dispatcher._cache, function, stamp)
    compiled: _Function = dispatcher
    return compiled


def _cache_file(cache_of_kernel: Any, stamp: str) -> Any:
    """Files of their own for every version: processes that compile at the same time never mix two of them up."""
    base = cache_of_kernel._cache_file._index_name.removesuffix(".nbi")
    return _index_file(cache_of_kernel._cache_path, f"{base}.{stamp[:12]}", stamp)


def is_kept(compiled: Any) -> bool:
    """Whether a kernel need not be compiled any more: its machine code is on disk, or there is no need of any."""
    if not JIT:
        return True
    # What was compiled for another kind of processor is of no use here.
    cache: CarriedCode = compiled._cache
    return cache.has_code_for(compiled.targetctx.codegen().magic_tuple())


def keeps(compiled: Any) -> bool:
    """Whether there is a folder in which a kernel's machine code is kept."""
    return hasattr(compiled._cache, "_cache_file")


def stamp_of_kernels() -> str:
    """What the kernels are: another text, or another numba, has another stamp."""
    return f"{_stamp(__file__)[:12]}-{numba.__version__}"


@cache
def _stamp(own: str) -> str:
    """By content: the time of a file changes when it is copied or checked out, and then nothing has to be compiled."""
    files = sorted({*Path(__file__).parent.rglob("*.py"), Path(own)})
    digest = sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _element(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


def _byte_at(typing: Any, buffer: Any, index: Any) -> Any:
    """The byte at a place that is known to be inside: no test for negative indices."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = builder.load(_element(context, builder, signature, arguments))
        return builder.zext(byte, ir.IntType(64))

    return types.int64(buffer, types.intp), emit


def _word_at(typing: Any, buffer: Any, index: Any) -> Any:
    """Eight bytes from any address, as one little-endian word."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _element(context, builder, signature, arguments)
        load = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()))
        load.align = 1
        return load

    return types.int64(buffer, types.intp), emit


def _double_at(typing: Any, words: Any, index: Any) -> Any:
    """The float64 whose halves are two 32-bit words side by side."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _element(context, builder, signature, arguments)
        load = builder.load(builder.bitcast(place, ir.DoubleType().as_pointer()))
        load.align = 4
        return load

    return types.float64(words, types.intp), emit


def _copy_bytes(typing: Any, source: Any, start: Any, target: Any, place: Any, count: Any) -> Any:
    """Copy `count` bytes to a place that is known to have room, in another array."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = [context.make_array(signature.args[n])(context, builder, arguments[n]).data for n in (0, 2)]
        here, there = builder.gep(data[0], [arguments[1]]), builder.gep(data[1], [arguments[3]])
        _memcpy(builder, there, here, arguments[4], 1)
        return context.get_dummy_value()

    return types.none(source, types.intp, target, types.intp, types.intp), emit


def _fold(typing: Any, a: Any, b: Any) -> Any:
    """The 128-bit product of two words, its upper half folded onto the lower."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide, narrow = ir.IntType(128), ir.IntType(64)
        left, right = (builder.zext(argument, wide) for argument in arguments)
        product = builder.mul(left, right)
        upper = builder.lshr(product, ir.Constant(wide, 64))
        return builder.xor(builder.trunc(product, narrow), builder.trunc(upper, narrow))

    return types.int64(types.int64, types.int64), emit


def _plain_byte_at(buffer: Bytes, index: int) -> int:
    return int(buffer[index])


def _plain_word_at(buffer: Bytes, index: int) -> int:
    return int.from_bytes(buffer[index : index + 8].tobytes(), "little", signed=True)


def _plain_double_at(words: NDArray[np.int32], index: int) -> float:
    return float(words[index : index + 2].view(np.float64)[0])


def _plain_copy_bytes(source: Bytes, start: int, target: Bytes, place: int, count: int) -> None:
    target[place : place + count] = source[start : start + count]


def _plain_fold(a: int, b: int) -> int:
    product = (int(a) & _MASK) * (int(b) & _MASK)
    folded = (product ^ (product >> 64)) & _MASK
    return folded - (1 << 64) if folded >> 63 else folded


byte_at: Callable[[Bytes, int], int] = _intrinsic(_byte_at) if JIT else _plain_byte_at
word_at: Callable[[Bytes, int], int] = _intrinsic(_word_at) if JIT else _plain_word_at
copy_bytes: Callable[[Bytes, int, Bytes, int, int], None] = _intrinsic(_copy_bytes) if JIT else _plain_copy_bytes
fold: Callable[[int, int], int] = _intrinsic(_fold) if JIT else _plain_fold
double_at: Callable[[NDArray[np.int32], int], float] = _intrinsic(_double_at) if JIT else _plain_double_at
