// SPDX-License-Identifier: Apache-2.0
// Checks the scene of a result against docs/results-format.md. A result may be damaged or hostile; a wrong index must not
// break plots and summary too.

const number = (x) => typeof x === "number" && Math.abs(x) < 1e15;
const optional = (x) => x === undefined || number(x);
const numbers = (a, n) => Array.isArray(a) && a.length === n && a.every(number);
const index = (i, from, to) => Number.isInteger(i) && i >= from && i < to;
const span = (a) => a === undefined || (numbers(a, 2) && a.every((n) => Number.isInteger(n) && n >= 0));

const part = (p, n, more = () => true) => p && typeof p === "object" && index(p.body, -1, n.bodies) && numbers(p.at, 7) && more(p);
const wheel = (w) => number(w.radius) && w.radius !== 0 && index(w.teeth, 0, 1e4);
const range = (r) => Array.isArray(r) && r.length === 2 && r.every((x) => x === null || number(x)) && r.some((x) => x !== null);
const list = (a, fits) => a === undefined || (Array.isArray(a) && a.every(fits));
const drawn = (j, n) => list(j.wheels, (w) => part(w, n, wheel)) && (j.glyph !== "teeth" || [0, 2].includes(j.wheels?.length)) && (j.bar === undefined || part(j.bar, n)) &&
  list(j.links, (l) => part(l, n)) && list(j.outline, (p) => numbers(p, 2)) && optional(j.radius) && optional(j.face) && list(j.limits, (l) => l && typeof l === "object" && numbers(l.axis, 3) && range(l.range));

const sizes = {rectangle: 2, circle: 1, tube: 2, i: 4};
const outline = (o) => o && typeof o === "object" && Object.keys(o).length > 0 && Object.entries(o).every(([k, x], i) => (i === 0 ? numbers(x, sizes[k] ?? -1) && x.every((s) => s > 0) : k === "centre" && numbers(x, 2)));
const rising = (a) => Array.isArray(a) && a.every((x, i) => number(x) && x >= 0 && x <= 1 && (i === 0 || x > a[i - 1]));

/** are all points and nodes of faces of a surface there? */
function whole({points: [p0, n], faces: [f0, nf], modes, stress}, mesh) {
  if (!mesh) return false;
  const faces = mesh.faces(), points = mesh.points();
  return 3 * (p0 + n * (1 + modes * (stress ? 3 : 1))) <= points.length && 3 * (f0 + nf) <= faces.length && faces.subarray(3 * f0, 3 * (f0 + nf)).every((i) => i >= 0 && i < n);
}

/** do the rows of a surface that follows bodies have all their numbers, and is every point there? */
function followed(c, n) {
  const {points: [p0, np], faces: [f0, nf]} = c, rows = c.bodies.length, known = new Set(c.list);
  return numbers(c.counts, np) && c.counts.every((k) => index(k, 0, rows + 1)) && c.counts.reduce((a, k) => a + k, 0) === rows && c.list.length > 0 && c.list.every((b) => index(b, 0, n.bodies)) &&
    c.bodies.every((b) => known.has(b)) && numbers(c.weights, rows) && numbers(c.offsets, 3 * rows) && whole({points: [p0, np], faces: [f0, nf], modes: 0}, n.mesh);
}

const between = (f) => ["coil", "spindle", "block"].includes(f.glyph);

/** add glyphs and arrows to an older scene that has none, from its other members */
function dress(scene) {
  for (const j of scene.joints) if (j && typeof j === "object") j.glyph ??= "point";
  for (const f of scene.forces) {
    if (!f || typeof f !== "object") continue;
    f.glyph ??= f.radius !== undefined ? "wheel" : f.spring !== undefined || f.damper !== undefined ? "coil" : "none";
    f.arrow ??= f.glyph === "coil" ? 1 : 0;
  }
  for (const c of Array.isArray(scene.surfaces) ? scene.surfaces : []) if (Array.isArray(c?.bodies)) c.list ??= [...new Set(c.bodies)];
}

const rules = {
  bodies: (b) => typeof b.name === "string" && number(b.mass) && numbers(b.com, 3),
  shapes: (s, n) => index(s.body, -1, n.bodies) && typeof s.kind === "string" && numbers(s.at, 7) && optional(s.radius) && optional(s.length) &&
    (s.kind === "box" ? numbers(s.size, 3) : s.size === undefined) && (s.kind !== "mesh" || (span(s.points ?? null) && span(s.faces ?? null))),
  joints: (j, n) => typeof j.name === "string" && typeof j.glyph === "string" && Array.isArray(j.bodies) && j.bodies.length === 2 &&
    j.bodies.every((b) => index(b, -1, n.bodies)) && Array.isArray(j.at) && j.at.length === 2 && j.at.every((p) => numbers(p, 7)) && drawn(j, n),
  forces: (f, n) => typeof f.name === "string" && typeof f.glyph === "string" && Array.isArray(f.bodies) && f.bodies.every((b) => index(b, -1, n.bodies)) &&
    Array.isArray(f.ends) && f.ends.length === f.bodies.length && f.ends.every((p) => numbers(p, 7)) &&
    (f.load === undefined || (index(f.load, 0, n.loads) && index(f.arrow, 0, f.ends.length))) && (!between(f) || f.ends.length === 2) &&
    (f.glyph !== "disc" || f.joint === undefined || (index(f.joint, 0, n.joints) && numbers(f.axis, 3) && optional(f.radius))) &&
    (f.glyph !== "wheel" || (f.ends.length > 0 && index(f.bodies[0], 0, n.bodies) && number(f.radius) && f.radius > 0)),
  groups: (g, n) => typeof g.name === "string" && numbers(g.bodies, 2) && index(g.bodies[0], 0, n.bodies) && index(g.bodies[1], 2, n.bodies - g.bodies[0] + 1) &&
    rising(g.stations) && g.stations.length === g.bodies[1] && (g.outlines === undefined || (list(g.outlines, outline) && [1, g.bodies[1]].includes(g.outlines.length))) &&
    (g.sections === undefined || (rising(g.sections) && g.sections.length > 0 && index(g.load, 0, n.loads - 4 * g.sections.length + 1))),
  skins: (k, n) => typeof k.name === "string" && numbers(k.bodies, 2) && index(k.bodies[0], 0, n.bodies) && index(k.bodies[1], 1, n.bodies - k.bodies[0] + 1) && numbers(k.at, 7) &&
    index(k.modes, 0, 1e4) && span(k.points ?? null) && span(k.faces ?? null) && typeof k.stress === "boolean" && index(k.load, 0, n.loads - Math.ceil(k.modes / 3) + 1) && whole(k, n.mesh),
  surfaces: (c, n) => typeof c.name === "string" && (c.external === undefined || typeof c.external === "string") && span(c.points ?? null) && span(c.faces ?? null) && Array.isArray(c.list) && Array.isArray(c.bodies) && followed(c, n),
  plates: (p, n) => typeof p.name === "string" && numbers(p.bodies, 2) && index(p.bodies[0], 0, n.bodies) && index(p.bodies[1], 4, n.bodies - p.bodies[0] + 1) && span(p.points ?? null) && span(p.faces ?? null) && p.points[1] === p.bodies[1] && p.faces[1] > 0 && p.faces[1] % 2 === 0 &&
    index(p.load, 0, n.loads - p.faces[1] / 2 + 1) && whole({points: p.points, faces: p.faces, modes: 0}, n.mesh),
  roads: (r) => Array.isArray(r) && r.every((p) => Array.isArray(p) && p.length === 2),
};

/** the name of the first member that is wrong, or ""; completes scenes of older results */
export function fault(scene, frames, mesh) {
  if (!scene || typeof scene !== "object") return "scene";
  if (!numbers(scene.gravity, 3)) return "gravity";
  if (scene.planar !== null && scene.planar !== undefined && !numbers(scene.planar, 3)) return "planar";
  if (Array.isArray(scene.joints) && Array.isArray(scene.forces)) dress(scene);
  const n = {...frames, mesh, joints: Array.isArray(scene.joints) ? scene.joints.length : 0};
  for (const [key, fits] of Object.entries(rules)) {
    const list = scene[key] ?? (["roads", "groups", "skins", "surfaces", "plates"].includes(key) ? [] : null);
    if (!Array.isArray(list)) return key;
    const i = list.findIndex((x) => !x || typeof x !== "object" || !fits(x, n));
    if (i >= 0) return `${key}[${i}]`;
  }
  return scene.bodies.length === frames.bodies && frames.bodies > 0 ? "" : "bodies";
}

/** frames that can be shown: up to the first whose time or pose is not finite (a run that diverged) */
export function usable({time, pose, bodies}) {
  const ok = (x) => Math.abs(x) < 1e15;
  for (let k = 0; k < time.length; k++) {
    if (!ok(time[k]) || (k > 0 && time[k] < time[k - 1])) return k;
    for (let i = 7 * bodies * k; i < 7 * bodies * (k + 1); i++) if (!ok(pose[i])) return k;
  }
  return time.length;
}
