// SPDX-License-Identifier: Apache-2.0
// Surfaces that follow bodies: the place of each point is a sum over bodies, weight x position + rotation x offset. Points without
// triangles are drawn as points. Colours: how far a point has gone since the start as the first body of the surface sees it, and the
// force on the bodies, carried over to the points by their weights.
import {BufferAttribute, BufferGeometry, DoubleSide, Mesh, Points, PointsMaterial} from "three";
import {paint} from "./colours.js";

/** rotation (by rows) of a quaternion into out[o..o + 8] */
function rotation(x, y, z, w, out, o) {
  out[o] = 1 - 2 * (y * y + z * z); out[o + 1] = 2 * (x * y - w * z); out[o + 2] = 2 * (x * z + w * y);
  out[o + 3] = 2 * (x * y + w * z); out[o + 4] = 1 - 2 * (x * x + z * z); out[o + 5] = 2 * (y * z - w * x);
  out[o + 6] = 2 * (x * z - w * y); out[o + 7] = 2 * (y * z + w * x); out[o + 8] = 1 - 2 * (x * x + y * y);
}

export class Cover {
  constructor(beams, cover) {
    const {m} = beams, [, n] = cover.points, [f0, nf] = cover.faces, number = new Map(cover.list.map((b, i) => [b, i]));
    Object.assign(this, {beams, cover, n, group: cover});
    this.of = Int32Array.from(cover.bodies, (b) => number.get(b));
    this.weights = Float64Array.from(cover.weights);
    this.offsets = Float64Array.from(cover.offsets);
    this.poses = new Float64Array(12 * cover.list.length); // rotation by rows, position
    this.loads = this.findLoads();
    this.forces = new Float64Array(3 * cover.list.length);
    this.geometry = new BufferGeometry();
    for (const name of ["position", "normal", "color"]) this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * n).fill(1), 3));
    if (nf) this.geometry.setIndex(new BufferAttribute(new Uint32Array(m.run.mesh.faces().subarray(3 * f0, 3 * (f0 + nf))), 1));
    this.makeMesh(m, nf > 0);
    this.first = this.relative(0, new Float32Array(3 * n));
    this.now = new Float32Array(3 * n);
  }

  makeMesh(m, faces) {
    const {cover, geometry} = this, colour = m.bodyColour(cover.name);
    this.look = {flatShading: false, side: DoubleSide};
    if (faces) {
      this.plain = m.material(colour, this.look);
      this.mesh = new Mesh(geometry, this.plain);
    } else {
      const points = (name, more) => {
        const made = new PointsMaterial({size: 0.006 * m.size, fog: false, ...more});
        m.materials.set(name + cover.name, made);
        return made;
      };
      this.plain = points("points ", {color: colour});
      this.painted = points("painted points ", {color: "#ffffff", vertexColors: true});
      this.mesh = new Points(geometry, this.plain);
    }
    Object.assign(this.mesh, {castShadow: !m.ghost && faces, receiveShadow: !m.ghost && faces, frustumCulled: false});
    this.mesh.userData.beam = this;
  }

  /** rows of the forces that another program gives its bodies, in the order of these; null without such forces */
  findLoads() {
    const {external, list} = this.cover, {forces} = this.beams.m.run.scene;
    if (!external) return null;
    const byName = new Map(forces.map((f) => [f.name, f.load])), rows = list.map((_, i) => byName.get(`${external}_${i + 1}`));
    return rows.every((r) => r !== undefined) ? rows : null;
  }

  takes(by) { return by.cover === "place" || Boolean(by.cover === "loads" && this.loads); }

  /** poses of its bodies in a frame of the run, or as the mechanism stands */
  stand(frame) {
    const {poses, beams: {m}, cover: {list}} = this, {pose, bodies} = m.run.frames;
    list.forEach((b, k) => {
      if (frame === undefined) {
        const {position: p, quaternion: q} = m.bodies[b];
        rotation(q.x, q.y, q.z, q.w, poses, 12 * k);
        poses[12 * k + 9] = p.x; poses[12 * k + 10] = p.y; poses[12 * k + 11] = p.z;
        return;
      }
      const o = 7 * (frame * bodies + b);
      rotation(pose[o + 4], pose[o + 5], pose[o + 6], pose[o + 3], poses, 12 * k);
      for (let c = 0; c < 3; c++) poses[12 * k + 9 + c] = pose[o + c];
    });
  }

  /** places of all points for the poses that stand */
  places(out) {
    const {cover: {counts}, of, weights, offsets, poses, n} = this;
    for (let i = 0, e = 0; i < n; i++) {
      let x = 0, y = 0, z = 0;
      for (const end = e + counts[i]; e < end; e++) {
        const o = 12 * of[e], w = weights[e], a = offsets[3 * e], b = offsets[3 * e + 1], c = offsets[3 * e + 2];
        x += w * poses[o + 9] + poses[o] * a + poses[o + 1] * b + poses[o + 2] * c;
        y += w * poses[o + 10] + poses[o + 3] * a + poses[o + 4] * b + poses[o + 5] * c;
        z += w * poses[o + 11] + poses[o + 6] * a + poses[o + 7] * b + poses[o + 8] * c;
      }
      out[3 * i] = x; out[3 * i + 1] = y; out[3 * i + 2] = z;
    }
    return out;
  }

  /** places as the first body sees them: R'(x - p), where poses stand or in a frame */
  relative(frame, out, places) {
    const {poses, n} = this;
    this.stand(frame);
    const x = places ?? this.places(out);
    for (let i = 0; i < n; i++) {
      const a = x[3 * i] - poses[9], b = x[3 * i + 1] - poses[10], c = x[3 * i + 2] - poses[11];
      for (let k = 0; k < 3; k++) out[3 * i + k] = poses[k] * a + poses[3 + k] * b + poses[6 + k] * c;
    }
    return out;
  }

  /** forces on its bodies between frames i and j */
  loaded(i, j, s) {
    const {load: all, loads: n} = this.beams.m.run.frames;
    this.loads.forEach((row, k) => {
      for (let c = 0; c < 3; c++) {
        const a = all[3 * (i * n + row) + c], b = all[3 * (j * n + row) + c], x = a + s * (b - a);
        this.forces[3 * k + c] = Number.isFinite(x) ? x : 0;
      }
    });
  }

  /** calls see(point, value) for all points; places and forces are as they stand */
  values(by, see) {
    const {cover: {counts}, of, weights, forces, now, first, n} = this;
    for (let i = 0, e = 0; i < n; i++) {
      if (by.cover === "place") {
        see(i, Math.hypot(now[3 * i] - first[3 * i], now[3 * i + 1] - first[3 * i + 1], now[3 * i + 2] - first[3 * i + 2]));
        continue;
      }
      let x = 0, y = 0, z = 0;
      for (const end = e + counts[i]; e < end; e++) {
        const o = 3 * of[e], w = weights[e];
        x += w * forces[o]; y += w * forces[o + 1]; z += w * forces[o + 2];
      }
      see(i, Math.hypot(x, y, z));
    }
  }

  update(i, j, s) {
    const {beams, geometry} = this, by = beams.by && this.takes(beams.by) ? beams.by : null;
    const most = by ? beams.mostAt(beams.m.run.frames.time[i]) : 0, {position, color} = geometry.attributes;
    this.stand();
    this.places(position.array);
    if (by) {
      if (by.cover === "place") this.relative(undefined, this.now, position.array); else this.loaded(i, j, s);
      this.values(by, (k, value) => paint(by, value, most, color.array, 3 * k));
      color.needsUpdate = true;
    }
    position.needsUpdate = true;
    if (geometry.index) geometry.computeVertexNormals();
    geometry.boundingSphere = geometry.boundingBox = null;
  }

  /** the largest value in frame i */
  most(by, i) {
    let most = 0;
    if (by.cover === "place") this.relative(i, this.now); else this.loaded(i, i, 0);
    this.values(by, (_, value) => { if (value > most && Number.isFinite(value)) most = value; });
    return most;
  }

  /** the name, and the number of the nearest point */
  tell(point) {
    const x = this.geometry.attributes.position.array;
    let best = 0, near = Infinity;
    for (let i = 0; i < this.n; i++) {
      const d = (x[3 * i] - point.x) ** 2 + (x[3 * i + 1] - point.y) ** 2 + (x[3 * i + 2] - point.z) ** 2;
      if (d < near) { near = d; best = i; }
    }
    return `${this.cover.name}, point ${best + 1}`;
  }
}
