// SPDX-License-Identifier: Apache-2.0
// The 3-D view: camera, lights, ground, road; draws when something has changed.
import {
  AmbientLight, Box3, Color, DirectionalLight, Fog, HemisphereLight, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial, PCFSoftShadowMap,
  PerspectiveCamera, Quaternion, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
import {OrbitControls} from "three/addons/controls/OrbitControls.js";
import {byId, css} from "./dom.js";
import {Legend} from "./beams.js";
import {Mechanism} from "./mechanism.js";
import {gridGeometry, roadGeometry, roadStrips} from "./shapes.js";

/** a renderer on the canvas at its present size, or null where there is no WebGL 2. Changes of size and shader checks
 * are slow in software renderers: the size is set once, the checks are off */
function makeRenderer(canvas, view) {
  const ratio = Math.min(window.devicePixelRatio, 2);
  canvas.width = Math.max(1, view.clientWidth);
  canvas.height = Math.max(1, view.clientHeight);
  const context = canvas.getContext("webgl2", {antialias: true, alpha: true, depth: true});
  if (!context) return null;
  const renderer = new WebGLRenderer({canvas, context});
  renderer.debug.checkShaderErrors = false;
  if (ratio !== 1) renderer.setPixelRatio(ratio);
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFSoftShadowMap;
  return renderer;
}

const corners = ({min, max}) => [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))));

/** the reason why there is no animation */
function absence(runs) {
  if (runs.some((r) => r.fault)) return "The animation cannot be shown: see the note above.";
  if (runs.some((r) => r.raw.status === "unfinished")) return "The run was not finished: its file holds no animation yet.";
  if (runs.some((r) => r.raw.model_text)) return "This model has no bodies to animate.";
  return "This result holds numbers alone, nothing to animate: the .nc files of 'hooke run' do, .csv files do not.";
}

export class Stage {
  /** the stage; null with a message on the page when there is no animation or no WebGL */
  static create(data, player) {
    const runs = data.runs.filter((r) => r.scene);
    const say = (text) => { byId("nothing").textContent = text; byId("nothing").hidden = false; byId("canvas").hidden = true; return null; };
    if (runs.length === 0) return say(absence(data.runs));
    const renderer = makeRenderer(byId("canvas"), byId("view"));
    if (!renderer) return say("This browser cannot draw in 3-D (WebGL 2 is missing); plots and summary work without it.");
    return new Stage(runs, player, renderer);
  }

  constructor(runs, player, renderer) {
    Object.assign(this, {runs, player, renderer, canvas: byId("canvas"), arrowScale: 0.5, follow: -1, dirty: true});
    const scene = runs[0].scene;
    const g = new Vector3(...scene.gravity);
    this.planar = scene.planar ? new Vector3(...scene.planar) : null;
    this.up = g.lengthSq() > 0 ? g.normalize().negate() : this.planar && Math.abs(this.planar.z) > 0.7 ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
    // seen from the side on which x goes to the right
    if (this.planar && new Vector3().crossVectors(this.up, this.planar).x < -1e-6) this.planar.negate();
    this.measure();
    this.scene = new Scene();
    this.mechanisms = runs.map((r, i) => new Mechanism(r, this.size, i > 0));
    for (const m of this.mechanisms) this.scene.add(m.root);
    // one scale for the arrows of all runs
    this.largest = this.mechanisms.reduce((most, m) => Math.max(most, m.largest || 0), 0);
    for (const m of this.mechanisms) m.largestLoad = this.largest;
    const [first, ...others] = this.mechanisms.map((m) => m.beams);
    first.share(others);
    if (first.coloured) this.legend = new Legend(first, byId("view"));
    this.sweepShapes();
    this.measureGround();
    this.camera = new PerspectiveCamera(35, 1, 0.01 * this.size, 4000 * this.size);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => { this.dirty = true; });
    this.lights();
    this.theme();
    this.makeGround();
    this.update(player.t);
    this.chooseFollow();
    player.listen((t) => { this.update(t); });
    new ResizeObserver(() => { this.resize(); }).observe(byId("view"));
    this.resize();
    this.picking();
    const draw = () => { if (this.dirty) this.render(); requestAnimationFrame(draw); };
    requestAnimationFrame(draw);
  }

  /** the size of the mechanism at the start, and the box of its travel */
  measure() {
    const box = new Box3(), way = new Box3(), p = new Vector3(), at = new Vector3(), q = new Quaternion();
    const {frames, scene} = this.runs[0];
    const heavy = scene.bodies.reduce((best, b, i) => (b.mass > scene.bodies[best].mass ? i : best), 0);
    const corner = (pose, list) => {
      p.set(list[0], list[1], list[2]).applyQuaternion(q.set(pose[4], pose[5], pose[6], pose[3]));
      box.expandByPoint(at.set(pose[0], pose[1], pose[2]).add(p));
    };
    const pose = (i) => (i < 0 ? [0, 0, 0, 1, 0, 0, 0] : frames.pose.subarray(7 * i, 7 * i + 7));
    for (const s of scene.shapes) {
      const e = s.size ? Math.max(...s.size) / 2 : s.radius ?? 0;
      if (s.body < 0) continue;
      corner(pose(s.body), s.at);
      if (s.size) for (const k of [-1, 1]) corner(pose(s.body), s.at.slice(0, 3).map((x, i) => x + k * s.size[i] / 2));
      else if (!s.length) for (const k of [-e, e]) corner(pose(s.body), s.at.slice(0, 3).map((x) => x + k));
      if (s.length) {
        const [w, x, y, zz] = s.at.slice(3);
        corner(pose(s.body), [s.at[0] + s.length * 2 * (x * zz + w * y), s.at[1] + s.length * 2 * (y * zz - w * x), s.at[2] + s.length * (1 - 2 * (x * x + y * y))]);
      }
    }
    for (const {bodies: [first, n]} of [...(scene.groups ?? []), ...(scene.plates ?? [])]) for (let i = first; i < first + n; i++) corner(pose(i), [0, 0, 0]);
    for (const j of scene.joints) for (const k of j.wheels || j.glyph === "none" ? [] : [0, 1]) corner(pose(j.bodies[k]), j.at[k]);
    if (box.isEmpty()) box.expandByPoint(at.set(0, 0, 0));
    for (let k = 0; k < frames.time.length; k++) way.expandByPoint(p.fromArray(frames.pose, 7 * (k * frames.bodies + heavy)));
    Object.assign(this, {heavy, box, way});
    this.size = Math.max(box.getSize(p).length(), 1e-3) / 1.5;
    this.wander = way.getSize(p).length() / this.size;
    this.travels = this.wander > 5;
    this.lowest = Infinity;
    this.sweep = new Box3();
    for (let k = 0; k < frames.time.length; k += 4) {
      for (let i = 0; i < frames.bodies; i++) {
        this.lowest = Math.min(this.lowest, p.fromArray(frames.pose, 7 * (k * frames.bodies + i)).dot(this.up));
        this.sweep.expandByPoint(p);
      }
    }
    for (const x of [box.min.x, box.max.x]) for (const y of [box.min.y, box.max.y]) for (const zz of [box.min.z, box.max.z]) this.lowest = Math.min(this.lowest, p.set(x, y, zz).dot(this.up));
  }

  /** the space that the shapes of all bodies sweep */
  sweepShapes() {
    const {frames} = this.runs[0], at = new Vector3(), q = new Quaternion();
    const every = Math.max(1, Math.ceil(frames.time.length / Math.max(4, Math.min(60, 1000 / frames.bodies))));
    this.cloud = [];
    this.mechanisms[0].bodies.forEach((body, i) => {
      const own = new Box3();
      for (const mesh of [...body.children, ...(this.mechanisms[0].drives.carried.get(i) ?? [])]) {
        mesh.geometry.computeBoundingBox();
        mesh.updateMatrix();
        own.union(mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrix));
      }
      if (this.mechanisms[0].nodes.has(i)) own.expandByPoint(at.set(0, 0, 0));
      const points = own.isEmpty() ? [] : this.mechanisms[0].nodes.has(i) ? [new Vector3()] : corners(own);
      for (let k = 0; k < frames.time.length; k += every) {
        const pose = frames.pose.subarray(7 * (k * frames.bodies + i), 7 * (k * frames.bodies + i) + 7);
        q.set(pose[4], pose[5], pose[6], pose[3]);
        at.fromArray(pose);
        for (const c of points) this.cloud.push(c.clone().applyQuaternion(q).add(at));
      }
    });
    // the ends of springs and other forces, where bodies carry them
    for (const f of this.runs[0].scene.forces) {
      f.ends.forEach((end, i) => {
        if (f.bodies[i] < 0) return;
        const local = new Vector3(end[0], end[1], end[2]);
        for (let k = 0; k < frames.time.length; k += every) {
          const pose = frames.pose.subarray(7 * (k * frames.bodies + f.bodies[i]), 7 * (k * frames.bodies + f.bodies[i]) + 7);
          this.cloud.push(local.clone().applyQuaternion(q.set(pose[4], pose[5], pose[6], pose[3])).add(at.fromArray(pose)));
        }
      });
    }
    for (const c of this.cloud) this.sweep.expandByPoint(c);
    // joints whose ends lie apart are not closed at the start
    const m = this.mechanisms[0], a = new Vector3(), b = new Vector3();
    this.anchors = m.run.scene.joints.filter((j) => !j.wheels && j.glyph !== "none" && (j.glyph === "rod" || m.point(j.bodies[0], j.at[0], a).distanceTo(m.point(j.bodies[1], j.at[1], b)) < 0.1 * this.size));
  }

  /** fixed parts: a floor that contains the whole travel keeps the camera still, unless the mechanism would be lost on it;
   * parts that are not huge are kept in view */
  measureGround() {
    const floor = new Box3().expandByObject(this.mechanisms[0].ground), p = new Vector3();
    const all = this.sweep.clone().union(this.box), far = 1e3 * this.size;
    const wide = floor.clone().expandByVector(p.copy(this.up).set(Math.abs(p.x), Math.abs(p.y), Math.abs(p.z)).multiplyScalar(far));
    if (!floor.isEmpty() && this.wander < 12 && wide.containsBox(this.way)) this.travels = false;
    this.parts = !floor.isEmpty() && floor.getSize(p).length() < 2.5 * all.getSize(new Vector3()).length() ? floor : null;
    // the lowest point, where shadows fall
    if (this.parts) all.union(floor);
    this.lowest = Math.min(this.lowest, ...corners(all).map((c) => c.dot(this.up)));
    this.reach = this.travels ? this.size : Math.max(this.size, all.getSize(p).length() / 2);
  }

  lights() {
    this.sky = new HemisphereLight(0xffffff, 0x556070, 1.5);
    this.sky.position.copy(this.up);
    this.sun = new DirectionalLight(0xffffff, 2.2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    const s = this.sun.shadow.camera, r = 1.6 * this.reach;
    Object.assign(s, {left: -r, right: r, top: r, bottom: -r, near: 0.1 * this.reach, far: 12 * this.reach});
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.004 * this.reach;
    this.scene.add(this.sky, this.sun, this.sun.target, new AmbientLight(0xffffff, 0.6));
    const side = new Vector3(1, 0, 0).addScaledVector(this.up, -this.up.x);
    if (side.lengthSq() < 0.1) side.set(0, 1, 0);
    side.normalize();
    const across = new Vector3().crossVectors(this.up, side);
    this.sunWay = this.up.clone().multiplyScalar(4).addScaledVector(side, 1.8).addScaledVector(across, -2.2).multiplyScalar(this.reach);
    if (this.planar) this.sunWay.addScaledVector(this.planar, 3 * this.reach);
    this.side = side;
    this.across = across;
  }

  makeGround() {
    const roads = this.runs[0].scene.roads ?? [];
    // cells of 1, 2 or 5 times a power of ten; the grid moves with the camera and fades with distance
    const want = Math.log10(this.reach / 4), ten = 10 ** Math.floor(want);
    this.cell = ten * [1, 2, 5, 10].find((x) => Math.log10(x) >= want - Math.floor(want) - 1e-9);
    this.scene.fog = new Fog(0xffffff, 1, 2);
    this.grid = new LineSegments(gridGeometry(40, this.cell), new LineBasicMaterial({transparent: true, opacity: 0.6}));
    this.grid.frustumCulled = false;
    const normal = this.planar ?? this.up;
    this.grid.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
    let height = this.planar ? -0.12 * this.size : this.lowest - 0.02 * this.size;
    const tyres = this.runs[0].scene.forces.filter((f) => f.glyph === "wheel");
    const strips = this.planar ? [] : roadStrips(roads, tyres, this.runs[0].frames.pose);
    this.roads = strips.map(({profile, y0, y1}, i) => {
      const {geometry, bottom} = roadGeometry(profile, y0, y1);
      const road = new Mesh(geometry, new MeshStandardMaterial({roughness: 0.95, flatShading: true, fog: false}));
      road.receiveShadow = true;
      height = i > 0 ? Math.min(height, bottom) : bottom;
      return road;
    });
    if (this.roads.length) this.scene.add(...this.roads);
    this.gridAt = normal.clone().multiplyScalar(height);
    this.scene.add(this.grid);
    this.theme();
  }

  theme() {
    this.scene.background = new Color(css("--stage") || "#eef1f5");
    this.scene.fog?.color.copy(this.scene.background);
    this.grid?.material.color.set(css("--grid") || "#c4cad3");
    for (const road of this.roads ?? []) road.material.color.set(css("--road") || "#b8bcc4");
    this.dirty = true;
  }

  chooseFollow() { this.setFollow(this.travels ? this.heavy : -1); }

  /** follow a body from now on; `centre`: look at it, from where the camera looks now */
  setFollow(i, centre = false) {
    this.follow = i;
    this.followAt = i >= 0 ? this.mechanisms[0].bodies[i].position.clone() : null;
    if (i < 0 || !centre) return;
    this.camera.position.add(this.followAt).sub(this.controls.target);
    this.controls.target.copy(this.followAt);
    this.dirty = true;
  }

  update(t) {
    for (const m of this.mechanisms) m.update(t, this.arrowScale);
    this.legend?.update(t);
    if (this.follow >= 0) {
      const now = this.mechanisms[0].bodies[this.follow].position, d = now.clone().sub(this.followAt);
      this.camera.position.add(d);
      this.controls.target.add(d);
      this.followAt.copy(now);
    }
    this.dirty = true;
  }

  /** the points to keep in view: for a mechanism that travels, its present place; for others, all that it sweeps, its
   * anchors and the ends of its forces */
  seen() {
    const m = this.mechanisms[0], {forces} = m.run.scene;
    if (this.travels) {
      const box = new Box3();
      for (const b of m.bodies) box.expandByObject(b);
      for (const i of m.nodes) box.expandByPoint(m.bodies[i].position);
      for (const f of forces) f.ends.forEach((end, i) => { if (f.bodies[i] >= 0) box.expandByPoint(m.point(f.bodies[i], end, new Vector3())); });
      return corners(box.isEmpty() ? this.box : box);
    }
    return [...(this.cloud.length ? this.cloud : corners(this.sweep)), ...(this.parts ? corners(this.parts) : []),
      ...this.anchors.map((j) => m.point(j.bodies[0], j.at[0], new Vector3())),
      ...forces.flatMap((f) => f.ends.map((e, i) => m.point(f.bodies[i], e, new Vector3())))];
  }

  /** iso, front, side, top: look at the whole mechanism */
  preset(name) {
    const {up, side, across} = this, from = new Vector3();
    const forward = this.planar ? this.planar.clone() : across.clone().negate();
    // front: along the normal of a planar mechanism, else along x
    if (name === "front") from.copy(this.planar ? forward : side);
    else if (name === "side") from.copy(this.planar ? side : forward);
    else if (name === "top") from.copy(up).addScaledVector(forward, 1e-3);
    else from.copy(forward).addScaledVector(side, this.planar ? 0.7 : 0.75).addScaledVector(up, 0.55);
    this.lookFrom(from.normalize());
    this.controls.update();
    this.dirty = true;
  }

  /** move the camera so that all points to keep in view are in the picture, with a margin */
  lookFrom(from) {
    const right = new Vector3().crossVectors(this.up, from).normalize(), top = new Vector3().crossVectors(from, right);
    const points = this.seen(), target = this.controls.target.set(0, 0, 0);
    for (const axis of [right, top, from]) {
      let low = Infinity, high = -Infinity;
      for (const p of points) { const x = p.dot(axis); low = Math.min(low, x); high = Math.max(high, x); }
      target.addScaledVector(axis, (low + high) / 2);
    }
    const high = Math.tan(this.camera.fov * Math.PI / 360) / 1.15, wide = high * (this.camera.aspect || 1);
    let far = 0.3 * this.size / high;
    for (const p of points) {
      p.sub(target);
      far = Math.max(far, p.dot(from) + Math.abs(p.dot(right)) / wide, p.dot(from) + Math.abs(p.dot(top)) / high);
      p.add(target);
    }
    this.camera.position.copy(target).addScaledVector(from, far);
  }

  setArrows(scale) {
    this.arrowScale = scale;
    for (const m of this.mechanisms) m.arrows.visible = scale > 0;
    this.update(this.player.t);
  }

  toggle(what, on) {
    for (const m of this.mechanisms) {
      if (what === "xray") m.setXray(on); else m[what].visible = on;
    }
    this.dirty = true;
  }

  /** colour beams by a quantity, "" for none */
  colour(name) { for (const m of this.mechanisms) m.beams.colour(name); this.update(this.player.t); }

  setTrails(which) { for (const m of this.mechanisms) m.setTrails(which); this.update(this.player.t); }
  showRun(i, on) { const m = this.mechanisms.find((x) => x.run.index === i); if (m) m.root.visible = on; this.dirty = true; }

  resize() {
    const view = byId("view"), w = Math.max(1, view.clientWidth), h = Math.max(1, view.clientHeight);
    const now = this.renderer.getSize(new Vector2()), before = this.camera.aspect;
    if (this.sized && now.x === w && now.y === h) return;
    if (now.x !== w || now.y !== h) this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    if (!this.sized || (before < 1) !== (w / h < 1)) this.preset(this.planar ? "front" : "iso");
    // resizing clears the canvas: draw at once, except for the first time
    if (this.sized) this.render();
    this.sized = this.dirty = true;
  }

  render() {
    this.dirty = false;
    this.sun.target.position.copy(this.controls.target);
    this.sun.position.copy(this.controls.target).add(this.sunWay);
    this.moveGrid();
    const far = this.camera.position.distanceTo(this.controls.target);
    Object.assign(this.scene.fog, {near: 0.9 * far, far: 3.2 * far});
    this.renderer.render(this.scene, this.camera);
  }

  /** centre the grid on its crossing nearest to the camera's target */
  moveGrid() {
    const p = this.controls.target.clone().sub(this.gridAt).applyQuaternion(this.grid.quaternion.clone().invert());
    p.set(Math.round(p.x / this.cell) * this.cell, Math.round(p.y / this.cell) * this.cell, 0);
    this.grid.position.copy(p.applyQuaternion(this.grid.quaternion)).add(this.gridAt);
  }

  picture() {
    this.render();
    if (!this.legend?.words(this.player.t)) return new Promise((done) => { this.canvas.toBlob(done, "image/png"); });
    const copy = document.createElement("canvas"), {width, height} = this.canvas;
    Object.assign(copy, {width, height});
    const context = copy.getContext("2d");
    context.drawImage(this.canvas, 0, 0);
    this.legend.draw(context, this.player.t, css("--text"));
    return new Promise((done) => { copy.toBlob(done, "image/png"); });
  }

  /** the name of the body under the pointer */
  picking() {
    const ray = new Raycaster(), at = new Vector2(), label = byId("label");
    this.canvas.addEventListener("pointermove", (e) => {
      label.hidden = true;
      if (e.buttons) return;
      const r = this.canvas.getBoundingClientRect();
      at.set((e.clientX - r.left) / r.width * 2 - 1, 1 - (e.clientY - r.top) / r.height * 2);
      ray.setFromCamera(at, this.camera);
      const hit = ray.intersectObjects([...this.mechanisms[0].bodies, this.mechanisms[0].beams.root], true)[0];
      if (!hit) return;
      const {body, beam} = hit.object.userData;
      label.textContent = beam ? beam.tell(hit.point) : this.runs[0].scene.bodies[body].name;
      label.style.left = `${e.clientX - r.left + 12}px`;
      label.style.top = `${e.clientY - r.top + 8}px`;
      label.hidden = false;
    });
    this.canvas.addEventListener("pointerleave", () => { label.hidden = true; });
  }
}
