// Reads the needs of a model from its file, in the browser: JAX's Exported
// (golden/exported/exported.fbs), MLIR bytecode, or a zip that holds one of them. The bytes are
// untrusted: each place is checked before it is read.

import {entriesOf, isZip} from "./zip_file.js";

// Its message is a sentence for the person who chose the file.
export class UnreadableFile extends Error {}

const MAGIC = [0x4d, 0x4c, 0xef, 0x52]; // "ML\xefR"
const LONGEST_PRODUCER = 256;
const MOST_DERIVATIVES = 32,
  MOST_PLATFORMS = 64;
// Numbers of sections. Without the others there is no program.
const STRINGS = 0,
  PROPERTIES = 8,
  NEEDED = [STRINGS, 1, 2, 3, 4];
const WITH_PROPERTIES = 5; // The first version of the bytecode that has them.
const decoder = new TextDecoder();

const startsWith = (bytes, start) => start.every((byte, index) => bytes[index] === byte);
const isBytecode = (bytes) => startsWith(bytes, MAGIC);

class Reader {
  constructor(bytes, what) {
    this.bytes = bytes;
    this.what = what;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }
  fail() {
    throw new UnreadableFile(
      `The ${this.what} is cut off or damaged: something in it leads beyond its ` +
        `${this.bytes.length.toLocaleString("en")} bytes. Export or copy the model again.`,
    );
  }
  need(at, size) {
    if (!(at >= 0 && size >= 0 && at + size <= this.bytes.length)) this.fail();
  }
  u16(at) {
    this.need(at, 2);
    return this.view.getUint16(at, true);
  }
  u32(at) {
    this.need(at, 4);
    return this.view.getUint32(at, true);
  }
  i32(at) {
    this.need(at, 4);
    return this.view.getInt32(at, true);
  }
  part(at, size) {
    this.need(at, size);
    return this.bytes.subarray(at, at + size);
  }
  text(at, size) {
    return decoder.decode(this.part(at, size));
  }

  // From here on in turn.
  byte() {
    this.need(this.at, 1);
    return this.bytes[this.at++];
  }
  take(size) {
    const taken = this.part(this.at, size);
    this.at += size;
    return taken;
  }
  // The zero bits at the low end of the first byte are the number of bytes that follow it.
  varint() {
    const first = this.byte();
    const more = first === 0 ? 8 : 31 - Math.clz32(first & -first);
    let value = 0;
    for (let index = more - 1; index >= 0; index -= 1) {
      this.need(this.at + index, 1);
      value = value * 256 + this.bytes[this.at + index];
    }
    this.at += more;
    return more === 8 ? value : value * 2 ** (7 - more) + (first >> (more + 1));
  }
}

// A table of a flatbuffer. A field's place is 0 if the file leaves it out.
class Table {
  constructor(reader, at) {
    this.reader = reader;
    this.at = at;
    this.fields = at - reader.i32(at);
    this.size = reader.u16(this.fields);
  }
  place(id) {
    const slot = 4 + 2 * id;
    if (slot + 2 > this.size) return 0;
    const offset = this.reader.u16(this.fields + slot);
    return offset === 0 ? 0 : this.at + offset;
  }
  has(id) {
    return this.place(id) !== 0;
  }
  number(id) {
    const place = this.place(id);
    return place === 0 ? 0 : this.reader.u16(place);
  }
  #follow(place) {
    return place + this.reader.u32(place);
  }
  table(id) {
    const place = this.place(id);
    return place === 0 ? null : new Table(this.reader, this.#follow(place));
  }
  bytes(id) {
    const place = this.place(id);
    if (place === 0) return null;
    const start = this.#follow(place);
    return this.reader.part(start + 4, this.reader.u32(start));
  }
  string(id) {
    const bytes = this.bytes(id);
    return bytes === null ? "" : decoder.decode(bytes);
  }
  strings(id) {
    const place = this.place(id);
    if (place === 0) return [];
    const start = this.#follow(place);
    const count = this.reader.u32(start);
    if (count > MOST_PLATFORMS) this.reader.fail();
    return Array.from({length: count}, (_, index) => {
      const at = this.#follow(start + 4 + 4 * index);
      return this.reader.text(at + 4, this.reader.u32(at));
    });
  }
}

// The version of StableHLO, and all strings; the names of operations and targets are among them.
function readBytecode(bytes) {
  const reader = new Reader(bytes, "module");
  reader.take(MAGIC.length);
  const version = reader.varint();
  const end = bytes.indexOf(0, reader.at);
  if (end < 0 || end - reader.at > LONGEST_PRODUCER) reader.fail();
  const producer = reader.text(reader.at, end - reader.at);
  reader.at = end + 1;
  const stablehlo = /^StableHLO_v(\d+\.\d+\.\d+)$/.exec(producer)?.[1] ?? "";
  let strings = null;
  const missing = new Set(version < WITH_PROPERTIES ? NEEDED : [...NEEDED, PROPERTIES]);
  while (reader.at < bytes.length) {
    const kind = reader.byte();
    const length = reader.varint();
    if (kind & 0x80) {
      const alignment = reader.varint();
      while (alignment > 0 && reader.at % alignment !== 0) reader.byte();
    }
    const content = reader.take(length);
    missing.delete(kind & 0x7f);
    if ((kind & 0x7f) === STRINGS) strings = readStrings(content);
  }
  if (missing.size > 0) reader.fail();
  return {stablehlo, producer, strings};
}

// Their lengths stand from the last to the first.
function readStrings(bytes) {
  const reader = new Reader(bytes, "module");
  const count = reader.varint();
  if (count > bytes.length) reader.fail();
  const lengths = Array.from({length: count}, () => reader.varint());
  let end = bytes.length;
  const strings = new Set();
  for (const length of lengths) {
    if (length < 1 || end - length < reader.at) reader.fail();
    strings.add(reader.text(end - length, length - 1));
    end -= length;
  }
  return strings;
}

// The lowest serialization version that explains the file, as far as its outermost fields show
// (docs/reference/exported_format.md).
function formOf(table, stated) {
  if (table.has(26)) return Math.max(stated, 12);
  if ([19, 20, 21, 22, 23, 24, 25].some((id) => table.has(id))) return Math.max(stated, 10);
  if (table.has(18) && !table.has(6)) return Math.max(stated, 8);
  return Math.max(stated, table.has(18) ? 5 : 1);
}

function readExported(bytes) {
  const reader = new Reader(bytes, "file");
  const table = new Table(reader, reader.u32(0));
  const module = table.bytes(13);
  if (module === null || !isBytecode(module)) reader.fail();
  const stated = Math.max(table.number(0), 1);
  const model = {
    kind: "JAX's Exported",
    name: table.string(1),
    platforms: table.strings(9),
    stated,
    serialization: formOf(table, stated),
    callingConvention: table.number(14),
    jax: table.string(26),
    ...readBytecode(module),
    derivatives: new Set(),
  };
  let inner = table.table(17);
  for (let depth = 0; inner !== null; depth += 1) {
    if (depth === MOST_DERIVATIVES) reader.fail();
    const derivative = inner.bytes(13);
    if (derivative !== null)
      for (const text of readBytecode(derivative).strings) model.derivatives.add(text);
    inner = inner.table(17);
  }
  return model;
}

// The model in `bytes`, a Uint8Array.
export async function readModel(bytes) {
  if (isBytecode(bytes)) {
    const nothing = {name: "", platforms: [], stated: 0, serialization: 0, callingConvention: 0};
    return {kind: "MLIR bytecode", jax: "", ...nothing, ...readBytecode(bytes), derivatives: new Set()};
  }
  if (isZip(bytes)) return readZip(bytes);
  if (bytes.length < 8)
    throw new UnreadableFile(
      `The file has ${bytes.length} bytes: too few for a model. Choose the file that ` +
        "jax.export's serialize() gave.",
    );
  try {
    return readExported(bytes);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new UnreadableFile(
      "The file is not read as a model: an Exported of JAX, MLIR bytecode or a zip of one is " +
        `expected. ${error.message}`,
    );
  }
}

async function readZip(bytes) {
  let entries;
  try {
    entries = await entriesOf(bytes);
  } catch (error) {
    throw new UnreadableFile(`The zip cannot be read: ${error.message}.`);
  }
  let problem = null;
  for (const {read} of entries) {
    try {
      const content = await read();
      if (isZip(content)) continue; // Arrays.
      return await readModel(content);
    } catch (error) {
      problem = error;
    }
  }
  const words = problem ? ` Of the last one: ${problem.message}` : "";
  throw new UnreadableFile(`The zip holds no model among its ${entries.length} files.${words}`);
}

// Of `known` names of targets those that stand in the module, and whether it calls any target.
export function targetsOf(model, known) {
  const called = [...known].filter((name) => model.strings.has(name)).sort();
  const ofDerivatives = [...known].filter((name) => model.derivatives.has(name));
  const calls = [...model.strings].some((text) => /^custom_call(_v\d+)?$/.test(text));
  return {called, calls, ofDerivatives: ofDerivatives.filter((name) => !called.includes(name)).sort()};
}
