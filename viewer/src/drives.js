// SPDX-License-Identifier: Apache-2.0
// Wheels in mesh, straps, toothed bars, outlines with rollers, stops and discs: what a scene says of couplings, ranges and
// brakes (docs/results-format.md). Flat parts lie in the plane of x and y about the origin, as thick as `h` along z.
import {BoxGeometry, BufferGeometry, CylinderGeometry, Float32BufferAttribute, Group, Matrix4, Mesh, Quaternion, Vector3} from "three";
import * as shapes from "./shapes.js";

const vector = (a) => new Vector3(a[0], a[1], a[2]);
const turn = (at) => new Quaternion(at[4], at[5], at[6], at[3]);
const tau = 2 * Math.PI;
const polar = (r, angle) => [r * Math.cos(angle), r * Math.sin(angle)];

function solid(at) {
  const g = new BufferGeometry();
  g.setAttribute("position", new Float32BufferAttribute(at.flat(), 3));
  g.computeVertexNormals();
  return g;
}

/** the strip between two lists of points, `outer` to the right of the way, with its walls; `closed`: the last is followed by the first */
function strip(outer, inner, h, closed, at = []) {
  const up = (p) => [p[0], p[1], h / 2], down = (p) => [p[0], p[1], -h / 2], n = outer.length;
  const quad = (a, b, c, d) => at.push(a, b, c, a, c, d);
  for (let i = 0; i < (closed ? n : n - 1); i++) {
    const k = (i + 1) % n, a = outer[i], b = outer[k], c = inner[k], d = inner[i];
    quad(up(a), up(b), up(c), up(d));
    quad(down(d), down(c), down(b), down(a));
    quad(down(a), down(b), up(b), up(a));
    quad(down(c), down(d), up(d), up(c));
  }
  if (!closed) {
    quad(down(inner[0]), down(outer[0]), up(outer[0]), up(inner[0]));
    quad(down(outer[n - 1]), down(inner[n - 1]), up(inner[n - 1]), up(outer[n - 1]));
  }
  return at;
}

/** heights of a row of teeth over the pitch line, along it: [place in parts of the pitch, height in parts of half a tooth] */
const profile = [[-0.14, 1], [0.14, 1], [0.36, -1.15], [0.64, -1.15]];

/** a wheel of this pitch radius, with a tooth at the angle `phase`; spokes show how it turns */
function wheelGeometry({radius, teeth, inside, rim = 0.1}, phase, h) {
  const r = Math.abs(radius), half = teeth ? 0.26 * tau * r / teeth : 0, side = inside ? -1 : 1;
  const pitch = [], back = [];
  const edge = r - side * (1.15 * half + Math.min(0.4 * r, rim * r + half));
  for (let i = 0; i < (teeth || 72); i++) {
    for (const [s, height] of teeth ? profile : [[0, 0]]) {
      const angle = phase + tau * (i + s) / (teeth || 72);
      pitch.push(polar(r + side * height * half, angle));
      back.push(polar(edge, angle));
    }
  }
  const at = inside ? strip(back, pitch, h, true) : strip(pitch, back, h, true);
  for (let k = 0; k < 5 && !inside; k++) {
    const angle = phase + tau * k / 5, [x, y] = polar(1, angle), w = 0.05 * r;
    strip([[w * y, -w * x], [edge * x + w * y, edge * y - w * x]], [[-w * y, w * x], [edge * x - w * y, edge * y + w * x]], 0.5 * h, false, at);
  }
  return solid(at);
}

/** a toothed bar along z from `from` to `to`, its teeth towards x, one of them at `phase` */
function barGeometry(from, to, pitch, phase, h) {
  const half = 0.26 * pitch, line = [], back = [];
  for (let i = Math.ceil((from - phase) / pitch); phase + pitch * i < to; i++) {
    for (const [s, height] of profile) {
      line.push([phase + pitch * (i + s), height * half]);
      back.push([phase + pitch * (i + s), -4 * half]);
    }
  }
  // along, out of the teeth, across: z, x, y
  return solid(strip(back, line, h, false)).applyMatrix4(new Matrix4().set(0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1));
}

/** the rim of a curve, on the side away from the roller; a closed one runs counter-clockwise */
function outlineGeometry(points, inside, width, h, open) {
  const n = points.length, next = (i) => (open ? Math.min(n - 1, Math.max(0, i)) : (i + n) % n), other = points.map((p, i) => {
    const a = points[next(i - 1)], b = points[next(i + 1)], x = b[0] - a[0], y = b[1] - a[1], l = (inside ? -1 : 1) * Math.hypot(x, y) || 1;
    return [p[0] - width * y / l, p[1] + width * x / l];
  });
  return solid(inside ? strip(other, points, h, !open) : strip(points, other, h, !open));
}

/** the way of a strap round wheels in a plane: [x, y, radius], negative where it runs on the other side. Each piece leaves a wheel where
 * it is tangent to it and to the next: n . (c2 - c1) = r1 - r2. Returns points and normals; null where wheels overlap */
export function strapWay(wheels) {
  let area = 0;
  wheels.forEach(([x, y], i) => { const [u, v] = wheels[(i + 1) % wheels.length]; area += x * v - u * y; });
  const list = area < 0 ? [...wheels].reverse() : wheels, way = [];
  const leave = list.map(([x, y, r], i) => {
    const [u, v, s] = list[(i + 1) % list.length], d = Math.hypot(u - x, v - y), c = (r - s) / d;
    return Math.abs(c) <= 1 ? Math.atan2(v - y, u - x) - Math.acos(c) : NaN;
  });
  if (leave.some(Number.isNaN)) return null;
  list.forEach(([x, y, r], i) => {
    // counter-clockwise round wheels with positive radius, from where it comes to where it leaves
    const from = leave[(i + list.length - 1) % list.length], back = r < 0 ? -1 : 1;
    const span = back * ((((back * (leave[i] - from)) % tau) + tau) % tau), n = Math.max(2, Math.ceil(Math.abs(span) / 0.1));
    for (let k = 0; k <= n; k++) {
      const [nx, ny] = polar(1, from + span * k / n);
      way.push([x + r * nx, y + r * ny, nx, ny]);
    }
  });
  return way;
}

/** builds all of them into the joints of a mechanism */
export class Drives {
  constructor(mechanism) {
    Object.assign(this, {m: mechanism, wheels: new Map(), straps: [], stops: [], outlines: [], bars: [], discs: [], links: [], carried: new Map()});
    this.brass = mechanism.material("#d8b25a", {metalness: 0.45, roughness: 0.4, flatShading: true, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1});
    this.dark = mechanism.material("#3c4149", {flatShading: true});
    this.grey = mechanism.material("#9aa3ae", {flatShading: true});
    this.red = mechanism.material("#d9483b", {flatShading: true});
    this.violet = mechanism.material("#8a6fc0", {roughness: 0.6});
    const {joints, forces} = mechanism.run.scene;
    for (const j of joints) {
      if (j.wheels) this.addCoupling(j);
      if (j.links?.length) this.addLinks(j.links);
      if (j.outline?.length > 2) this.addOutline(j);
      for (const l of j.limits ?? []) this.addStop(j, l);
    }
    for (const f of forces) if (f.glyph === "disc" && f.joint !== undefined) this.addDisc(f, joints[f.joint]);
  }

  /** a part that a body carries */
  carry(body, at, geometry, material) {
    const holder = new Group(), mesh = new Mesh(geometry, material);
    mesh.position.copy(vector(at));
    mesh.quaternion.copy(turn(at));
    mesh.castShadow = !this.m.ghost;
    holder.add(mesh);
    holder.userData.body = body;
    this.m.joints.add(holder);
    if (!this.carried.has(body)) this.carried.set(body, []);
    this.carried.get(body).push(mesh);
    return mesh;
  }

  /** place and axes of a part in the world, with the bodies at their places of the first frame */
  frame(part) {
    const own = turn(part.at), q = part.body >= 0 ? this.m.bodies[part.body].quaternion.clone().multiply(own) : own;
    const [x, y, z] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((a) => vector(a).applyQuaternion(q));
    return {p: this.m.point(part.body, part.at, new Vector3()), x, y, z, q};
  }

  key(w) {
    return [w.body, w.teeth > 0 ? 1 : 0, Math.abs(w.radius), ...w.at.slice(0, 3)].map((x) => x.toFixed(6)).join(" ");
  }

  /** a wheel with a tooth at an angle; one that is there already, as of a train of gears, keeps its own teeth */
  wheel(w, phase) {
    const key = this.key(w);
    if (!this.wheels.has(key)) {
      const mesh = this.carry(w.body, w.at, wheelGeometry(w, phase, Math.max(0.8 * this.m.glyph, 0.12 * Math.abs(w.radius))), this.brass);
      this.wheels.set(key, {w, phase, mesh});
    }
    return this.wheels.get(key);
  }

  addCoupling(j) {
    if (!j.wheels.length) return;
    if (j.glyph === "teeth") this.addMesh(j.wheels);
    else if (j.bar) this.addBar(j.wheels[0], j.bar);
    else for (const w of j.wheels) this.wheel(w, 0);
    if (j.glyph === "strap") this.addStrap(j.wheels);
  }

  /** a ring on every joint of a relation, and lines from the first of them to the others, which follow them */
  addLinks(links) {
    for (const [i, l] of links.entries()) {
      const ring = this.carry(l.body, l.at, shapes.jointGeometry("ring", 0.8 * this.m.glyph), this.violet);
      if (i === 0) { this.links.push({ring}); continue; }
      const mesh = this.m.link(shapes.thread(), this.violet, 0.15 * this.m.glyph);
      this.m.distances.push({j: {bodies: [links[0].body, l.body], at: [links[0].at, l.at]}, mesh});
      this.m.joints.add(mesh);
      this.links.push({ring, mesh});
    }
  }

  /** two wheels: where they meet, a tooth of one stands in a gap of the other */
  addMesh([v, w]) {
    for (const [has, other] of [[v, w], [w, v]]) {
      const {teeth} = this.wheels.get(this.key(has))?.w ?? has;
      if (teeth !== has.teeth) [has.teeth, other.teeth] = [teeth, Math.round(teeth * Math.abs(other.radius / has.radius))];
    }
    const a = this.frame(v), b = this.frame(w), to = b.p.clone().sub(a.p);
    // from its middle to where they meet
    const first = v.inside ? to.clone().negate() : to, second = w.inside || v.inside ? first : to.clone().negate();
    const angle = (f, d) => Math.atan2(d.dot(f.y), d.dot(f.x));
    const has = this.wheel(v, angle(a, first)), way = (a.z.dot(b.z) < 0 ? -1 : 1) * (w.inside || v.inside ? 1 : -1);
    const pitch = tau * Math.abs(v.radius) / (v.teeth || 1), off = (has.phase - angle(a, first)) * Math.abs(v.radius) + pitch / 2;
    this.wheel(w, angle(b, second) + way * off / Math.abs(w.radius));
  }

  /** a bar as long as what the wheel rolls on during the run */
  addBar(w, bar) {
    const a = this.frame(w), b = this.frame(bar), r = Math.abs(w.radius), to = b.x.clone().negate(), {time, pose, bodies} = this.m.run.frames;
    const angle = Math.atan2(to.dot(a.y), to.dot(a.x)), has = this.wheel(w, angle), pitch = tau * r / (w.teeth || 20);
    const along = (k) => {
      const at = (part) => {
        const o = 7 * (k * bodies + part.body), q = part.body < 0 ? new Quaternion() : turn(pose.subarray(o, o + 7));
        const p = vector(part.at).applyQuaternion(q);
        return {q, p: part.body < 0 ? p : p.add(vector(pose.subarray(o, o + 3)))};
      };
      const u = at(bar), z = vector([0, 0, 1]).applyQuaternion(turn(bar.at)).applyQuaternion(u.q);
      return at(w).p.sub(u.p).dot(z);
    };
    let low = Infinity, high = -Infinity;
    for (let k = 0; k < time.length; k++) low = Math.min(low, along(k)), high = Math.max(high, along(k));
    const way = Math.sign(a.z.clone().cross(to).dot(b.z)) || 1, phase = along(0) + pitch / 2 + way * (has.phase - angle) * r;
    this.bars.push(this.carry(bar.body, bar.at, barGeometry(low - 1.5 * r, high + 1.5 * r, pitch, phase, Math.max(0.8 * this.m.glyph, 0.3 * r)), this.brass));
  }

  addStrap(wheels) {
    const mesh = new Mesh(new BufferGeometry(), this.dark), far = wheels.map((w) => this.frame(w));
    if (far.length < 2 || far.some((f) => Math.abs(f.z.dot(far[0].z)) < 0.99)) return;
    mesh.castShadow = !this.m.ghost;
    this.m.joints.add(mesh);
    this.straps.push({wheels, mesh, last: []});
  }

  /** straps follow the middles of their wheels */
  update() {
    for (const s of this.straps) {
      const at = s.wheels.map((w) => this.frame(w)), {p, z} = at[0], x = at[1].p.clone().sub(p), h = Math.max(0.9 * this.m.glyph, 0.14 * Math.abs(s.wheels[0].radius));
      x.addScaledVector(z, -x.dot(z)).normalize();
      const y = z.clone().cross(x), d = new Vector3();
      const plane = at.map((f, i) => { d.subVectors(f.p, p); return [d.dot(x), d.dot(y), s.wheels[i].radius]; });
      s.mesh.position.copy(p);
      s.mesh.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(x, y, z));
      if (plane.flat().every((v, i) => Math.abs(v - s.last[i]) < 1e-4 * this.m.size)) continue;
      s.last = plane.flat();
      s.way = strapWay(plane);
      s.mesh.visible = s.way !== null;
      if (!s.way) continue;
      const thick = 0.25 * this.m.glyph, sides = [1, -1].map((k) => s.way.map(([u, v, nx, ny]) => [u + k * thick * nx, v + k * thick * ny]));
      s.mesh.geometry.dispose();
      s.mesh.geometry = solid(strip(sides[0], sides[1], 1.15 * h, true));
    }
  }

  addOutline(j) {
    const size = Math.max(...j.outline.map((p) => Math.hypot(...p))), h = Math.max(1.2 * this.m.glyph, 0.3 * size);
    const rim = this.carry(j.bodies[0], j.at[0], outlineGeometry(j.outline, j.inside, (j.open ? 0.04 : 0.12) * size, h, j.open), this.brass);
    // the face of a flat follower, at its place; else a roller or a point
    const thick = 0.06 * size, flat = j.face !== undefined && new BoxGeometry(thick, 2 * size, 1.1 * h).translate(thick / 2, 0, 0).rotateZ(j.face);
    const round = flat || (j.radius > 0 ? new CylinderGeometry(j.radius, j.radius, 1.1 * h, 40).rotateX(Math.PI / 2) : shapes.jointGeometry("point", 0.6 * this.m.glyph));
    this.outlines.push({j, rim, roller: this.carry(j.bodies[1], j.at[1], round, this.grey)});
  }

  /** the range of an angle as an arc, with a hand on the second body; that of a length as a bar */
  addStop(j, {turns, axis, range}) {
    const g = this.m.glyph, z = vector(axis), [low, high] = range, reach = turns ? 0.6 : 6 * g;
    const from = low ?? high - reach, to = high ?? low + reach, ends = range.filter((x) => x !== null);
    const stop = {j, marks: [], hand: null};
    const on = (k, q, p, geometry, material) => {
      const at = turn(j.at[k]), w = at.clone().multiply(q), o = vector(j.at[k]).add(p.clone().applyQuaternion(at));
      return this.carry(j.bodies[k], [o.x, o.y, o.z, w.w, w.x, w.y, w.z], geometry, material);
    };
    const none = new Vector3();
    if (turns) {
      const {x, far} = this.hand(j, z), y = z.clone().cross(x), q = new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(x, y, z));
      const r = Math.max(5 * g, Math.min(10 * g, 0.5 * far)), n = Math.max(2, Math.ceil(Math.min(to - from, tau) / 0.08)), arc = (radius) => Array.from({length: n + 1}, (_, i) => polar(radius, from + Math.min(to - from, tau) * i / n));
      on(0, q, none, solid(strip(arc(r + 0.25 * g), arc(r - 0.25 * g), 0.5 * g, false)), this.grey);
      for (const angle of ends) {
        const [c, s] = polar(1, angle), b = q.clone().multiply(new Quaternion().setFromAxisAngle(vector([0, 0, 1]), angle));
        stop.marks.push(on(0, b, x.clone().multiplyScalar(r * c).addScaledVector(y, r * s), new BoxGeometry(2.4 * g, 0.5 * g, 1.2 * g), this.red));
      }
      stop.hand = on(1, q, x.clone().multiplyScalar(0.5 * r), new BoxGeometry(r, 0.4 * g, 0.4 * g), this.dark);
    } else {
      const q = new Quaternion().setFromUnitVectors(vector([0, 0, 1]), z);
      const rod = shapes.thread().clone().scale(0.3 * g, 0.3 * g, to - from);
      on(0, q, z.clone().multiplyScalar(from), rod, this.grey);
      for (const x of ends) stop.marks.push(on(0, q, z.clone().multiplyScalar(x), new BoxGeometry(3.6 * g, 3.6 * g, 0.5 * g), this.red));
    }
    this.stops.push(stop);
  }

  /** the direction of a hand across an axis, in the axes of the joint: to the middle of the second body, or of the first */
  hand(j, z) {
    const {bodies} = this.m.run.scene;
    for (const k of [1, 0]) {
      if (j.bodies[k] < 0) continue;
      const d = vector(bodies[j.bodies[k]].com).sub(vector(j.at[k])).applyQuaternion(turn(j.at[k]).invert());
      d.addScaledVector(z, -d.dot(z));
      if (d.length() > 1e-3 * this.m.size) return {far: d.length(), x: d.normalize()};
    }
    const d = vector(Math.abs(z.x) < 0.9 ? [1, 0, 0] : [0, 1, 0]);
    return {far: 0, x: d.addScaledVector(z, -d.dot(z)).normalize()};
  }

  /** how far the shapes of a joint's second body reach along an axis through it */
  reach(j, z) {
    const axis = z.clone().applyQuaternion(turn(j.at[1])), o = vector(j.at[1]), body = this.m.bodies[j.bodies[1]], p = new Vector3();
    let far = 0;
    for (const mesh of body?.children ?? []) {
      mesh.geometry.computeBoundingBox();
      mesh.updateMatrix();
      const {min, max} = mesh.geometry.boundingBox;
      for (const x of [min.x, max.x]) for (const y of [min.y, max.y]) for (const w of [min.z, max.z]) far = Math.max(far, p.set(x, y, w).applyMatrix4(mesh.matrix).sub(o).dot(axis));
    }
    return far;
  }

  /** a disc beside the second body between pads on the first; on a length two pads alone */
  addDisc(f, j) {
    // on the side that the camera sees at first
    const g = this.m.glyph, z = vector(f.axis), side = z.clone().applyQuaternion(this.frame({body: j.bodies[0], at: j.at[0]}).q).dot(vector([1, -2, 1])) < 0 ? -1 : 1, r = f.turns && f.radius < 2 * this.m.size ? f.radius : 5 * g;
    const q = new Quaternion().setFromUnitVectors(vector([0, 0, 1]), z), x = vector([1, 0, 0]).applyQuaternion(q);
    const on = (k, p, geometry, material) => {
      const at = turn(j.at[k]), w = at.clone().multiply(q), o = vector(j.at[k]).add(p.clone().applyQuaternion(at));
      return this.carry(j.bodies[k], [o.x, o.y, o.z, w.w, w.x, w.y, w.z], geometry, material);
    };
    const beside = z.clone().multiplyScalar(f.turns ? side * (this.reach(j, z.clone().multiplyScalar(side)) + 1.5 * g) : 0), pads = [], disc = f.turns ? on(1, beside, wheelGeometry({radius: 1.25 * r, teeth: 0, rim: 0.4}, 0, 0.5 * g), this.grey) : null;
    for (const k of [-1, 1]) {
      const p = f.turns ? x.clone().multiplyScalar(r).addScaledVector(z, 0.75 * k * g) : x.clone().multiplyScalar(1.4 * k * g);
      pads.push(on(0, p.add(beside), new BoxGeometry(f.turns ? 0.4 * r : g, f.turns ? 0.6 * r : 2 * g, f.turns ? g : 3 * g), this.red));
    }
    this.discs.push({f, disc, pads});
  }
}
