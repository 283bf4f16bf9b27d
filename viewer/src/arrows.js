// Forces and torques of joints as arrows: on body 2, at the origin of its joint frame.
import * as THREE from 'three';
import { Batch } from './batch.js';

const kinds = [['force', '#e4572e', 'forces'], ['moment', '#1b998b', 'torques']];

export class Arrows {
  constructor(run, reach) {
    this.run = run;
    this.reach = reach;
    // many arrows are smaller
    this.thin = Math.min(1, Math.sqrt(14 / Math.max(1, run.scene.joints.length)));
    this.group = new THREE.Group();
    this.sets = kinds.map(([kind, colour, switchName]) => this.make(kind, colour, switchName)).filter((set) => set.joints.length);
    for (const set of this.sets) this.group.add(set.batch.group);
  }

  make(kind, colour, switchName) {
    const joints = [];
    for (const joint of this.run.scene.joints) {
      const columns = (joint[kind] || []).map((name) => this.run.byName.get(name));
      if (columns.length === 3 && columns.every(Boolean)) joints.push({ joint, values: columns.map((c) => c.values), turn: new THREE.Quaternion(joint.turn1[1], joint.turn1[2], joint.turn1[3], joint.turn1[0]) });
    }
    const batch = new Batch(new THREE.MeshStandardMaterial({ roughness: 0.5, emissive: colour, emissiveIntensity: 0.25 }));
    joints.forEach((_, i) => {
      batch.add('cylinder', colour, new THREE.Matrix4(), 2 * i);
      batch.add('cone', colour, new THREE.Matrix4(), 2 * i + 1);
    });
    return { kind, switchName, joints, batch: batch.build(), largest: typical(joints), places: joints.flatMap(() => [new THREE.Matrix4(), new THREE.Matrix4()]), shown: joints.map(() => false) };
  }

  move(poses, show, scale) {
    for (const set of this.sets) this.moveSet(set, poses, show[set.switchName], scale);
  }

  moveSet(set, poses, on, scale) {
    set.batch.group.visible = on;
    if (!on) return;
    const force = new THREE.Vector3(), at = new THREE.Vector3(), up = new THREE.Vector3(0, 0, 1);
    const turn = new THREE.Quaternion(), size = new THREE.Vector3(), axes = new THREE.Matrix3(), tip = new THREE.Vector3();
    const { row } = poses, next = Math.min(row + 1, this.run.t.length - 1);
    const r = 0.006 * this.reach * this.thin;
    const part = 0.2 * this.thin;
    set.joints.forEach(({ joint, values, turn: frame }, i) => {
      const [x, y, z] = values, { part: p } = poses;
      force.set(x[row] + p * (x[next] - x[row]), y[row] + p * (y[next] - y[row]), z[row] + p * (z[next] - z[row])).applyQuaternion(frame);
      if (joint.body1 >= 0) force.applyMatrix3(axes.setFromMatrix4(poses.matrices[joint.body1]));
      // peaks do not leave the picture unless asked to
      const length = Math.min((part * scale * force.length()) / set.largest, 2.5 * part * Math.max(1, scale)) * this.reach;
      set.shown[i] = on && length > 0.004 * this.reach;
      if (!set.shown[i]) return;
      at.set(...joint.at2);
      if (joint.body2 >= 0) at.applyMatrix4(poses.matrices[joint.body2]);
      force.normalize();
      turn.setFromUnitVectors(up, force);
      const head = Math.min(5 * r, 0.5 * length), shaft = length - head;
      size.set(r, r, shaft);
      set.places[2 * i].compose(tip.copy(at).addScaledVector(force, shaft / 2), turn, size);
      size.set(2.4 * r * (head / (5 * r)), 2.4 * r * (head / (5 * r)), head);
      set.places[2 * i + 1].compose(tip.copy(at).addScaledVector(force, shaft + head / 2), turn, size);
    });
    set.batch.move((k) => (set.shown[k >> 1] ? set.places[k] : null));
  }
}

// A size that is long for most of the run, and not too short where forces have peaks.
function typical(joints) {
  let largest = 0;
  for (const { values: [x, y, z] } of joints) {
    const sizes = [];
    const stride = Math.max(1, Math.floor(x.length / 500));
    for (let k = 0; k < x.length; k += stride) {
      const size = Math.hypot(x[k], y[k], z[k]);
      if (Number.isFinite(size)) sizes.push(size);
    }
    sizes.sort((a, b) => a - b);
    if (sizes.length) largest = Math.max(largest, Math.max(1.6 * sizes[Math.floor(0.6 * (sizes.length - 1))], 0.35 * sizes[Math.floor(0.95 * (sizes.length - 1))]));
  }
  return largest || 1;
}
