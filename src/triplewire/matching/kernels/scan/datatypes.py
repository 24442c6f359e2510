"""Which XSD type a datatype's IRI names, as a small number."""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels.hashing import same_bytes
from triplewire.matching.kernels.machine import Bytes, inner, kernel

XSD_IRI = b"http://www.w3.org/2001/XMLSchema#"
RDF_IRI = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"

# Code = place in this tuple plus one; 0 is every other datatype. The frequent ones come first.
DATATYPE_NAMES = (
    b"integer",
    b"decimal",
    b"double",
    b"float",
    b"dateTime",
    b"date",
    b"boolean",
    b"int",
    b"long",
    b"short",
    b"byte",
    b"nonNegativeInteger",
    b"positiveInteger",
    b"nonPositiveInteger",
    b"negativeInteger",
    b"unsignedLong",
    b"unsignedInt",
    b"unsignedShort",
    b"unsignedByte",
    b"time",
)
OTHER_DATATYPE = 0
INTEGER, DECIMAL, DOUBLE, FLOAT, DATE_TIME, DATE, BOOLEAN = range(1, 8)
FIRST_DERIVED_INTEGER, LAST_DERIVED_INTEGER = 8, 19
RESERVED = -1  # xsd:string and what RDF itself names: literals whose canonical spelling may be another

_XSD = np.frombuffer(XSD_IRI, np.uint8)
_RDF = np.frombuffer(RDF_IRI, np.uint8)
_STRING = np.frombuffer(b"string", np.uint8)
_NAMES = np.frombuffer(b"".join(DATATYPE_NAMES), np.uint8)
_NAME_ENDS = np.cumsum([len(name) for name in DATATYPE_NAMES])
_NAME_STARTS = _NAME_ENDS - np.array([len(name) for name in DATATYPE_NAMES])


@inner
def _begins(buffer: Bytes, start: int, end: int, prefix: Bytes) -> bool:
    return end - start >= len(prefix) and same_bytes(buffer, start, prefix, 0, len(prefix))


@kernel
def datatype_code(buffer: Bytes, start: int, end: int) -> int:
    """The code of the datatype whose IRI, without angle brackets, is this span."""
    if not _begins(buffer, start, end, _XSD):
        return RESERVED if _begins(buffer, start, end, _RDF) else OTHER_DATATYPE
    name = start + len(_XSD)
    for code in range(len(_NAME_ENDS)):
        length = _NAME_ENDS[code] - _NAME_STARTS[code]
        if length == end - name and same_bytes(buffer, name, _NAMES, _NAME_STARTS[code], length):
            return code + 1
    return RESERVED if _begins(buffer, name, end, _STRING) else OTHER_DATATYPE


@inner
def is_integer_type(code: int) -> bool:
    """Whether a datatype is xsd:integer or derived from it."""
    return code == INTEGER or FIRST_DERIVED_INTEGER <= code <= LAST_DERIVED_INTEGER
