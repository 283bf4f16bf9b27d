// The mechanism in three dimensions.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Batch, matrix, setDetail } from './batch.js';
import { bodyColours, curve, ink } from './colours.js';
import { Poses, boundsOf } from './pose.js';
import { addJointSymbols } from './symbols.js';
import { Arrows } from './arrows.js';
import { Labels, mostNamed } from './labels.js';

const shadowsUpTo = 400;

// Radius of point-like shapes and thickness of thin rods, where a scene gives none.
function sizeOf(shape, reach) {
  const [a, b, c] = shape.size;
  const thin = (value, part) => (value > 0 ? value : part * reach);
  switch (shape.type) {
    case 'cylinder': return ['cylinder', [a, a, thin(b, 0.01)]];
    case 'sphere': return ['sphere', Array(3).fill(thin(a, 0.02))];
    case 'rod': { const r = (b > 0 ? b : Math.min(0.022 * reach, 0.25 * a)) / 2; return ['rod', [r, r, a]]; }
    case 'ring': return ['ring', [a, a, a]];
    default: return ['box', [thin(a, 0.01), thin(b, 0.01), thin(c, 0.01)]];
  }
}

const xToZ = new THREE.Matrix4().makeRotationY(Math.PI / 2);
const unscaled = [1, 1, 1];

export class View {
  constructor(stage, runs, clock) {
    this.stage = stage;
    this.runs = runs;
    this.clock = clock;
    this.run = runs[0];
    const { bodies, joints } = runs[0].scene;
    this.show = { names: bodies.length <= mostNamed, joints: true, forces: true, torques: joints.some((joint) => joint.driven), traces: true, grid: true, ghost: true, follow: false };
    this.arrowScale = 1;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    stage.append(this.renderer.domElement);
    this.scene = new THREE.Scene();
    this.identity = new THREE.Matrix4();
    setDetail(this.run.scene.bodies.length);
    this.measure();
    this.light();
    this.addBodies();
    this.addLines();
    this.addGround();
    this.addTraces();
    this.symbols = addJointSymbols(this.run.scene, this.symbolSize());
    this.scene.add(this.symbols.group);
    this.arrows = new Arrows(this.run, this.reach);
    this.scene.add(this.arrows.group);
    this.labels = new Labels(this);
    this.aim();
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.target.copy(this.centre);
    this.controls.enableDamping = false;
    this.controls.addEventListener('change', () => this.draw());
    this.paint();
    new ResizeObserver(() => this.resize()).observe(stage);
    this.resize();
    clock.listen(() => this.move());
  }

  measure() {
    const { box, still } = boundsOf(this.run);
    this.box = box;
    this.centre = box.getCenter(new THREE.Vector3());
    this.extent = box.getSize(new THREE.Vector3());
    this.span = Math.max(this.extent.length(), 1e-9);
    // what travels far is looked at from near by, and the camera goes with it
    const size = still.getSize(new THREE.Vector3());
    this.travels = this.span > 3 * size.length() && size.length() > 0;
    this.show.follow = this.travels;
    this.stillCentre = still.getCenter(new THREE.Vector3());
    this.reach = Math.max(this.travels ? 1.5 * size.length() : this.span, 1e-9);
    if (this.travels) {
      this.extent.copy(size).multiplyScalar(1.5);
      this.centre.copy(this.stillCentre);
    }
    const g = new THREE.Vector3(...this.run.scene.gravity);
    this.up = new THREE.Vector3(0, 0, 1);
    if (g.length() > 0) {
      // the axis nearest to up, so that the grid stays parallel to axes on gentle slopes
      this.up = g.clone().negate().normalize();
    } else if (this.extent.z < 0.05 * this.reach) this.up.set(0, 1, 0);
    this.poses = this.runs.map((run) => new Poses(run));
  }

  symbolSize() {
    const bodies = this.run.scene.bodies.length;
    return this.reach * 0.0135 * (bodies > 12 ? Math.sqrt(12 / bodies) : 1);
  }

  light() {
    this.scene.add(new THREE.HemisphereLight('#ffffff', '#9aa3b2', 1.9));
    const sun = new THREE.DirectionalLight('#ffffff', 2.2);
    const side = new THREE.Vector3(0.5, 0.35, 0.6).addScaledVector(this.up, 1.4).normalize();
    const middle = this.centre, far = this.reach;
    sun.position.copy(middle).addScaledVector(side, 2 * far);
    sun.target.position.copy(middle);
    this.shadows = this.run.scene.bodies.length <= shadowsUpTo;
    if (this.shadows) {
      this.renderer.shadowMap.enabled = true;
      this.renderer.shadowMap.type = THREE.PCFShadowMap;
      sun.castShadow = true;
      sun.shadow.mapSize.set(1024, 1024);
      const s = 0.75 * this.reach;
      Object.assign(sun.shadow.camera, { left: -s, right: s, top: s, bottom: -s, near: 0.1 * far, far: 4 * far });
      sun.shadow.normalBias = 0.004 * this.reach;
    }
    this.sun = sun;
    this.scene.add(sun, sun.target);
  }

  // ---- bodies ----

  addBodies() {
    const clear = { transparent: true, depthWrite: false, roughness: 0.8 };
    this.solid = new Batch(new THREE.MeshStandardMaterial({ roughness: 0.55, metalness: 0.05 }), { shadows: this.shadows });
    this.guess = new Batch(new THREE.MeshStandardMaterial({ ...clear, opacity: 0.28 }));
    this.fill(this.solid, this.guess, this.run.scene, null);
    this.scene.add(this.solid.build().group, this.guess.build().group);
    if (this.runs.length < 2) return;
    const ghost = new THREE.MeshStandardMaterial({ ...clear, opacity: 0.42 });
    this.ghost = new Batch(ghost);
    const other = this.runs[1].scene;
    this.fill(this.ghost, this.ghost, other && this.runs[1].poses.length ? { ...other, ground: [] } : { bodies: [], ground: [] }, '#e0457b');
    this.scene.add(this.ghost.build().group);
  }

  fill(solid, guess, scene, colour) {
    const add = (shape, body, paint) => {
      const [kind, size] = sizeOf(shape, this.reach);
      const local = matrix(shape.at, shape.turn, kind === 'rod' ? unscaled : size);
      if (kind === 'rod') local.multiply(xToZ).multiply(new THREE.Matrix4().makeScale(...size));
      (shape.guess ? guess : solid).add(kind === 'rod' ? 'cylinder' : kind, paint, local, body);
    };
    scene.bodies.forEach((body, i) => body.shapes.forEach((shape, k) => {
      const tone = new THREE.Color(colour || bodyColours[i % bodyColours.length]);
      // a second shape of a body stands out a little
      if (!colour && k > 0) tone.offsetHSL(0, 0, k % 2 ? -0.07 : 0.07);
      add(shape, i, tone);
    }));
    for (const shape of scene.ground) add(shape, -1, colour || '#9099a8');
  }

  addLines() {
    this.linePlaces = this.run.scene.lines.map(() => new THREE.Matrix4());
    this.lines = new Batch(new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.2 }), { shadows: this.shadows });
    this.run.scene.lines.forEach((line, i) => this.lines.add(line.kind === 'spring' ? 'spring' : 'cylinder',
      line.kind === 'spring' ? '#8c96a8' : '#6f7b8f', this.identity, i));
    this.scene.add(this.lines.build().group);
  }

  moveLines(poses) {
    const from = new THREE.Vector3(), to = new THREE.Vector3(), z = new THREE.Vector3(0, 0, 1);
    const turn = new THREE.Quaternion(), size = new THREE.Vector3();
    this.run.scene.lines.forEach((line, i) => {
      from.set(...line.at1);
      to.set(...line.at2);
      if (line.body1 >= 0) from.applyMatrix4(poses.matrices[line.body1]);
      if (line.body2 >= 0) to.applyMatrix4(poses.matrices[line.body2]);
      const along = to.clone().sub(from), length = along.length();
      const r = this.reach * (line.kind === 'spring' ? 0.02 : 0.006);
      turn.setFromUnitVectors(z, length > 0 ? along.divideScalar(length) : z);
      size.set(r, r, Math.max(length, 1e-12));
      this.linePlaces[i].compose(from.add(to).multiplyScalar(0.5), turn, size);
    });
    this.lines.move((i) => this.linePlaces[i]);
  }

  // ---- ground ----

  addGround() {
    const planes = this.run.scene.planes;
    const fixed = planes.find((plane) => plane.body < 0);
    this.ground = new THREE.Group();
    const span = niceSpan((this.travels ? 4 : 1.6) * this.reach);
    this.cell = span.size / span.cells;
    const at = this.box.getCenter(new THREE.Vector3()), normal = this.up.clone();
    if (fixed) {
      const turn = new THREE.Quaternion(fixed.turn[1], fixed.turn[2], fixed.turn[3], fixed.turn[0]);
      normal.set(0, 0, 1).applyQuaternion(turn);
      at.addScaledVector(normal, normal.dot(new THREE.Vector3(...fixed.at).sub(at)));
    } else {
      at.addScaledVector(normal, this.lowest() - normal.dot(at) - 0.02 * this.reach);
    }
    this.normal = normal;
    this.floor = normal.dot(at);
    this.grid = new THREE.GridHelper(span.size, span.cells);
    this.grid.material.transparent = true;
    this.grid.material.depthWrite = false;
    this.ground.add(this.grid);
    if (this.shadows) {
      const shade = new THREE.Mesh(new THREE.PlaneGeometry(span.size, span.size).rotateX(-Math.PI / 2), new THREE.ShadowMaterial({ opacity: 0.16 }));
      shade.receiveShadow = true;
      this.ground.add(shade);
    }
    this.ground.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), normal);
    this.ground.position.copy(at);
    this.groundAt = at;
    this.scene.add(this.ground);
    this.plates = planes.filter((plane) => plane.body >= 0).map((plane) => {
      const mesh = new THREE.Mesh(new THREE.PlaneGeometry(this.reach, this.reach),
        new THREE.MeshStandardMaterial({ color: '#9fb0c8', transparent: true, opacity: 0.35, side: THREE.DoubleSide }));
      mesh.matrixAutoUpdate = false;
      this.scene.add(mesh);
      return { mesh, body: plane.body, local: matrix(plane.at, plane.turn, unscaled) };
    });
  }

  lowest() {
    let lowest = Infinity;
    for (let i = 0; i < 8; i++) {
      const corner = new THREE.Vector3(i & 1 ? this.box.max.x : this.box.min.x, i & 2 ? this.box.max.y : this.box.min.y, i & 4 ? this.box.max.z : this.box.min.z);
      lowest = Math.min(lowest, this.up.dot(corner));
    }
    return lowest;
  }

  // ---- traces ----

  addTraces() {
    this.traces = new Map();
    const { run } = this;
    this.tracePoints = run.paths.map((path) => ({ name: path.name, xyz: path.xyz, chosen: true }));
    run.scene.bodies.forEach((body, i) => this.tracePoints.push({ name: body.name, xyz: run.poses[i].slice(0, 3), chosen: false, body: i }));
    this.tracePoints.forEach((point, i) => point.chosen && this.trace(i, true));
  }

  trace(i, on) {
    this.tracePoints[i].chosen = on;
    if (!on) {
      const line = this.traces.get(i);
      if (line) this.scene.remove(line);
      this.traces.delete(i);
    } else if (!this.traces.has(i)) {
      const [x, y, z] = this.tracePoints[i].xyz, n = x.length;
      const points = new Float32Array(3 * n);
      for (let k = 0; k < n; k++) points.set([x[k] || 0, y[k] || 0, z[k] || 0], 3 * k);
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(points, 3));
      const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: curve(i + 1), transparent: true, opacity: 0.85 }));
      line.frustumCulled = false;
      this.traces.set(i, line);
      this.scene.add(line);
    }
    if (this.camera) this.move();
  }

  // ---- camera ----

  aim() {
    this.camera = new THREE.PerspectiveCamera(35, 1, this.reach / 300, 60 * this.span + 60 * this.reach);
    this.camera.up.copy(this.up);
    this.fit();
  }

  // Looks at flat mechanisms from the front, a little from above and aside; at others from a corner.
  fit() {
    const { extent, reach } = this;
    const flat = ['x', 'y', 'z'].find((axis) => extent[axis] < 0.12 * reach && Math.abs(this.up[axis]) < 0.5);
    const from = new THREE.Vector3();
    const side = new THREE.Vector3();
    if (flat) {
      from.set(flat === 'x' ? 1 : 0, flat === 'y' ? -1 : 0, flat === 'z' ? 1 : 0);
      side.crossVectors(this.up, from).normalize();
      from.addScaledVector(this.up, 0.22).addScaledVector(side, 0.25);
    } else {
      // the widest horizontal direction lies across the picture
      const x = new THREE.Vector3(1, 0, 0);
      if (Math.abs(this.up.x) > 0.9) x.set(0, 1, 0);
      x.addScaledVector(this.up, -x.dot(this.up)).normalize();
      side.crossVectors(this.up, x);
      const wide = Math.abs(extent.dot(abs(x))) >= Math.abs(extent.dot(abs(side)));
      from.addScaledVector(wide ? side : x, wide ? -1 : 1).addScaledVector(wide ? x : side, 0.55).addScaledVector(this.up, 0.5);
    }
    from.normalize();
    if (this.travels) this.centre.copy(this.middleNow());
    this.camera.position.copy(this.centre).addScaledVector(from, this.distance(from));
    this.camera.lookAt(this.centre);
    if (this.controls) {
      this.controls.target.copy(this.centre);
      this.controls.update();
    }
  }

  // Where the bodies are now, at the height that their first place had.
  middleNow() {
    const middle = new THREE.Vector3(), at = new THREE.Vector3();
    const [poses] = this.poses;
    poses.set(this.clock.now);
    for (const place of poses.matrices) middle.add(at.setFromMatrixPosition(place));
    middle.divideScalar(Math.max(1, poses.count));
    return middle.addScaledVector(this.up, this.up.dot(this.stillCentre) - this.up.dot(middle));
  }

  // How far the camera must be so that all corners of the motion are in the picture.
  distance(from) {
    const right = new THREE.Vector3().crossVectors(this.up, from).normalize(), top = new THREE.Vector3().crossVectors(from, right);
    const tangent = Math.tan((this.camera.fov * Math.PI) / 360), aspect = this.camera.aspect || 1, corner = new THREE.Vector3();
    let distance = 0;
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5).multiply(this.extent);
      const needs = Math.max(Math.abs(corner.dot(right)) / (tangent * aspect), Math.abs(corner.dot(top)) / tangent);
      distance = Math.max(distance, 1.22 * needs + corner.dot(from));
    }
    return Math.max(distance, 0.3 * this.reach);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    const first = !this.sized;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (first) { this.sized = true; this.fit(); }
    this.draw();
  }

  // ---- drawing ----

  paint() {
    this.scene.background = new THREE.Color(ink('--stage'));
    const line = new THREE.Color(ink('--grid'));
    const colours = this.grid.geometry.getAttribute('color');
    for (let i = 0; i < colours.count; i++) colours.setXYZ(i, line.r, line.g, line.b);
    colours.needsUpdate = true;
    this.grid.material.opacity = 0.8;
    for (const [i, line] of this.traces) line.material.color.set(curve(i + 1));
    this.draw();
  }

  move() {
    const [poses, other] = this.poses;
    poses.set(this.clock.now);
    const placed = (i) => (i < 0 ? this.identity : poses.matrices[i]);
    this.solid.move(placed);
    this.guess.move(placed);
    this.moveLines(poses);
    for (const plate of this.plates) plate.mesh.matrix.multiplyMatrices(placed(plate.body), plate.local);
    if (this.ghost) {
      other.set(this.clock.now);
      this.ghost.move((i) => (this.show.ghost ? other.matrices[i] : null));
    }
    this.symbols.move((i) => (this.show.joints ? placed(i) : null));
    this.arrows.move(poses, this.show, this.arrowScale);
    for (const line of this.traces.values()) {
      line.visible = this.show.traces;
      line.geometry.setDrawRange(0, poses.row + 2);
    }
    this.ground.visible = this.show.grid;
    this.labels.tell(this.clock.now, this.clock.digits);
    this.follow(poses);
    this.draw();
  }

  // The camera goes along with the middle of the bodies.
  follow(poses) {
    const middle = new THREE.Vector3(), at = new THREE.Vector3();
    for (const place of poses.matrices) middle.add(at.setFromMatrixPosition(place));
    middle.divideScalar(Math.max(1, poses.count));
    if (this.show.follow && this.lastMiddle && this.controls && Number.isFinite(middle.x + middle.y + middle.z)) {
      at.copy(middle).sub(this.lastMiddle);
      at.addScaledVector(this.up, -at.dot(this.up));
      this.camera.position.add(at);
      this.controls.target.add(at);
      this.controls.update();
    }
    this.lastMiddle = middle;
    if (this.travels && Number.isFinite(middle.x + middle.y + middle.z)) this.moveGround(middle);
  }

  // A ground without end: it moves along by whole cells.
  moveGround(middle) {
    const turn = this.ground.quaternion, local = middle.clone().sub(this.groundAt).applyQuaternion(turn.clone().invert());
    local.set(Math.round(local.x / this.cell) * this.cell, 0, Math.round(local.z / this.cell) * this.cell);
    this.ground.position.copy(this.groundAt).add(local.applyQuaternion(turn));
    this.sun.position.add(middle).sub(this.sun.target.position);
    this.sun.target.position.copy(middle);
  }

  // At most once a frame.
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.renderer.render(this.scene, this.camera);
      this.labels.place();
    });
  }
}

const abs = (v) => new THREE.Vector3(Math.abs(v.x), Math.abs(v.y), Math.abs(v.z));

// About sixteen cells of 1, 2 or 5 times a power of ten.
function niceSpan(wanted) {
  const raw = wanted / 16, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((k) => k * power >= raw) * power;
  const cells = 2 * Math.ceil(wanted / step / 2);
  return { size: cells * step, cells };
}
