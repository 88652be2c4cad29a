// SPDX-License-Identifier: Apache-2.0
// Beams and cables: one body each, a section swept along a smooth curve through its nodes, coloured by a quantity of its
// sections. The colours of a quantity mean the same at every time of a run. Bodies with modes (skins.js)
// and surfaces that follow bodies (surfaces.js) are coloured with them.
import {BufferAttribute, BufferGeometry, Group, Mesh} from "three";
import {mapOf, maps, placeOf} from "./colours.js";
import {el, show} from "./dom.js";
import {Skin} from "./skins.js";
import {Plate} from "./plates.js";
import {Cover} from "./surfaces.js";

const RINGS = 64; // sections drawn along a beam, at least
const MOMENT = 0, FORCE = 1, CURVATURE = 2, STRAIN = 3; // rows of an element in the frames

/** what a beam can be coloured by: the value at a point (y, z) of a section, from its four vectors; `most`: the largest
 * over the section whose outline reaches as far as b, h (round: R); `signed`: both sides of zero */
const at = (v, row, k) => v[3 * row + k];
const across = (v, row) => Math.hypot(at(v, row, 1), at(v, row, 2));
export const quantities = {
  strain: {text: "strain", unit: "", signed: true, points: true,
    value: (v, y, z) => at(v, STRAIN, 0) + at(v, CURVATURE, 1) * z - at(v, CURVATURE, 2) * y,
    most: (v, o) => Math.abs(at(v, STRAIN, 0)) + (o.round ? o.y * across(v, CURVATURE) : Math.abs(at(v, CURVATURE, 1)) * o.z + Math.abs(at(v, CURVATURE, 2)) * o.y)},
  axial: {text: "axial strain", unit: "", signed: true, value: (v) => at(v, STRAIN, 0)},
  curvature: {text: "curvature", unit: "1/m", value: (v) => across(v, CURVATURE)},
  twist: {text: "twist", unit: "rad/m", signed: true, value: (v) => at(v, CURVATURE, 0)},
  force: {text: "axial force", unit: "N", signed: true, value: (v) => at(v, FORCE, 0)},
  shear: {text: "shear force", unit: "N", value: (v) => across(v, FORCE)},
  moment: {text: "bending moment", unit: "N·m", value: (v) => across(v, MOMENT)},
  torsion: {text: "torsional moment", unit: "N·m", signed: true, value: (v) => at(v, MOMENT, 0)},
  stress: {text: "von Mises stress", unit: "MPa", surface: true},
  stretch: {text: "strain of surfaces", unit: "", plate: 1},
  tension: {text: "tension of surfaces", unit: "N/m", signed: true, plate: 2},
  deflection: {text: "deflection of surfaces", unit: "m", cover: "place"},
  carried: {text: "force on bodies of surfaces", unit: "N", cover: "loads"},
};

// --- sections ------------------------------------------------------------------------------------

const circle = (r, n) => Array.from({length: n}, (_, i) => [r * Math.cos(2 * Math.PI * i / n), r * Math.sin(2 * Math.PI * i / n)]);

/** the outline as closed polygons, corners or smooth; `caps`: triangles of its points that close an end */
function polygons(kind, size, n) {
  if (kind === "circle" || kind === "tube") {
    const outer = {smooth: true, points: circle(size[0], n)}, fan = [];
    if (kind === "circle" || !(size[1] > 0)) {
      for (let i = 1; i + 1 < n; i++) fan.push(0, i, i + 1);
      return {loops: [outer], caps: fan};
    }
    // the inner wall is seen from inside: it runs the other way
    const inner = {smooth: true, points: circle(size[1], n).reverse()};
    for (let i = 0; i < n; i++) {
      const j = (i + 1) % n, p = 2 * n - 1 - i, q = 2 * n - 1 - j;
      fan.push(i, j, p, j, q, p);
    }
    return {loops: [outer, inner], caps: fan};
  }
  const [b, h] = [size[0] / 2, size[1] / 2];
  if (kind !== "i") return {loops: [{points: [[-b, -h], [b, -h], [b, h], [-b, h]]}], caps: [0, 1, 2, 0, 2, 3]};
  const w = size[2] / 2, f = h - size[3];
  return {loops: [{points: [[-b, -h], [b, -h], [b, -f], [w, -f], [w, f], [b, f], [b, h], [-b, h], [-b, f], [-w, f], [-w, -f], [-b, -f]]}],
    caps: [0, 1, 2, 0, 2, 11, 10, 3, 4, 10, 4, 9, 8, 5, 6, 8, 6, 7]};
}

/** vertices of a section: y and z, normals; every corner is there twice. edges: pairs of vertices that a side joins */
function section([kind, size, centre], n) {
  const {loops, caps} = polygons(kind, size, n), yz = [], normal = [], edges = [], first = [];
  for (const {points, smooth} of loops) {
    points.forEach((p, i) => {
      const q = points[(i + 1) % points.length], base = yz.length / 2;
      first.push(base);
      if (smooth) {
        const r = Math.hypot(...p), side = loops.length > 1 && points === loops[1].points ? -1 : 1;
        yz.push(...p);
        normal.push(side * p[0] / r, side * p[1] / r);
        edges.push([base, i + 1 < points.length ? base + 1 : base + 1 - points.length]);
        return;
      }
      const d = [q[0] - p[0], q[1] - p[1]], l = Math.hypot(...d) || 1;
      yz.push(...p, ...q);
      normal.push(d[1] / l, -d[0] / l, d[1] / l, -d[0] / l);
      edges.push([base, base + 1]);
    });
  }
  for (let i = 0; i < yz.length; i++) yz[i] += centre[i % 2];
  return {yz: Float32Array.from(yz), centre, normal: Float32Array.from(normal), edges, caps: caps.map((i) => first[i])};
}

/** how far a section reaches from its node: half width and height, or radius */
function reach([kind, size, centre]) {
  const round = kind === "circle" || kind === "tube", k = round ? 1 : 0.5, at = centre.map(Math.abs);
  return {round: round && !(at[0] + at[1]), y: k * size[0] + at[0], z: k * size[round ? 0 : 1] + at[1]};
}

/** the sections of all nodes, with the same number of vertices; `drawn`: a thin one is drawn thick enough to be seen */
function sections(group, least, fine) {
  const count = group.bodies[1];
  let list = (group.outlines ?? [{circle: [least]}]).map((o) => [...Object.entries(o)[0], o.centre ?? [0, 0]]);
  // different kinds along a beam: the rectangles about them
  if (list.some(([kind]) => kind !== list[0][0])) list = list.map(([kind, size, centre]) => { const r = reach([kind, size, [0, 0]]); return ["rectangle", [2 * r.y, 2 * r.z], centre]; });
  const made = list.map((o) => ({...section(o, fine ? 20 : 8), reach: reach(o)}));
  const scale = Math.max(1, least / Math.max(...made.map((s) => Math.max(s.reach.y, s.reach.z))));
  for (const s of made) s.drawn = s.yz.map((x, i) => s.centre[i % 2] + scale * (x - s.centre[i % 2]));
  return Array.from({length: count}, (_, i) => made[made.length > 1 ? i : 0]);
}

// --- one beam ------------------------------------------------------------------------------------

class Beam {
  constructor(beams, group) {
    const {m} = beams, [first, count] = group.bodies;
    Object.assign(this, {beams, group, first, count, intervals: group.closed ? count : count - 1});
    this.nodes = sections(group, 0.006 * m.size, m.run.scene.groups.length * count < 2000);
    const parts = Math.min(8, Math.max(1, Math.ceil(RINGS / this.intervals)));
    this.rings = [];
    for (let i = 0; i < this.intervals; i++) for (let k = 0; k < parts; k++) this.rings.push(this.ring(i, k / parts));
    this.rings.push(this.ring(this.intervals - 1, 1));
    this.values = new Float32Array(12);
    this.tangent = new Float32Array(3 * count);
    this.makeGeometry();
    const material = m.material(m.bodyColour(group.name), {flatShading: false});
    this.plain = material;
    this.mesh = new Mesh(this.geometry, material);
    Object.assign(this.mesh, {castShadow: !m.ghost, receiveShadow: !m.ghost, frustumCulled: false});
    this.mesh.userData.beam = this;
  }

  takes(by) { return Boolean(!by.surface && !by.cover && this.group.sections); }

  /** a section at part t of interval i; between which elements its values are */
  ring(i, t) {
    const {stations: s, sections: e = []} = this.group, next = i + 1 < this.count ? s[i + 1] : 1, x = s[i] + t * (next - s[i]);
    if (e.length < 2) return {i, t, x, e: 0, f: 0, w: 0};
    let k = 0;
    while (k < e.length - 2 && e[k + 1] < x) k++;
    return {i, t, x, e: k, f: k + 1, w: (x - e[k]) / (e[k + 1] - e[k])};
  }

  makeGeometry() {
    const {rings, nodes} = this, per = nodes[0].yz.length / 2, n = rings.length, ends = this.group.closed ? 0 : 2;
    const {edges, caps} = nodes[0], index = [], total = per * (n + ends);
    for (let r = 0; r + 1 < n; r++) for (const [a, b] of edges) index.push(per * r + a, per * (r + 1) + a, per * r + b, per * r + b, per * (r + 1) + a, per * (r + 1) + b);
    // the ends have vertices of their own, for their normals
    for (let k = 0; ends && k < caps.length; k += 3) {
      const [a, b, c] = [caps[k], caps[k + 1], caps[k + 2]], p = per * n, q = per * (n + 1);
      index.push(p + a, p + c, p + b, q + a, q + b, q + c);
    }
    this.geometry = new BufferGeometry();
    for (const name of ["position", "normal", "color"]) this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * total).fill(1), 3));
    this.geometry.setIndex(index);
    Object.assign(this, {per, ends});
  }

  /** directions of the curve at the nodes, each as long as a cubic between its neighbours wants them per interval */
  tangents() {
    const {beams: {m}, first, count, group, tangent} = this;
    for (let i = 0; i < count; i++) {
      if (!group.points) {
        const q = m.bodies[first + i].quaternion;
        tangent[3 * i] = 1 - 2 * (q.y * q.y + q.z * q.z);
        tangent[3 * i + 1] = 2 * (q.x * q.y + q.w * q.z);
        tangent[3 * i + 2] = 2 * (q.x * q.z - q.w * q.y);
        continue;
      }
      const a = i > 0 ? i - 1 : group.closed ? count - 1 : 0, b = i + 1 < count ? i + 1 : group.closed ? 0 : i;
      const p = m.bodies[first + a].position, q = m.bodies[first + b].position, d = [q.x - p.x, q.y - p.y, q.z - p.z], l = Math.hypot(...d) || 1;
      for (let k = 0; k < 3; k++) tangent[3 * i + k] = d[k] / l;
    }
  }

  /** place, axes y and z of a section in `out`: cubic through places and directions, rotation between those of the nodes */
  frame(ring, out) {
    const {beams: {m}, first, count, tangent} = this, {i, t} = ring, j = (i + 1) % count;
    const a = m.bodies[first + i], b = m.bodies[first + j], p = a.position, q = b.position;
    const h = p.distanceTo(q), t2 = t * t, t3 = t2 * t, n0 = 2 * t3 - 3 * t2 + 1, n1 = 1 - n0, d0 = (t3 - 2 * t2 + t) * h, d1 = (t3 - t2) * h;
    out[0] = n0 * p.x + n1 * q.x + d0 * tangent[3 * i] + d1 * tangent[3 * j];
    out[1] = n0 * p.y + n1 * q.y + d0 * tangent[3 * i + 1] + d1 * tangent[3 * j + 1];
    out[2] = n0 * p.z + n1 * q.z + d0 * tangent[3 * i + 2] + d1 * tangent[3 * j + 2];
    if (this.group.points) { this.carried(ring, h, out); return; }
    const u = a.quaternion, v = b.quaternion, near = u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w < 0 ? -t : t, s = 1 - t;
    let x = s * u.x + near * v.x, y = s * u.y + near * v.y, z = s * u.z + near * v.z, w = s * u.w + near * v.w;
    const l = 1 / Math.hypot(x, y, z, w);
    x *= l; y *= l; z *= l; w *= l;
    out[3] = 2 * (x * y - w * z); out[4] = 1 - 2 * (x * x + z * z); out[5] = 2 * (y * z + w * x);
    out[6] = 2 * (x * z + w * y); out[7] = 2 * (y * z - w * x); out[8] = 1 - 2 * (x * x + y * y);
  }

  /** axes across the curve, as near as possible to those of the section before */
  carried({i, t}, h, out) {
    const {beams: {m}, first, count, tangent, last} = this, j = (i + 1) % count, p = m.bodies[first + i].position, q = m.bodies[first + j].position;
    const c = 6 * t * t - 6 * t, d0 = 3 * t * t - 4 * t + 1, d1 = 3 * t * t - 2 * t, x = [q.x - p.x, q.y - p.y, q.z - p.z].map((d, k) => -c * d + h * (d0 * tangent[3 * i + k] + d1 * tangent[3 * j + k]));
    const l = Math.hypot(...x) || 1;
    for (let k = 0; k < 3; k++) x[k] /= l;
    let y = last ?? (Math.abs(x[2]) < 0.9 ? [0, 0, 1] : [0, 1, 0]);
    const dot = y[0] * x[0] + y[1] * x[1] + y[2] * x[2];
    y = y.map((d, k) => d - dot * x[k]);
    const n = Math.hypot(...y) || 1;
    this.last = y = y.map((d) => d / n);
    out.set(y, 3);
    out.set([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]], 6);
  }

  /** the four vectors of a section between frames i and j */
  sectionAt(ring, i, j, s) {
    const {load: all, loads: n} = this.beams.m.run.frames, {load} = this.group, out = this.values;
    const a = 3 * (i * n + load + 4 * ring.e), b = 3 * (i * n + load + 4 * ring.f), c = 3 * (j * n + load + 4 * ring.e), d = 3 * (j * n + load + 4 * ring.f);
    for (let k = 0; k < 12; k++) {
      const now = all[a + k] + s * (all[c + k] - all[a + k]);
      out[k] = ring.w ? now + ring.w * (all[b + k] + s * (all[d + k] - all[b + k]) - now) : now;
    }
    return out;
  }

  update(i, j, s) {
    const {rings, nodes, per, count, geometry, beams} = this, between = (u, v, k, t) => (u === v ? u[k] : u[k] + t * (v[k] - u[k])), f = new Float64Array(9);
    const position = geometry.attributes.position.array, normal = geometry.attributes.normal.array, colour = geometry.attributes.color.array;
    const by = beams.by && this.takes(beams.by) ? beams.by : null, most = by ? beams.mostAt(beams.m.run.frames.time[i]) : 0, map = by ? mapOf(by) : null;
    this.tangents();
    this.last = null;
    let o = 0;
    for (let r = 0; r < rings.length + this.ends; r++) {
      // behind the rings: the two ends
      const end = r >= rings.length, ring = end ? rings[r === rings.length ? 0 : rings.length - 1] : rings[r];
      if (!end || this.group.points !== true) this.frame(ring, f); else f.set(r === rings.length ? this.at0 : this.at1);
      if (r === 0) this.at0 = f.slice();
      if (r === rings.length - 1) this.at1 = f.slice();
      const a = nodes[ring.i], b = nodes[(ring.i + 1) % count], t = ring.t, side = end ? (r === rings.length ? -1 : 1) : 0;
      const x = [f[4] * f[8] - f[5] * f[7], f[5] * f[6] - f[3] * f[8], f[3] * f[7] - f[4] * f[6]], v = by ? this.sectionAt(ring, i, j, s) : null;
      let same = -1;
      for (let k = 0; k < per; k++, o += 3) {
        const y = between(a.drawn, b.drawn, 2 * k, t), z = between(a.drawn, b.drawn, 2 * k + 1, t);
        const ny = a.normal[2 * k], nz = a.normal[2 * k + 1];
        for (let c = 0; c < 3; c++) {
          position[o + c] = f[c] + y * f[3 + c] + z * f[6 + c];
          normal[o + c] = side ? side * x[c] : ny * f[3 + c] + nz * f[6 + c];
        }
        if (!by) continue;
        if (same < 0 || by.points) {
          same = placeOf(by, by.value(v, between(a.yz, b.yz, 2 * k, t), between(a.yz, b.yz, 2 * k + 1, t)), most);
        }
        colour[o] = map[same]; colour[o + 1] = map[same + 1]; colour[o + 2] = map[same + 2];
      }
    }
    geometry.attributes.position.needsUpdate = geometry.attributes.normal.needsUpdate = true;
    if (by) geometry.attributes.color.needsUpdate = true;
    geometry.boundingSphere = geometry.boundingBox = null;
  }

  /** the largest value of a quantity in frame i, on its elements and at its ends */
  most(by, i) {
    const {rings, nodes} = this;
    let most = 0;
    for (const ring of this.marks ??= [rings[0], rings[rings.length - 1], ...this.group.sections.map((_, k) => ({...rings[0], e: k, f: k, w: 0, i: Math.min(this.count - 1, Math.round(this.group.sections[k] * (this.count - 1)))}))]) {
      const v = this.sectionAt(ring, i, i, 0), value = Math.abs(by.most ? by.most(v, nodes[ring.i].reach) : by.value(v));
      if (value > most && Number.isFinite(value)) most = value;
    }
    return most;
  }

  /** the name, and the part of its length nearest to a place of the world */
  tell(point) {
    const {rings, group, per} = this, p = this.geometry.attributes.position.array;
    let best = 0, near = Infinity;
    for (let r = 0; r < rings.length; r++) {
      const o = 3 * per * r, d = (p[o] - point.x) ** 2 + (p[o + 1] - point.y) ** 2 + (p[o + 2] - point.z) ** 2;
      if (d < near) { near = d; best = r; }
    }
    return `${group.name} at ${show(rings[best].x, 2)} of its length`;
  }
}

// --- all of a run --------------------------------------------------------------------------------

export class Beams {
  constructor(mechanism) {
    Object.assign(this, {m: mechanism, root: new Group(), by: null, scales: new Map()});
    const {groups = [], skins = [], surfaces = [], plates = []} = mechanism.run.scene, {mesh} = mechanism.run;
    this.list = [...groups.map((g) => new Beam(this, g)), ...(mesh ? skins : []).map((k) => new Skin(this, k)), ...(mesh ? surfaces : []).map((c) => new Cover(this, c)), ...(mesh ? plates : []).map((p) => new Plate(this, p))];
    for (const b of this.list) this.root.add(b.mesh);
    this.names = Object.keys(quantities).filter((name) => this.list.some((b) => b.takes(quantities[name])));
    this.coloured = !mechanism.ghost && this.names.length > 0;
    if (this.coloured) this.colour(this.names[0]);
  }

  /** colour by a quantity; "" for none */
  colour(name) {
    this.name = name;
    this.by = this.coloured ? quantities[name] ?? null : null;
    for (const b of this.list) b.mesh.material = this.by && b.takes(this.by) ? b.painted ?? this.m.material("#ffffff", {vertexColors: true, roughness: 0.6, ...b.look}) : b.plain;
  }

  /** shapes of modes have a scale each, since their size means nothing; everything else one for the whole run */
  get shapes() { return this.m.run.raw.analysis === "modes"; }
  key(t) { return this.shapes ? `${this.name} ${Math.floor(t + 1e-6)}` : this.name; }

  mostAt(t) {
    const key = this.key(t);
    if (!this.scales.has(key)) {
      const {time} = this.m.run.frames;
      let most = 0;
      for (const b of this.list) for (let i = 0; b.takes(this.by) && i < time.length; i++) if (this.key(time[i]) === key) most = Math.max(most, b.most(this.by, i));
      this.scales.set(key, most);
    }
    return this.scales.get(key);
  }

  update(i, j, s) { for (const b of this.list) b.update(i, j, s); }

  /** the first run and others of the same page: one scale for all */
  share(others) {
    for (const name of Object.keys(quantities)) {
      if (this.shapes) return;
      const all = [this, ...others].filter((b) => b.names.includes(name));
      const before = all.map((b) => [b.name, b.by]);
      for (const b of all) { b.name = name; b.by = quantities[name]; }
      const most = all.length > 1 ? Math.max(...all.map((b) => b.mostAt(0))) : 0;
      for (const [k, b] of all.entries()) { if (most) b.scales.set(name, most); [b.name, b.by] = before[k]; }
      if (all.length < 2) continue;
    }
  }
}

/** the scale of colours, as an element of the page and into a picture */
export class Legend {
  constructor(beams, host) {
    this.beams = beams;
    this.bar = el("span", {className: "ramp"});
    this.low = el("span");
    this.high = el("span");
    this.title = el("span", {className: "what"});
    this.box = el("div", {id: "legend"}, this.title, el("span", {className: "scale"}, this.low, this.bar, this.high));
    host.append(this.box);
  }

  /** what stands at both ends, null where nothing is coloured */
  words(t) {
    const {by, shapes} = this.beams;
    if (!by) return null;
    const most = this.beams.mostAt(t), unit = by.unit ? ` ${by.unit}` : "", number = (x) => (shapes ? show(x, 3) : show(x, 3) + unit);
    const top = shapes ? 1 : most;
    return {title: shapes ? `${by.text}, of the largest` : by.text, low: by.signed && top > 0 ? number(-top) : number(0), high: number(top), stops: maps[by.signed ? "signed" : "size"]};
  }

  update(t) {
    const words = this.words(t), key = JSON.stringify(words);
    if (key === this.shown) return;
    this.shown = key;
    this.box.hidden = !words;
    if (!words) return;
    this.title.textContent = words.title;
    this.low.textContent = words.low;
    this.high.textContent = words.high;
    this.bar.style.background = `linear-gradient(90deg, ${words.stops.join(", ")})`;
  }

  /** onto a canvas of a picture */
  draw(context, t, text) {
    const words = this.words(t);
    if (!words) return;
    const w = context.canvas.width, h = context.canvas.height, r = Math.max(1, w / 900), x = 16 * r, y = h - 22 * r, wide = 150 * r;
    context.font = `${12 * r}px system-ui, sans-serif`;
    context.fillStyle = text;
    context.fillText(words.title, x, y - 8 * r);
    const from = x + context.measureText(words.low).width + 6 * r, ramp = context.createLinearGradient(from, 0, from + wide, 0);
    words.stops.forEach((c, i) => ramp.addColorStop(i / (words.stops.length - 1), c));
    context.fillText(words.low, x, y + 8 * r);
    context.fillText(words.high, from + wide + 6 * r, y + 8 * r);
    context.fillStyle = ramp;
    context.fillRect(from, y - 2 * r, wide, 11 * r);
  }
}
