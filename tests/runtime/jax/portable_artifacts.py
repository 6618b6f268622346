"""Writes programs as a release of JAX does, and says whether two artifacts are one program to it.

    PYTHON portable_artifacts.py write VERSION FOLDER FILE…
    PYTHON portable_artifacts.py same < LINES OF TWO FILES
    PYTHON portable_artifacts.py needs < LINES OF A FILE
    PYTHON portable_artifacts.py operations

`write` divides files at `// -----` and prints the operations of each artifact; `same` and `needs`
print a line for each that they read: true or false, and the lowest minor version from 1.5.0 on that
takes it; `operations` prints those of StableHLO. It runs in the environment's interpreter."""

import json
import os
import re
import sys
from pathlib import Path

import jaxlib.mlir._mlir_libs._jax_mlir_ext as registration
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, sdy, stablehlo

# The programs check their own values in a dialect that no release has: a release takes such
# operations in their generic form. The values are constants, as only VHLO's encoding is promised.
CHECK = re.compile(
    r"check\.(expect_\w+)_const (%[\w#]+), (.+?)\s*:\s*(tensor<[^\n]+>)\s*$", re.M | re.S
)
FUNCTION = re.compile(r"^(?=\"?func\.func\b)", re.M)


def generic(check):
    kind, actual, value, type_ = check.groups()
    expected = f"%expected_{check.start()}"
    return (
        f"{expected} = stablehlo.constant {value} : {type_}\n"
        f'"check.{kind}"({actual}, {expected}) : ({type_}, {type_}) -> ()\n'
    )


def new_context():
    context = ir.Context()
    registry = ir.DialectRegistry()
    registration.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in (stablehlo, chlo, sdy):
        dialect.register_dialect(context)
    context.allow_unregistered_dialects = True
    return context


def parsed(text):
    # Releases come without the dialect of quantized types.
    functions = (each for each in FUNCTION.split(text) if "!quant." not in each)
    return ir.Module.parse(CHECK.sub(generic, "".join(functions)))


def operations_of(module):
    names = set()
    module.operation.walk(lambda each: names.add(each.name) or ir.WalkResult.ADVANCE)
    return sorted(names)


def write(version, folder, files):
    for file in map(Path, files):
        for number, text in enumerate(re.split(r"^// -----.*$", file.read_text(), flags=re.M)):
            with new_context(), ir.Location.unknown():
                module = parsed(text)
                operations = operations_of(module)  # Written, it is a module of VHLO.
                data = stablehlo.serialize_portable_artifact(module, version, True)
                out = Path(folder) / f"{file.stem}.{number}.mlirbc"
                out.write_bytes(data)
                print(json.dumps({"file": str(out), "operations": operations}))


def read(context, file):
    return stablehlo.deserialize_portable_artifact(context, Path(file).read_bytes())


def printed(file):
    with new_context() as context, ir.Location.unknown():
        lines = read(context, file).operation.get_asm(print_generic_op_form=True).splitlines()
    # A release does not have these dialects, so it cannot read the attributes of what is written.
    return [line for line in lines if '"check.' not in line and '"interpreter.' not in line]


def lowest(file):
    newest = int(stablehlo.get_current_version().split(".")[1])
    with new_context() as context, ir.Location.unknown():
        for minor in range(5, newest):
            try:
                stablehlo.serialize_portable_artifact(read(context, file), f"1.{minor}.0", True)
            except (ir.MLIRError, ValueError):
                continue
            return f"1.{minor}.0"
    return f"1.{newest}.0"


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(*sys.argv[2:4], sys.argv[4:])
    elif sys.argv[1] == "same":
        for line in sys.stdin:
            one, other = map(printed, line.split())
            print(json.dumps(one == other))
    elif sys.argv[1] == "operations":
        classes = (getattr(each, "OPERATION_NAME", None) for each in vars(stablehlo).values())
        print(json.dumps(sorted({name for name in classes if name})))
    else:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # It reports each version that is too old.
        for line in sys.stdin:
            print(json.dumps(lowest(line.strip())))
