"""The page's reader of model files, on what the program writes, and on damaged copies of it."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from conftest import run
from selenium import webdriver
from site_files import NEW_TARGET, OLD_TARGET, bundled, make_models

# Gives what is read of a file, or the sentence that says why not; other errors are faults.
READ = """
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const read = async (bytes) => {
  try {
    const model = await module.readModel(bytes);
    const {strings, derivatives, ...rest} = model;
    return {...rest, ...module.targetsOf(model, new Set(known))};
  } catch (error) {
    if (error instanceof module.UnreadableFile) return {sentence: error.message};
    return {fault: `${error.name}: ${error.message}`};
  }
};
"""
DAMAGE = """
const whole = bytesOf(arguments[0]), known = [], counts = {read: 0, refused: 0}, faults = [];
const note = (found, what) => {
  if (found.fault) faults.push(`${what}: ${found.fault}`);
  else counts[found.sentence ? "refused" : "read"] += 1;
};
const done = arguments[1];
(async () => {
  for (let size = 0; size < whole.length; size += 1) note(await read(whole.slice(0, size)), size);
  const cut = {...counts};
  for (let at = 0; at < whole.length; at += 13)
    for (const byte of [0, 0xff, whole[at] ^ 1]) {
      const damaged = whole.slice();
      damaged[at] = byte;
      note(await read(damaged), `${at} as ${byte}`);
    }
  done({cut, faults: faults.slice(0, 5)});
})();
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    make_models(folder)
    return folder


@pytest.fixture
def reader(driver: webdriver.Chrome) -> webdriver.Chrome:
    driver.get("about:blank")
    driver.set_script_timeout(120)
    return driver


def read(reader: webdriver.Chrome, path: Path) -> dict[str, Any]:
    found: dict[str, Any] = reader.execute_async_script(
        bundled("exported_file.js") + READ
        + "const known = arguments[1]; read(bytesOf(arguments[0])).then(arguments[2]);",
        base64.b64encode(path.read_bytes()).decode(), [OLD_TARGET, NEW_TARGET, "shape_assertion"],
    )  # fmt: skip
    return found


def test_an_exported_is_read_as_the_program_reads_it(
    reader: webdriver.Chrome, models: Path
) -> None:
    kept = json.loads(
        run(
            "vintage",
            "show",
            "--archive",
            str(models / "archive"),
            "cholesky_f32[3,3]/cpu",
            "--format",
            "json",
        )
    )
    found = read(reader, models / "kept/exported.bin")
    assert found["called"] == kept["custom_call_targets"] == [NEW_TARGET]
    assert found["platforms"] == kept["platforms"]
    assert found["name"] == kept["function_name"]
    assert found["callingConvention"] == kept["calling_convention_version"]
    assert found["stablehlo"] == kept["stablehlo_version"]
    assert found["serialization"] == kept["serialization_version"]


def test_a_module_and_a_zip_are_read(reader: webdriver.Chrome, models: Path) -> None:
    module = read(reader, models / "old.mlirbc")
    assert (module["called"], module["stablehlo"]) == ([OLD_TARGET], "1.1.0")
    packed = read(reader, models / "kept.zip")
    assert packed == read(reader, models / "kept/exported.bin")
    with zipfile.ZipFile(models / "empty.zip", "w") as empty:
        empty.writestr("notes.txt", "no model")
    assert (
        "The zip holds no model among its 1 files" in read(reader, models / "empty.zip")["sentence"]
    )


@pytest.mark.parametrize("name", ["kept/exported.bin", "old.mlirbc", "kept.zip"])
def test_a_damaged_file_gives_a_sentence(reader: webdriver.Chrome, models: Path, name: str) -> None:
    whole = (models / name).read_bytes()
    found = reader.execute_async_script(
        bundled("exported_file.js") + READ + DAMAGE, base64.b64encode(whole).decode()
    )
    assert found["faults"] == []
    assert sum(found["cut"].values()) == len(whole)
    # An Exported ends with bytes that only fill it up.
    assert found["cut"]["read"] <= 4
