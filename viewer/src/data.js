// SPDX-License-Identifier: Apache-2.0
// The results inside the page: JSON with arrays as base64. Arrays are unpacked when first used.
import {fault, usable} from "./scene.js";

const types = {f64: Float64Array, f32: Float32Array, i32: Int32Array};

function unpack(packed) {
  const [type, text] = Object.entries(packed)[0];
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return new types[type](bytes.buffer);
}

const lazy = (packed) => {
  let array = null;
  return () => (array ??= packed ? unpack(packed) : new Float32Array(0));
};

/** a typed array with more numbers behind it; what is null is no number */
function joined(array, more) {
  const all = new array.constructor(array.length + more.length);
  all.set(array);
  all.set(more.map((v) => v ?? NaN), array.length);
  return all;
}

/** index i with times[i] <= t < times[i + 1], from 0 to n - 2 */
export function bracket(times, t) {
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle; else high = middle;
  }
  return low;
}

class Channel {
  constructor(run, index, raw) {
    Object.assign(this, {run, index, name: String(raw.name), unit: String(raw.unit), text: String(raw.text)});
    this.values = lazy(raw.data);
  }

  /** value at a time, linear between rows */
  at(t) {
    const time = this.run.time, x = this.values();
    if (time.length === 0 || t < time[0] - 1e-9 || t > time[time.length - 1] + 1e-9) return NaN;
    if (time.length === 1) return x[0];
    const i = bracket(time, t), d = time[i + 1] - time[i];
    const s = d > 0 ? Math.min(1, Math.max(0, (t - time[i]) / d)) : 1;
    return x[i] + s * (x[i + 1] - x[i]);
  }
}

class Run {
  constructor(raw, index) {
    this.index = index;
    this.raw = raw;
    this.name = String(raw.name);
    this.summary = raw.summary;
    this.rows = raw.rows;
    this.kept = raw.kept;
    this.thinned = raw.kept < raw.rows;
    this.time = unpack(raw.time);
    this.channels = raw.channels.map((c, i) => new Channel(this, i, c));
    this.byName = new Map(this.channels.map((c) => [c.name, c]));
    this.scene = null;
    this.fault = "";
    this.mesh = raw.mesh ? {points: lazy(raw.mesh.points), faces: lazy(raw.mesh.faces)} : null;
    if (raw.scene && raw.frames) this.readScene(raw.scene, raw.frames);
  }

  readScene(scene, f) {
    this.fault = fault(scene, f, this.mesh);
    if (this.fault) return;
    const frames = {bodies: f.bodies, loads: f.loads, time: unpack(f.time), pose: unpack(f.pose), load: unpack(f.load)};
    const n = usable(frames);
    if (n < frames.time.length) this.fault = `poses from frame ${n} on`;
    if (n === 0) return;
    this.frames = {...frames, time: frames.time.subarray(0, n), pose: frames.pose.subarray(0, 7 * f.bodies * n), load: frames.load.subarray(0, 3 * f.loads * n)};
    this.scene = scene;
  }

  /** what has come since, of a run that goes on */
  append({t, x, frames: f}) {
    this.time = joined(this.time, t);
    this.channels.forEach((c, i) => { const all = joined(c.values(), x[i]); c.values = () => all; });
    this.rows += t.length;
    this.kept += t.length;
    if (!this.frames || !f.time.length) return;
    const last = this.frames;
    this.frames = Object.assign(last, {time: joined(last.time, f.time), pose: joined(last.pose, f.pose), load: joined(last.load, f.load)});
  }

  get end() { return this.time.length ? this.time[this.time.length - 1] : 0; }
  get begin() { return this.time.length ? this.time[0] : 0; }
  get label() { return this.raw.title || this.name; }
  /** what stands in the place of time, with its unit: {name: "time", unit: "s"} */
  get axis() { return this.raw.axis ? {name: String(this.raw.axis), unit: String(this.raw.axis_unit ?? "")} : {name: "time", unit: "s"}; }
}

/** the data of the page; throws an Error whose message is shown to the user */
export function load() {
  const node = document.getElementById("hooke-data");
  if (!node) throw new Error("This page holds no results. 'hooke report RESULT' makes one that does.");
  const raw = JSON.parse(node.textContent);
  node.remove();
  if (raw.data !== 1) throw new Error("These results were written by another version of Hooke.");
  const runs = raw.runs.map((r, i) => new Run(r, i));
  return {
    runs, served: raw.served, live: raw.live === true, version: raw.version,
    begin: Math.min(...runs.map((r) => r.begin)),
    end: Math.max(...runs.map((r) => r.end)),
  };
}
