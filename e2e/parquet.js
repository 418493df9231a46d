// Writes Parquet files: whole numbers below 2³¹ and texts, without missing values, plain, not compressed.
import { writeFileSync } from 'node:fs';

const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12];
const INT64 = 2;
const BYTE_ARRAY = 6;

function varint(value) {
  const out = [];
  let rest = value;
  while (rest > 127) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return [...out, rest];
}

// Values of Thrift's compact protocol: their type and bytes.
const i32 = (value) => ({ type: I32, bytes: varint(value * 2) });
const i64 = (value) => ({ type: I64, bytes: varint(value * 2) });
const text = (value) => ({ type: BINARY, bytes: [...varint(Buffer.byteLength(value)), ...Buffer.from(value)] });
const list = (values) => {
  const [{ type }] = values;
  const head = values.length < 15 ? [values.length * 16 + type] : [240 + type, ...varint(values.length)];
  return { type: LIST, bytes: [head, ...values.map((value) => value.bytes)].flat() };
};
/** A struct of fields by their numbers, below 16. */
const struct = (fields) => {
  const bytes = [];
  let last = 0;
  for (const [number, value] of Object.entries(fields)) {
    bytes.push((number - last) * 16 + value.type, ...value.bytes);
    last = Number(number);
  }
  return { type: STRUCT, bytes: [...bytes, 0] };
};

function plain(column, rows) {
  if (column.text) {
    return Buffer.concat(rows.map((row) => {
      const bytes = Buffer.from(column.text(row));
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return Buffer.concat([length, bytes]);
    }));
  }
  const halves = new Int32Array(2 * rows.length);
  rows.forEach((row, at) => { halves[2 * at] = column.number(row); });
  return Buffer.from(halves.buffer);
}

/** Writes `n` rows in row groups of `inGroup`. A column has a name and a function from the row to a `number` or a `text`. */
export function writeTable(path, columns, n, inGroup) {
  const parts = [Buffer.from('PAR1')];
  let offset = 4;
  const add = (bytes) => {
    parts.push(bytes);
    offset += bytes.length;
  };
  const groups = [];
  for (let from = 0; from < n; from += inGroup) {
    const rows = Array.from({ length: Math.min(inGroup, n - from) }, (_, at) => from + at);
    const begin = offset;
    const chunks = columns.map((column) => {
      const values = plain(column, rows);
      const at = offset;
      const page = struct({ 1: i32(rows.length), 2: i32(0), 3: i32(3), 4: i32(3) });
      add(Buffer.from(struct({ 1: i32(0), 2: i32(values.length), 3: i32(values.length), 5: page }).bytes));
      add(values);
      const size = i64(offset - at);
      const type = i32(column.text ? BYTE_ARRAY : INT64);
      const meta = { 1: type, 2: list([i32(0)]), 3: list([text(column.name)]), 4: i32(0), 5: i64(rows.length), 6: size, 7: size, 9: i64(at) };
      return struct({ 2: i64(at), 3: struct(meta) });
    });
    groups.push(struct({ 1: list(chunks), 2: i64(offset - begin), 3: i64(rows.length) }));
  }
  const leaf = ({ name, text: isText }) => struct({ 1: i32(isText ? BYTE_ARRAY : INT64), 3: i32(0), 4: text(name), ...(isText && { 6: i32(0) }) });
  const schema = list([struct({ 4: text('table'), 5: i32(columns.length) }), ...columns.map(leaf)]);
  const footer = Buffer.from(struct({ 1: i32(1), 2: schema, 3: i64(n), 4: list(groups) }).bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  writeFileSync(path, Buffer.concat([...parts, footer, length, Buffer.from('PAR1')]));
}
