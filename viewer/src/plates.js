// SPDX-License-Identifier: Apache-2.0
// Shells and membranes: the surface through their nodes, coloured by what the frames have of each element, as means at the nodes.
import {BufferAttribute, BufferGeometry, DoubleSide, Mesh} from "three";
import {paint} from "./colours.js";

const size = [1e-6, 1, 1]; // stress in MPa, strain, tension

export class Plate {
  constructor(beams, plate) {
    const {m} = beams, [first, n] = plate.bodies, [f0, nf] = plate.faces;
    Object.assign(this, {beams, plate, first, n, group: plate});
    this.face = new Uint32Array(m.run.mesh.faces().subarray(3 * f0, 3 * (f0 + nf)));
    this.elements = nf / 2;
    this.value = new Float64Array(n);
    // elements at each node: corners 0, 1, 2 of the first triangle and 2 of the second
    this.count = new Float64Array(n);
    this.eachCorner((node) => { this.count[node]++; });
    this.geometry = new BufferGeometry();
    for (const name of ["position", "normal", "color"]) this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * n).fill(1), 3));
    this.geometry.setIndex(new BufferAttribute(this.face, 1));
    this.look = {flatShading: false, side: DoubleSide};
    this.plain = m.material(m.bodyColour(plate.name), this.look);
    this.mesh = new Mesh(this.geometry, this.plain);
    Object.assign(this.mesh, {castShadow: !m.ghost, receiveShadow: !m.ghost, frustumCulled: false});
    this.mesh.userData.beam = this;
  }

  eachCorner(see) {
    for (let e = 0; e < this.elements; e++) for (const k of [0, 1, 2, 5]) see(this.face[6 * e + k], e);
  }

  takes(by) { return by.plate !== undefined || Boolean(by.surface); }

  /** values at the nodes between frames i and j */
  find(by, i, j, s) {
    const {load: all, loads: n} = this.beams.m.run.frames, {load} = this.plate, k = by.plate ?? 0, {value, count} = this;
    value.fill(0);
    this.eachCorner((node, e) => {
      const a = all[3 * (i * n + load + e) + k], b = all[3 * (j * n + load + e) + k], x = a + s * (b - a);
      if (Number.isFinite(x)) value[node] += size[k] * x / count[node];
    });
    return value;
  }

  update(i, j, s) {
    const {beams, geometry, first, n} = this, by = beams.by && this.takes(beams.by) ? beams.by : null;
    const most = by ? beams.mostAt(beams.m.run.frames.time[i]) : 0, {position, color} = geometry.attributes;
    for (let k = 0; k < n; k++) {
      const p = beams.m.bodies[first + k].position;
      position.array[3 * k] = p.x; position.array[3 * k + 1] = p.y; position.array[3 * k + 2] = p.z;
    }
    if (by) {
      const value = this.find(by, i, j, s);
      for (let k = 0; k < n; k++) paint(by, value[k], most, color.array, 3 * k);
      color.needsUpdate = true;
    }
    position.needsUpdate = true;
    geometry.computeVertexNormals();
    geometry.boundingSphere = geometry.boundingBox = null;
  }

  /** the largest value in frame i */
  most(by, i) { return this.find(by, i, i, 0).reduce((a, b) => Math.max(a, Math.abs(b)), 0); }

  /** the name of the nearest node */
  tell(point) {
    const {beams: {m}, first, n} = this;
    let best = 0, near = Infinity;
    for (let k = 0; k < n; k++) {
      const d = m.bodies[first + k].position.distanceToSquared(point);
      if (d < near) { near = d; best = k; }
    }
    return m.run.scene.bodies[first + best].name;
  }
}
