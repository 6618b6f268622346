// The files of a zip, by its directory at the end. Sizes are those that the directory states: a
// file that unfolds to more is refused.

const MOST_FILES = 1000;
const MOST_BYTES = 2 ** 30;
const END = 0x06054b50,
  ENTRY = 0x02014b50,
  LOCAL = 0x04034b50;
const END_BYTES = 22,
  LONGEST_COMMENT = 65_535;

export const isZip = (bytes) =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

// [{name, read}]; read() gives the content.
export async function entriesOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const number = (at, size) => {
    if (at < 0 || at + size > bytes.length) throw new Error("it is cut off or damaged");
    return size === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
  };
  const expect = (at, signature) => {
    if (number(at, 4) !== signature) throw new Error("it is cut off or damaged");
  };
  let end = bytes.length - END_BYTES;
  const first = Math.max(0, end - LONGEST_COMMENT);
  while (end >= first && number(end, 4) !== END) end -= 1;
  if (end < first) throw new Error("its directory is missing, so it is cut off");
  const count = number(end + 10, 2);
  if (count > MOST_FILES) throw new Error(`it has ${count} files; ${MOST_FILES} are read`);
  const entries = [];
  let at = number(end + 16, 4);
  for (let index = 0; index < count; index += 1) {
    expect(at, ENTRY);
    const method = number(at + 10, 2),
      packed = number(at + 20, 4),
      size = number(at + 24, 4),
      local = number(at + 42, 4);
    const nameSize = number(at + 28, 2);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameSize));
    const read = async () => {
      expect(local, LOCAL);
      const start = local + 30 + number(local + 26, 2) + number(local + 28, 2);
      if (start + packed > bytes.length) throw new Error("it is cut off or damaged");
      const content = bytes.subarray(start, start + packed);
      if (method === 0) return content;
      if (method !== 8) throw new Error(`${name} is packed by method ${method}`);
      return inflate(content, size, name);
    };
    if (!name.endsWith("/")) entries.push({name, read});
    at += 46 + nameSize + number(at + 30, 2) + number(at + 32, 2);
  }
  return entries;
}

async function inflate(packed, size, name) {
  if (size > MOST_BYTES) throw new Error(`${name} has ${size} bytes; ${MOST_BYTES} are read`);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const content = new Uint8Array(size);
  let filled = 0;
  const reader = stream.getReader();
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    if (filled + value.length > size) {
      await reader.cancel();
      throw new Error(`${name} is larger than the zip says`);
    }
    content.set(value, filled);
    filled += value.length;
  }
  if (filled < size) throw new Error(`${name} is cut off`);
  return content;
}
