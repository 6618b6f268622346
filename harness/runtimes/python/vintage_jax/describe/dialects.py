"""Which operations, types, attributes and cases of enumerations the dialects of this JAX know
(docs/howto/following_stablehlo.md).

Its library holds the names as literals, among other texts: each is asked of the dialect, whose
answer counts. The bindings hold an operation's operands and attributes. VHLO has no bindings; an
operation of it with other operands has a new name."""

import mmap
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DIALECTS = ("stablehlo", "chlo", "sdy", "vhlo")
# A literal ends with a zero byte.
_LITERALS = [re.compile(rb"(%s\.[\w-]+)\0" % dialect.encode()) for dialect in DIALECTS]
# Parts of an operation that stand among its attributes; a flag is only looked for.
_ATTRIBUTE = re.compile(r'\battributes\["(\w+)"\]|"(\w+)" in self\.(?:operation\.)?attributes\b')
_CASES = re.compile(r"to be one of: ([\w, ]+)")


def dialects() -> dict[str, Any]:
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    names = sorted(set(_literals()))
    with mlir.make_ir_context() as context:
        known = [name for name in DIALECTS if _has_dialect(context, name)]
        names = [name for name in names if name.split(".")[0] in known]
        operations = {name for name in names if context.is_registered_operation(name)}
        types = [name for name in names if _answers(ir.Type.parse, "!", name)]
        attributes = [name for name in names if _answers(ir.Attribute.parse, "#", name)]
        cases = {name: found for name in attributes if (found := _cases(ir.Attribute.parse, name))}
    taken = _attributes_of_operations()
    return {
        "stablehlo": stablehlo.get_current_version(),
        "dialects": known,
        "operations": {name: taken.get(name, []) for name in sorted(operations | set(taken))},
        "types": types,
        "attributes": attributes,
        "cases": cases,
    }


def _literals() -> Iterator[str]:
    import jaxlib

    for library in Path(jaxlib.__path__[0]).rglob("*.so"):
        if not library.stat().st_size:
            continue
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as at:
            for literal in _LITERALS:
                for found in literal.finditer(at):
                    yield found[1].decode()


def _has_dialect(context: Any, name: str) -> bool:
    try:
        context.get_dialect_descriptor(name)
    except Exception:  # Each release of the bindings has its own type for it.
        return False
    return True


def _complaint(parse: Any, text: str) -> str:
    """Why it is refused; empty where it is not."""
    try:
        parse(text)
    except Exception as refused:
        return str(refused)
    return ""


def _answers(parse: Any, mark: str, name: str) -> bool:
    """Whether the dialect has it: else it says of it what it says of a name that nothing has."""
    dialect, word = name.split(".", 1)
    if not word.isidentifier():
        return False
    nothing = "z" * len(word)
    said, of_nothing = (_complaint(parse, f"{mark}{dialect}<{asked}>") for asked in (word, nothing))
    return re.sub(rf"\b{word}\b", nothing, said) != of_nothing


def _cases(parse: Any, name: str) -> list[str]:
    dialect, word = name.split(".", 1)
    for text in (f"#{dialect}<{word} zzz>", f"#{dialect}<{word}<zzz>>"):
        if found := _CASES.search(_complaint(parse, text)):
            return found[1].strip().split(", ")
    return []


def _attributes_of_operations() -> dict[str, list[str]]:
    """From the source of the bindings."""
    import jaxlib.mlir.dialects

    taken: dict[str, set[str]] = {}
    folder = Path(jaxlib.mlir.dialects.__path__[0])
    for file in (folder / f"_{dialect}_ops_gen.py" for dialect in DIALECTS):
        if not file.is_file():
            continue
        classes = re.split(r'^ *OPERATION_NAME = "', file.read_text(), flags=re.MULTILINE)
        for source in classes[1:]:
            # The adaptor of an operation repeats its name.
            of_operation = taken.setdefault(source.split('"', 1)[0], set())
            of_operation.update(one or flag for one, flag in _ATTRIBUTE.findall(source))
    # How operands and results are grouped follows from the operation.
    grouping = {"operandSegmentSizes", "resultSegmentSizes"}
    return {name: sorted(attributes - grouping) for name, attributes in taken.items()}
