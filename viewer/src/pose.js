// Where the bodies of a run are at a time: rows of the result, interpolated.
import * as THREE from 'three';
import { rowAt } from './data.js';

export class Poses {
  constructor(run) {
    this.run = run;
    this.count = run.poses.length;
    this.matrices = run.poses.map(() => new THREE.Matrix4());
    this.a = new THREE.Quaternion();
    this.b = new THREE.Quaternion();
    this.one = new THREE.Vector3(1, 1, 1);
    this.at = new THREE.Vector3();
  }

  // Fills the matrices; bodies whose columns are not numbers are left where they were.
  set(t) {
    const { run } = this;
    const i = rowAt(run.t, t);
    const j = Math.min(i + 1, run.t.length - 1);
    const span = run.t[j] - run.t[i];
    const part = span > 0 ? Math.min(1, Math.max(0, (t - run.t[i]) / span)) : 0;
    this.row = i;
    this.part = part;
    for (let k = 0; k < this.count; k++) this.place(run.poses[k], i, j, part, this.matrices[k]);
  }

  place(c, i, j, part, out) {
    const [x, y, z, w] = c;
    this.at.set(x[i] + part * (x[j] - x[i]), y[i] + part * (y[j] - y[i]), z[i] + part * (z[j] - z[i]));
    if (w) {
      this.a.set(c[4][i], c[5][i], c[6][i], w[i]);
      if (part > 0) this.a.slerp(this.b.set(c[4][j], c[5][j], c[6][j], w[j]), part);
      this.a.normalize();
    } else {
      this.a.identity();
    }
    if (Number.isFinite(this.at.x + this.at.y + this.at.z + this.a.x + this.a.w))
      out.compose(this.at, this.a, this.one);
  }
}

// The box that all bodies stay in with what hangs on them, and the one of the first row.
export function boundsOf(run) {
  const box = new THREE.Box3(), still = new THREE.Box3(), corner = new THREE.Vector3();
  const rows = run.t.length, stride = Math.max(1, Math.floor(rows / 200));
  const poses = new Poses(run);
  const reach = run.scene.bodies.map((body) => reachPoints(body));
  run.scene.joints.forEach((joint) => {
    if (joint.body1 >= 0) reach[joint.body1].push(new THREE.Vector3(...joint.at1));
    else if (!joint.type.startsWith('rolling') && joint.type !== 'wheel') {
      box.expandByPoint(corner.set(...joint.at1));
      still.expandByPoint(corner);
    }
    if (joint.body2 >= 0) reach[joint.body2].push(new THREE.Vector3(...joint.at2));
  });
  run.scene.lines.forEach((line) => {
    if (line.body1 < 0) box.expandByPoint(corner.set(...line.at1));
    if (line.body2 < 0) box.expandByPoint(corner.set(...line.at2));
  });
  for (let i = 0; i < rows; i += stride) {
    poses.set(run.t[i]);
    reach.forEach((points, k) => points.forEach((point) => {
      corner.copy(point).applyMatrix4(poses.matrices[k]);
      if (!Number.isFinite(corner.x + corner.y + corner.z)) return;
      box.expandByPoint(corner);
      if (i === 0) still.expandByPoint(corner);
    }));
  }
  if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  return { box, still: still.isEmpty() ? box : still };
}

function reachPoints(body) {
  const points = [new THREE.Vector3()];
  for (const shape of body.shapes) {
    const [a, b, c] = shape.size;
    const h = { box: [a / 2, b / 2, c / 2], cylinder: [a, a, b / 2], sphere: [a, a, a], rod: [a / 2, 0, 0], ring: [a, a, 0] }[shape.type];
    const turn = new THREE.Quaternion(shape.turn[1], shape.turn[2], shape.turn[3], shape.turn[0]);
    for (const s of [-1, 1]) {
      for (const axis of [0, 1, 2]) {
        const v = new THREE.Vector3().setComponent(axis, s * h[axis]);
        points.push(v.applyQuaternion(turn).add(new THREE.Vector3(...shape.at)));
      }
    }
  }
  return points;
}
