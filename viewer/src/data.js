// The run in the page: JSON for what it is, one deflated block of bytes per run for its numbers.

// Uint8Array of a base64 text.
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes, size) {
  const out = new Uint8Array(size);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    out.set(value, at);
    at += value.length;
  }
  if (at !== size) throw new Error('the numbers of this report are incomplete; make it again');
  return out;
}

// Exact numbers: eight planes of bytes, each number XORed with the one before.
function readExact(block, at, n) {
  const values = new Float64Array(n);
  const bytes = new Uint8Array(values.buffer);
  for (let plane = 0; plane < 8; plane++) {
    let last = 0;
    for (let i = 0, p = at + plane * n; i < n; i++, p++) {
      last ^= block[p];
      bytes[8 * i + plane] = last;
    }
  }
  return values;
}

// Rounded numbers: middle + k * unit, k of 16 bits as second differences in two planes.
function readRounded(block, at, n, unit, middle) {
  const values = new Float64Array(n);
  let k = 0, rate = 0;
  for (let i = 0; i < n; i++) {
    const code = block[at + i] | (block[at + n + i] << 8);
    rate += (code >>> 1) ^ -(code & 1);
    k = ((k + rate) << 16) >> 16;
    rate = (rate << 16) >> 16;
    values[i] = middle + k * unit;
  }
  return values;
}

function readArray(block, array) {
  if (array.unit === undefined) return readExact(block, array.at, array.n);
  return readRounded(block, array.at, array.n, array.unit, array.middle);
}

// Columns are decoded when they are asked for.
class Column {
  constructor(meta, block) {
    Object.assign(this, meta);
    this.block = block;
    this.exact = meta.data.unit === undefined;
    this.label = meta.owner && meta.name.startsWith(meta.owner + '.') ? meta.name.slice(meta.owner.length + 1) : meta.name;
  }

  get values() {
    if (!this.decoded) this.decoded = readArray(this.block, this.data);
    return this.decoded;
  }
}

async function readRun(run, index) {
  const text = document.getElementById(`numbers-${index}`).textContent;
  const block = await inflate(bytesOf(text.trim()), run.bytes);
  run.columns = run.columns.map((meta) => new Column(meta, block));
  run.byName = new Map();
  for (const column of run.columns) if (!run.byName.has(column.name)) run.byName.set(column.name, column);
  run.t = run.columns[0].values;
  const steps = {};
  for (const [name, array] of Object.entries(run.steps)) steps[name] = readArray(block, array);
  run.steps = steps;
  run.poses = (run.poses || []).map((body) => body.map((entry) =>
    (typeof entry === 'number' && entry >= 0 ? run.columns[entry].values : entry === -1 ? null : readArray(block, entry))));
  run.paths = (run.paths || []).map((path) => ({ name: path.name, xyz: path.xyz.map((entry) =>
    (typeof entry === 'number' ? run.columns[entry].values : readArray(block, entry))) }));
  return run;
}

export async function readReport() {
  const report = JSON.parse(document.getElementById('report').textContent);
  report.runs = await Promise.all(report.runs.map(readRun));
  return report;
}

// Index of the last row at or before time t.
export function rowAt(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle; else high = middle - 1;
  }
  return low;
}

// `values` over `times`, linearly at each of `wanted`; null outside.
export function interpolate(times, values, wanted) {
  const out = new Array(wanted.length);
  let i = 0;
  const last = times.length - 1;
  for (let k = 0; k < wanted.length; k++) {
    const t = wanted[k];
    if (t < times[0] || t > times[last]) { out[k] = null; continue; }
    while (i < last - 1 && times[i + 1] < t) i++;
    const span = times[i + 1] - times[i];
    const part = span > 0 ? Math.min(1, Math.max(0, (t - times[i]) / span)) : 1;
    const value = last > 0 ? values[i] + part * (values[i + 1] - values[i]) : values[0];
    out[k] = Number.isFinite(value) ? value : null;
  }
  return out;
}

// Numbers as plots want them: gaps are null.
export function drawable(values) {
  for (let i = 0; i < values.length; i++)
    if (!Number.isFinite(values[i])) return Array.from(values, (v) => (Number.isFinite(v) ? v : null));
  return values;
}

export function short(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(Math.min(2, digits - 1)) : String(+value.toPrecision(digits));
}
