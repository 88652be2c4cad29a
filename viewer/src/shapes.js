// SPDX-License-Identifier: Apache-2.0
// Geometry of shapes and glyphs. Everything that has a length runs along local z from the origin.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, ConeGeometry, CylinderGeometry,
  Float32BufferAttribute, LatheGeometry, OctahedronGeometry, SphereGeometry, TorusGeometry, TubeGeometry, Vector2, Vector3, Curve,
} from "three";

const cache = new Map();
const cached = (key, make) => {
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key);
};

const positive = (x, otherwise) => (Number.isFinite(x) && x > 0 ? x : otherwise);

/** move a geometry centred along y to one along z from the origin */
const stand = (g, length) => g.rotateX(Math.PI / 2).translate(0, 0, length / 2);

function meshGeometry(shape, mesh) {
  if (!mesh) return null;
  const points = mesh.points(), faces = mesh.faces();
  const [p0, np] = shape.points, [f0, nf] = shape.faces;
  const ok = [p0, np, f0, nf].every((n) => Number.isInteger(n) && n >= 0) &&
    3 * (p0 + np) <= points.length && 3 * (f0 + nf) <= faces.length;
  const index = ok ? faces.subarray(3 * f0, 3 * (f0 + nf)) : null;
  if (!index || index.some((i) => i < 0 || i >= np)) return null;
  if (!points.subarray(3 * p0, 3 * (p0 + np)).every((x) => Math.abs(x) < 1e15)) return null;
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(points.slice(3 * p0, 3 * (p0 + np)), 3));
  g.setIndex(new BufferAttribute(new Uint32Array(index), 1));
  const flat = g.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

/** the geometry of a shape of the scene; null when its numbers are not valid */
export function shapeGeometry(shape, mesh, size) {
  const radius = positive(shape.radius, 0.02 * size), length = positive(shape.length, 1e-6);
  const key = `${shape.kind} ${radius} ${length} ${shape.size}`;
  switch (shape.kind) {
    case "rod":
    case "cylinder":
      return cached(key, () => stand(new CylinderGeometry(radius, radius, length, shape.kind === "rod" ? 16 : 48), length));
    case "capsule":
      return cached(key, () => stand(new CapsuleGeometry(radius, length, 8, 24), length));
    case "cone":
      return cached(key, () => stand(new ConeGeometry(radius, length, 32), length));
    case "sphere":
      return cached(key, () => new SphereGeometry(radius, 32, 20));
    case "box":
      return cached(key, () => new BoxGeometry(...shape.size.map((e) => positive(e, 1e-3 * size))));
    case "mesh":
      return meshGeometry(shape, mesh);
    default:
      return null;
  }
}

class Helix extends Curve {
  constructor(turns, length) { super(); Object.assign(this, {turns, length}); }

  getPoint(s, target = new Vector3()) {
    const flat = 0.09, u = Math.min(1, Math.max(0, (s - flat) / (1 - 2 * flat)));
    const grow = Math.min(1, Math.max(0, Math.min(s, 1 - s) / flat * 2 - 1)), angle = 2 * Math.PI * this.turns * u;
    return target.set(grow * Math.cos(angle), grow * Math.sin(angle), this.length * s);
  }
}

/** a coil of unit radius from z = 0 to 1; its wire is round when it is stretched to `ratio` times its radius.
 * `fine`: more triangles, for scenes with few coils */
export function coil(turns, ratio, fine) {
  // close ratios share a geometry
  const step = Math.round(Math.log(Math.max(ratio, 0.1)) / Math.log(1.3)), length = 1.3 ** step;
  const [along, around] = fine ? [18, 7] : [9, 4];
  return cached(`coil ${turns} ${step} ${fine}`, () => new TubeGeometry(new Helix(turns, length), along * turns + 24, 0.17, around).scale(1, 1, 1 / length));
}

/** number of turns for a coil of this length over radius */
export const coilTurns = (ratio, fine) => Math.min(fine ? 16 : 8, Math.max(4, Math.round(ratio / 1.5)));

/** a thin unit rod */
export const thread = () => cached("thread", () => stand(new CylinderGeometry(1, 1, 1, 10), 1));

/** a spindle of unit radius from z = 0 to 1: a belly between two thin ends */
export const spindle = () => cached("spindle", () => {
  const at = Array.from({length: 25}, (_, i) => new Vector2(i % 24 === 0 ? 0 : 0.2 + 0.8 * Math.sin(Math.PI * i / 24) ** 3, i / 24));
  return new LatheGeometry(at, 12).rotateX(Math.PI / 2);
});

export const rubber = (radius) => cached(`rubber ${radius}`, () =>
  new TorusGeometry(0.82 * radius, 0.18 * radius, 16, 56).rotateX(Math.PI / 2));

/** a block of rubber */
export const block = (r) => cached(`block ${r}`, () => new CylinderGeometry(r, r, 1.6 * r, 24).rotateX(Math.PI / 2));

/** a joint's symbol by its word (docs/results-format.md), of size r, axis along z */
export function jointGeometry(glyph, r) {
  return cached(`joint ${glyph} ${r}`, () => {
    switch (glyph) {
      case "pin":
        return new CylinderGeometry(r, r, 2.6 * r, 20).rotateX(Math.PI / 2);
      case "sleeve":
        return new CylinderGeometry(0.9 * r, 0.9 * r, 4 * r, 20).rotateX(Math.PI / 2);
      case "slider":
        return new BoxGeometry(1.6 * r, 1.6 * r, 4 * r);
      case "sphere":
        return new SphereGeometry(1.15 * r, 20, 14);
      case "cross":
        return new TorusGeometry(r, 0.4 * r, 10, 24);
      case "ring":
        return new TorusGeometry(1.6 * r, 0.25 * r, 10, 32);
      case "cube":
        return new BoxGeometry(1.5 * r, 1.5 * r, 1.5 * r);
      case "plate":
        return new BoxGeometry(3 * r, 3 * r, 0.5 * r);
      default:
        return new OctahedronGeometry(1.2 * r);
    }
  });
}

/** shaft and head of an arrow of unit length along z; the head is scaled separately */
export const arrowShaft = () => thread();
export const arrowHead = () => cached("head", () => stand(new ConeGeometry(1, 1, 20), 1));

/** a grid in the plane of x and y, n cells from its middle to its edge. Lines are made of short pieces: software
 * renderers lose lines that begin behind the camera */
export function gridGeometry(n, cell) {
  const at = [];
  for (let i = -n; i <= n; i++) for (let k = -n; k < n; k++) at.push(i, k, 0, i, k + 1, 0, k, i, 0, k + 1, i, 0);
  const g = new BufferGeometry();
  g.setAttribute("position", new Float32BufferAttribute(at.map((x) => x * cell), 3));
  return g;
}

/** the strips of road under the tyres: wheels on the same road share one; neighbours meet halfway between their wheels.
 * There is a profile for every tyre, or one for all */
export function roadStrips(roads, tyres, pose) {
  const strips = new Map(), each = roads.length === tyres.length;
  tyres.forEach((f, i) => {
    const profile = (roads[each ? i : 0] ?? []).filter((p) => p.every(Number.isFinite)), key = JSON.stringify(profile);
    if (profile.length < 2) return;
    const y = pose[7 * f.bodies[0] + 1] + f.ends[0][1], s = strips.get(key) ?? {profile, y0: y, y1: y, margin: 0};
    strips.set(key, Object.assign(s, {y0: Math.min(s.y0, y), y1: Math.max(s.y1, y), margin: Math.max(s.margin, 2.2 * f.radius)}));
  });
  const list = [...strips.values()].sort((a, b) => a.y0 - b.y0);
  const gaps = list.map((s, i) => (i > 0 ? s.y0 - list[i - 1].y1 : Infinity));
  return list.map((s, i) => {
    const room = (gap) => (gap > 0 && gap < 6 * s.margin ? gap / 2 : s.margin);
    return {profile: s.profile, y0: s.y0 - room(gaps[i]), y1: s.y1 + room(gaps[i + 1] ?? Infinity)};
  });
}

/** a road: its profile z(x) extruded between two values of y, with walls down to the bottom */
export function roadGeometry(profile, y0, y1) {
  const bottom = profile.reduce((least, p) => Math.min(least, p[1]), Infinity) - 0.25;
  const at = [], quad = (a, b, c, d) => at.push(...a, ...b, ...c, ...a, ...c, ...d);
  for (let i = 0; i + 1 < profile.length; i++) {
    const [xa, za] = profile[i], [xb, zb] = profile[i + 1];
    quad([xa, y0, za], [xb, y0, zb], [xb, y1, zb], [xa, y1, za]);
    quad([xa, y0, bottom], [xb, y0, bottom], [xb, y0, zb], [xa, y0, za]);
    quad([xb, y1, bottom], [xa, y1, bottom], [xa, y1, za], [xb, y1, zb]);
  }
  const g = new BufferGeometry();
  g.setAttribute("position", new Float32BufferAttribute(at, 3));
  g.computeVertexNormals();
  return {geometry: g, bottom};
}
