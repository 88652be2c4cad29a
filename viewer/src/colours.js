// SPDX-License-Identifier: Apache-2.0
// Maps of colours for quantities of bodies that bend.
import {Color, SRGBColorSpace} from "three";

// compression blue, tension red; sizes from dark violet to yellow
export const maps = {
  signed: ["#2a55b0", "#6d9be0", "#d9dde2", "#ec8a68", "#b3221c"],
  size: ["#3b2a6b", "#3a6a9b", "#2f9c8a", "#8cc751", "#f3e33b"],
};
const STEPS = 256;

function table(stops) {
  const out = new Float32Array(3 * STEPS), a = new Color(), b = new Color();
  for (let i = 0; i < STEPS; i++) {
    const x = i / (STEPS - 1) * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(x));
    a.set(stops[k]).convertLinearToSRGB();
    b.set(stops[k + 1]).convertLinearToSRGB();
    a.lerp(b, x - k);
    new Color().setRGB(a.r, a.g, a.b, SRGBColorSpace).toArray(out, 3 * i);
  }
  return out;
}

const tables = Object.fromEntries(Object.entries(maps).map(([k, stops]) => [k, table(stops)]));

/** the map of a quantity, and where in it a value is, of `most` at its end */
export const mapOf = (by) => tables[by.signed ? "signed" : "size"];
export function placeOf(by, value, most) {
  const part = most > 0 ? value / most : 0, place = by.signed ? 0.5 + 0.5 * part : part;
  return 3 * Math.round((STEPS - 1) * Math.min(1, Math.max(0, place || 0)));
}

export function paint(by, value, most, out, o) {
  const map = mapOf(by), k = placeOf(by, value, most);
  out[o] = map[k]; out[o + 1] = map[k + 1]; out[o + 2] = map[k + 2];
}
