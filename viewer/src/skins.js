// SPDX-License-Identifier: Apache-2.0
// Surfaces of bodies with modes: places and stresses of the nodes are sums over modes times modal coordinates, which the frames have.
import {BufferAttribute, BufferGeometry, Mesh} from "three";
import {paint} from "./colours.js";

/** von Mises of xx yy zz and xy yz zx */
const mises = (a, b, c, d, e, f) => Math.sqrt(0.5 * ((a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2) + 3 * (d * d + e * e + f * f));

export class Skin {
  constructor(beams, skin) {
    const {m} = beams, [p0, n] = skin.points, [f0, nf] = skin.faces, all = m.run.mesh.points(), size = 3 * n;
    Object.assign(this, {beams, skin, n, group: skin, body: skin.bodies[0]});
    const part = (k, count) => all.subarray(3 * p0 + k * size, 3 * p0 + (k + count) * size);
    this.rest = part(0, 1);
    this.shape = part(1, skin.modes);
    // xx yy zz and xy yz zx of node i in mode j stand one behind the other
    this.stress = skin.stress ? part(1 + skin.modes, 2 * skin.modes) : null;
    this.q = new Float64Array(skin.modes);
    this.geometry = new BufferGeometry();
    for (const name of ["position", "color"]) this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(size).fill(1), 3));
    this.geometry.setIndex(new BufferAttribute(new Uint32Array(m.run.mesh.faces().subarray(3 * f0, 3 * (f0 + nf))), 1));
    this.plain = m.material(m.bodyColour(skin.name), {flatShading: true});
    this.mesh = new Mesh(this.geometry, this.plain);
    Object.assign(this.mesh, {castShadow: !m.ghost, receiveShadow: !m.ghost, frustumCulled: false});
    this.mesh.userData.beam = this;
    this.look = {flatShading: true};
  }

  takes(by) { return Boolean(by.surface && this.stress); }

  /** modal coordinates between frames i and j */
  coordinates(i, j, s) {
    const {load: all, loads: n} = this.beams.m.run.frames, {load, modes} = this.skin;
    for (let k = 0; k < modes; k++) {
      const a = all[3 * (i * n + load) + k], b = all[3 * (j * n + load) + k], x = a + s * (b - a);
      this.q[k] = Number.isFinite(x) ? x : 0;
    }
    return this.q;
  }

  /** the stress at a node, in MPa */
  at(node) {
    const {q, stress, n} = this, x = [0, 0, 0, 0, 0, 0];
    for (let j = 0; j < q.length; j++) for (let k = 0; k < 6; k++) x[k] += q[j] * stress[6 * (n * j + node) + k];
    return mises(...x) / 1e6;
  }

  update(i, j, s) {
    const {beams, n, rest, shape, geometry} = this, q = this.coordinates(i, j, s), out = geometry.attributes.position.array;
    const by = beams.by && this.takes(beams.by) ? beams.by : null, most = by ? beams.mostAt(beams.m.run.frames.time[i]) : 0;
    out.set(rest);
    if (by) this.coordinates(i, j, s); // the scale may have asked for other frames
    for (let k = 0; k < q.length; k++) for (let o = 0, a = 3 * n * k; o < 3 * n; o++) out[o] += q[k] * shape[a + o];
    for (let k = 0; by && k < n; k++) paint(by, this.at(k), most, geometry.attributes.color.array, 3 * k);
    geometry.attributes.position.needsUpdate = true;
    if (by) geometry.attributes.color.needsUpdate = true;
    geometry.boundingSphere = geometry.boundingBox = null;
    // the pose of the floating frame, and of the axes of the file in it
    const body = beams.m.bodies[this.body], [x, y, z, w, a, b, c] = this.skin.at;
    this.mesh.position.set(x, y, z).applyQuaternion(body.quaternion).add(body.position);
    this.mesh.quaternion.set(a, b, c, w).premultiply(body.quaternion);
  }

  /** the largest stress in frame i */
  most(by, i) {
    let most = 0;
    this.coordinates(i, i, 0);
    for (let k = 0; k < this.n; k++) { const x = this.at(k); if (x > most && Number.isFinite(x)) most = x; }
    return most;
  }

  tell() { return this.skin.name; }
}
