// SPDX-License-Identifier: Apache-2.0
// One run as objects of a three.js scene: bodies with their shapes, joints, springs, arrows, trails.
import {
  BufferAttribute, BufferGeometry, Color, Group, Line, LineBasicMaterial, Mesh, MeshStandardMaterial, Quaternion,
  Vector3,
} from "three";
import {Beams} from "./beams.js";
import {bracket} from "./data.js";
import {Drives} from "./drives.js";
import * as shapes from "./shapes.js";

const palette = ["#4c78a8", "#e8943a", "#6aa36f", "#c65b5b", "#8a6fb0", "#3f9c9c", "#b58a4e", "#7f8ea3", "#d47fa6", "#98a446"];
const colourOf = /^#[0-9a-fA-F]{6}$/;

/** set an object's pose from seven numbers: position x y z, quaternion w x y z */
function place(object, pose) {
  object.position.set(pose[0], pose[1], pose[2]);
  object.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
}

const z = new Vector3(0, 0, 1), a = new Vector3(), b = new Vector3(), c = new Vector3(), d = new Vector3(), q = new Quaternion(), q2 = new Quaternion();

/** median length of the bodies: joint and spring symbols are scaled by it, so that they do not hide the links of a long chain */
function typical({scene, frames}) {
  const own = new Map();
  // a beam counts as one body, from its start to its end
  for (const g of scene.groups ?? []) {
    const [first, n] = g.bodies, p = frames.pose.subarray(7 * first), q = frames.pose.subarray(7 * (first + n - 1));
    own.set(g.name, Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]));
  }
  for (const s of scene.shapes) own.set(s.body, Math.max(own.get(s.body) ?? 0, s.length ?? 0, 2 * (s.radius ?? 0), ...(s.size ?? [])));
  own.delete(-1);
  const list = [...own.values()].filter((x) => x > 0).sort((x, y) => x - y);
  return list[Math.floor(list.length / 2)] ?? 0;
}

export class Mechanism {
  constructor(run, size, ghost) {
    Object.assign(this, {run, size, ghost, root: new Group(), bodies: [], joints: new Group(), springs: new Group(), arrows: new Group()});
    this.materials = new Map();
    this.glyph = Math.min(0.022 * size, Math.max(0.0025 * size, 0.15 * typical(run) || Infinity));
    this.ground = new Group();
    // nodes of a beam or cable: its inner ones have no lists and trails of their own, nor have modal coordinates
    this.inner = new Set((run.scene.groups ?? []).flatMap(({bodies: [first, n]}) => Array.from({length: Math.max(0, n - 2)}, (_, i) => first + 1 + i)));
    for (const {bodies: [first], modes} of run.scene.skins ?? []) for (let i = 1; i <= modes; i++) this.inner.add(first + i);
    for (const {bodies: [first, n]} of run.scene.plates ?? []) for (let i = 0; i < n; i++) this.inner.add(first + i);
    this.nodes = new Set([...(run.scene.groups ?? []), ...(run.scene.plates ?? [])].flatMap(({bodies: [first, n]}) => Array.from({length: n}, (_, i) => first + i)));
    this.root.add(this.ground, this.joints, this.springs, this.arrows);
    this.makeBodies();
    this.beams = new Beams(this);
    this.root.add(this.beams.root);
    this.makeJoints();
    this.drives = new Drives(this);
    this.makeForces();
    this.makeTrails();
  }

  material(colour, more = {}) {
    const key = colour + JSON.stringify(more);
    if (!this.materials.has(key)) {
      const m = new MeshStandardMaterial({color: new Color(colour), roughness: 0.55, metalness: 0.1, fog: false, ...more});
      if (this.ghost) Object.assign(m, {transparent: true, opacity: 0.3, depthWrite: false});
      this.materials.set(key, m);
    }
    return this.materials.get(key);
  }

  /** parts of the same name in several instances (front_left.arm, rear_left.arm) get the same colour */
  bodyColour(name) {
    this.kinds ??= new Map();
    const kind = name.split(".").pop();
    if (!this.kinds.has(kind)) this.kinds.set(kind, palette[this.kinds.size % palette.length]);
    return this.kinds.get(kind);
  }

  makeBodies() {
    const scene = this.run.scene;
    for (const body of scene.bodies) {
      const group = new Group();
      const i = group.userData.body = this.bodies.length;
      place(group, this.run.frames.pose.subarray(7 * i, 7 * i + 7));
      if (!this.nodes.has(i)) this.bodyColour(String(body.name));
      this.bodies.push(group);
      this.root.add(group);
    }
    // a wheel whose shape is its tyre is drawn once
    const rubber = new Map();
    for (const f of scene.forces) if (f.glyph === "wheel") rubber.set(f.bodies[0], f);
    this.round = new Set();
    // a body that is drawn as a wheel, a cam or a roller needs no box for its mass
    const wheels = new Set(scene.joints.flatMap((j) => [...(j.wheels ?? []).map((w) => w.body), ...(j.outline ? j.bodies : [])]));
    for (const s of scene.shapes) {
      if (s.automatic && s.kind === "box" && wheels.has(s.body)) continue;
      const geometry = shapes.shapeGeometry(s.automatic ? this.visible(s) : s, this.run.mesh, this.size);
      if (!geometry) continue;
      const tyre = rubber.get(s.body);
      const wheel = tyre && s.kind === "cylinder" && Math.abs(s.radius / tyre.radius - 1) < 0.08;
      if (wheel) this.round.add(s.body);
      const own = s.body >= 0 ? this.bodyColour(String(scene.bodies[s.body].name)) : "#8b8f98";
      const colour = colourOf.test(s.colour ?? "") ? s.colour : wheel ? "#33363d" : own;
      const mesh = new Mesh(geometry, this.material(colour, {flatShading: s.kind === "mesh" || s.kind === "box"}));
      place(mesh, s.at);
      mesh.castShadow = !this.ghost;
      mesh.receiveShadow = !this.ghost;
      mesh.userData.body = s.body;
      (s.body >= 0 ? this.bodies[s.body] : this.ground).add(mesh);
    }
  }

  /** a rod or ball that the model does not give: as thick as its length asks, but neither lost nor fat beside the joints */
  visible(s) {
    if (s.kind === "rod") return {...s, radius: Math.max(0.5 * this.glyph, 0.004 * this.size, Math.min(0.8 * this.glyph, 0.04 * s.length))};
    return s.kind === "sphere" ? {...s, radius: Math.max(s.radius, 1.2 * this.glyph)} : s;
  }

  makeJoints() {
    const material = this.material("#f2c14e", {metalness: 0.35, roughness: 0.4});
    this.distances = [];
    for (const j of this.run.scene.joints) {
      // couplings and outlines have no symbol at one place
      if (j.glyph === "none" || j.wheels || j.outline) continue;
      if (j.glyph === "rod") {
        this.distances.push({j, mesh: this.link(shapes.thread(), material, 0.35 * this.glyph)});
        this.joints.add(this.distances.at(-1).mesh);
        continue;
      }
      const mesh = new Mesh(shapes.jointGeometry(j.glyph, this.glyph), material);
      place(mesh, j.at[1]);
      // symbols move with the second body; a joint switched by an event may be elsewhere on the first
      const holder = new Group();
      holder.add(mesh);
      this.joints.add(holder);
      holder.userData.body = j.bodies[1];
    }
  }

  link(geometry, material, width) {
    const mesh = new Mesh(geometry, material);
    mesh.userData.width = width;
    mesh.castShadow = !this.ghost;
    return mesh;
  }

  makeForces() {
    const steel = this.material("#9fb4c7", {metalness: 0.6, roughness: 0.35});
    const red = this.material("#e4572e", {emissive: "#5a1400", roughness: 0.6, depthTest: false, transparent: true});
    const flesh = this.material("#b5473c", {roughness: 0.6});
    const black = this.material("#33363d", {}), dark = this.material("#596673", {metalness: 0.5, roughness: 0.4});
    this.coils = [];
    this.dashpots = [];
    this.muscles = [];
    this.ropes = [];
    this.loads = [];
    for (const f of this.run.scene.forces) {
      if (f.glyph === "coil") this.addSpring(f, steel, dark);
      else if (f.glyph === "spindle") this.addMuscle(f, flesh);
      else if (f.glyph === "rod") this.addRope(f, steel);
      else if (f.glyph === "wheel" && !this.round.has(f.bodies[0])) {
        const holder = new Group(), mesh = new Mesh(shapes.rubber(f.radius), black);
        place(mesh, f.ends[0]);
        holder.add(mesh);
        holder.userData.body = f.bodies[0];
        this.springs.add(holder);
      } else if (f.glyph === "block") {
        const holder = new Group(), mesh = new Mesh(shapes.block(1.5 * this.glyph), black);
        place(mesh, f.ends[1]);
        holder.add(mesh);
        holder.userData.body = f.bodies[1];
        this.springs.add(holder);
      }
      if (f.load === undefined || this.loads.length > 2000) continue;
      this.addArrow({body: f.bodies[f.arrow], at: f.ends[f.arrow], load: f.load, down: f.glyph === "wheel" ? f.radius : 0}, red);
    }
    this.addReactions();
  }

  /** a coil, a dashpot, or a coil around a dashpot; a coil when the result does not say which */
  addSpring(f, steel, dark) {
    this.point(f.bodies[0], f.ends[0], a);
    const both = f.spring && f.damper, length = a.distanceTo(this.point(f.bodies[1], f.ends[1], b));
    // width in proportion to the length, within limits
    const width = this.glyph * Math.min(2.6, Math.max(1.3, 0.055 * length / this.glyph));
    if (f.spring !== false || !f.damper) {
      const mesh = this.link(shapes.thread(), steel, width);
      if (this.coils.length > 200) mesh.castShadow = false;
      this.coils.push({f, mesh});
      this.springs.add(mesh);
    }
    if (f.damper) {
      const tube = this.link(shapes.thread(), dark, (both ? 0.5 : 0.75) * width), rod = this.link(shapes.thread(), steel, (both ? 0.2 : 0.28) * width);
      this.dashpots.push({f, tube, rod});
      this.springs.add(tube, rod);
    }
  }

  /** a line through all ends; pieces of a cable are drawn with it */
  addRope(f, steel) {
    const within = (g) => f.bodies.every((i) => i >= g.bodies[0] && i < g.bodies[0] + g.bodies[1]);
    if (f.ends.length < 2 || (this.run.scene.groups ?? []).some(within)) return;
    const pieces = f.ends.slice(1).map(() => this.link(shapes.thread(), steel, 0.3 * this.glyph));
    this.ropes.push({f, pieces});
    this.springs.add(...pieces);
  }

  addMuscle(f, flesh) {
    const length = this.point(f.bodies[0], f.ends[0], a).distanceTo(this.point(f.bodies[1], f.ends[1], b));
    const mesh = this.link(shapes.spindle(), flesh, Math.min(1.6 * this.glyph, Math.max(0.3 * this.glyph, 0.05 * length)));
    this.muscles.push({f, mesh, length});
    this.springs.add(mesh);
  }

  updateSprings() {
    // a muscle keeps its volume
    for (const {f, mesh, length} of this.muscles) {
      this.point(f.bodies[0], f.ends[0], a);
      this.point(f.bodies[1], f.ends[1], b);
      this.stretch(mesh, a, b, mesh.userData.width * Math.sqrt(length / Math.max(a.distanceTo(b), 0.1 * length)));
    }
    for (const {f, pieces} of this.ropes) pieces.forEach((mesh, k) => { this.stretch(mesh, this.point(f.bodies[k], f.ends[k], a), this.point(f.bodies[k + 1], f.ends[k + 1], b), mesh.userData.width); });
    const fine = this.coils.length <= 60;
    for (const k of this.coils) {
      const {f, mesh} = k, w = mesh.userData.width;
      this.stretch(mesh, this.point(f.bodies[0], f.ends[0], a), this.point(f.bodies[1], f.ends[1], b), w);
      const ratio = a.distanceTo(b) / w;
      k.turns ??= shapes.coilTurns(ratio, fine);
      mesh.geometry = shapes.coil(k.turns, ratio, fine);
    }
    for (const p of this.dashpots) {
      const {f, tube, rod} = p;
      this.point(f.bodies[0], f.ends[0], a);
      this.point(f.bodies[1], f.ends[1], b);
      const now = a.distanceTo(b);
      p.length ??= now;
      // the tube keeps its length, the rod slides into it
      const part = now > 0 ? Math.min(0.55 * p.length, 0.95 * now) / now : 0;
      this.stretch(rod, c.lerpVectors(a, b, 0.5 * part), b, rod.userData.width);
      this.stretch(tube, a, c.lerpVectors(a, b, part), tube.userData.width);
    }
  }

  /** reactions of joints, where the run recorded them */
  addReactions() {
    const blue = this.material("#4c8bf5", {emissive: "#06204f", depthTest: false, transparent: true});
    for (const j of this.run.scene.joints) {
      const channels = ["x", "y", "z"].map((k) => this.run.byName.get(`joint.${j.name}.force.${k}`));
      if (channels.every((c) => c)) this.addArrow({body: j.bodies[1], at: j.at[1], channels}, blue);
    }
  }

  addArrow(load, material) {
    load.shaft = new Mesh(shapes.arrowShaft(), material);
    load.head = new Mesh(shapes.arrowHead(), material);
    load.shaft.renderOrder = load.head.renderOrder = 2;
    this.arrows.add(load.shaft, load.head);
    this.loads.push(load);
  }

  /** the largest force of the run, for the arrows' length */
  get largest() {
    if (this.largestLoad === undefined) {
      const {load: values, loads: n} = this.run.frames, rows = [...new Set(this.loads.filter((l) => !l.channels).map((l) => l.load))];
      let most = 0;
      for (let k = 0; 3 * n * k < values.length && n; k++) for (const l of rows) { const i = 3 * (n * k + l); most = Math.max(most, Math.hypot(values[i], values[i + 1], values[i + 2]) || 0); }
      for (const l of this.loads) {
        if (!l.channels) continue;
        const [x, y, w] = l.channels.map((c) => c.values());
        for (let i = 0; i < x.length; i++) most = Math.max(most, Math.hypot(x[i], y[i], w[i]) || 0);
      }
      this.largestLoad = most;
    }
    return this.largestLoad;
  }

  makeTrails() {
    this.trails = new Group();
    this.trailOf = [];
    this.root.add(this.trails);
  }

  /** which bodies draw a trail: "", "all" or a body's number */
  setTrails(which) {
    for (const t of this.trailOf) t.line.geometry.dispose();
    this.trails.clear();
    this.trailOf = [];
    if (which === "") return;
    const {time, pose, bodies} = this.run.frames;
    this.run.scene.bodies.forEach((body, i) => {
      if (which === "all" ? this.inner.has(i) : Number(which) !== i) return;
      const at = new Float32Array(3 * time.length);
      for (let k = 0; k < time.length; k++) {
        const o = 7 * (k * bodies + i);
        a.fromArray(body.com).applyQuaternion(q.set(pose[o + 4], pose[o + 5], pose[o + 6], pose[o + 3]));
        at.set([pose[o] + a.x, pose[o + 1] + a.y, pose[o + 2] + a.z], 3 * k);
      }
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(at, 3));
      const line = new Line(geometry, new LineBasicMaterial({fog: false, color: this.bodyColour(String(body.name)), transparent: true, opacity: this.ghost ? 0.4 : 0.9}));
      line.frustumCulled = false;
      this.trails.add(line);
      this.trailOf.push({line});
    });
  }

  /** a point of a body in the world */
  point(body, at, out) {
    out.set(at[0], at[1], at[2]);
    if (body >= 0) out.applyQuaternion(this.bodies[body].quaternion).add(this.bodies[body].position);
    return out;
  }

  stretch(mesh, from, to, width) {
    d.subVectors(to, from);
    const length = d.length();
    mesh.visible = length > 1e-9;
    if (!mesh.visible) return;
    mesh.position.copy(from);
    mesh.quaternion.setFromUnitVectors(z, d.divideScalar(length));
    mesh.scale.set(width, width, length);
  }

  /** move everything to a time */
  update(t, arrowScale) {
    const {time, pose, bodies} = this.run.frames;
    const i = time.length > 1 ? bracket(time, t) : 0, j = Math.min(i + 1, time.length - 1);
    const span = time[j] - time[i], s = span > 0 ? Math.min(1, Math.max(0, (t - time[i]) / span)) : 0;
    for (let k = 0; k < bodies; k++) {
      const o = 7 * (i * bodies + k), p = 7 * (j * bodies + k), body = this.bodies[k];
      body.position.set(pose[o] + s * (pose[p] - pose[o]), pose[o + 1] + s * (pose[p + 1] - pose[o + 1]), pose[o + 2] + s * (pose[p + 2] - pose[o + 2]));
      q.set(pose[o + 4], pose[o + 5], pose[o + 6], pose[o + 3]);
      q2.set(pose[p + 4], pose[p + 5], pose[p + 6], pose[p + 3]);
      body.quaternion.copy(q.slerp(q2, s));
    }
    for (const group of [this.joints, this.springs]) {
      for (const holder of group.children) {
        const body = holder.userData.body;
        if (body === undefined || body < 0) continue;
        holder.position.copy(this.bodies[body].position);
        holder.quaternion.copy(this.bodies[body].quaternion);
      }
    }
    this.beams.update(i, j, s);
    this.updateSprings();
    this.drives.update();
    for (const {j: joint, mesh} of this.distances) this.stretch(mesh, this.point(joint.bodies[0], joint.at[0], a), this.point(joint.bodies[1], joint.at[1], b), mesh.userData.width);
    for (const {line} of this.trailOf) line.geometry.setDrawRange(0, i + 2);
    this.updateArrows(t, i, j, s, arrowScale);
  }

  updateArrows(t, i, j, s, scale) {
    const {load: values, loads: n} = this.run.frames;
    const unit = this.largest > 0 ? scale * 1.2 * this.size / this.largest : 0;
    for (const load of this.loads) {
      if (load.channels) b.set(...load.channels.map((c) => c.at(t)));
      else {
        const o = 3 * (i * n + load.load), p = 3 * (j * n + load.load);
        b.set(...[0, 1, 2].map((k) => values[o + k] + s * (values[p + k] - values[o + k])));
      }
      const length = b.length() * unit;
      load.shaft.visible = load.head.visible = this.arrows.visible && length > 0.01 * this.size;
      if (!load.shaft.visible) continue;
      this.point(load.body, load.at, a);
      const head = Math.min(0.35 * length, 4 * this.glyph), r = 0.55 * this.glyph;
      b.normalize();
      // a tyre's force begins on the road
      if (load.down) a.z -= load.down;
      load.shaft.position.copy(a);
      load.shaft.quaternion.setFromUnitVectors(z, b);
      load.shaft.scale.set(r, r, length - head);
      load.head.position.copy(a).addScaledVector(b, length - head);
      load.head.quaternion.copy(load.shaft.quaternion);
      load.head.scale.set(2.4 * r, 2.4 * r, head);
    }
  }

  /** make all materials transparent or not */
  setXray(on) {
    if (this.ghost) return;
    for (const m of this.materials.values()) {
      if (!m.depthTest) continue;
      Object.assign(m, {transparent: on, opacity: on ? 0.45 : 1, depthWrite: !on});
      m.needsUpdate = true;
    }
  }
}
