// Joints as small signs: what they let the bodies do can be seen from them.
import * as THREE from 'three';
import { Batch, matrix } from './batch.js';

const dark = '#2b3340', pale = '#d7dde7';

// Parts of a sign: geometry, size in signs, place and turn in the joint frame.
const no = [1, 0, 0, 0], zToX = [Math.SQRT1_2, 0, Math.SQRT1_2, 0], zToY = [Math.SQRT1_2, -Math.SQRT1_2, 0, 0];
const parts = {
  revolute: [['cylinder', [0.55, 0.55, 2.6], no, dark], ['bolt', [0.95, 0.95, 1.4], no, pale]],
  cylindrical: [['cylinder', [0.45, 0.45, 4.4], no, dark], ['bolt', [0.9, 0.9, 1.4], no, pale]],
  screw: [['cylinder', [0.5, 0.5, 4.4], no, dark], ['spring', [0.8, 0.8, 3], no, pale]],
  prismatic: [['box', [0.9, 0.9, 4.6], no, dark], ['box', [1.7, 1.7, 1.5], no, pale]],
  spherical: [['sphere', [0.95, 0.95, 0.95], no, dark], ['bolt', [1, 1, 1], no, pale]],
  universal: [['cylinder', [0.4, 0.4, 3], zToX, dark], ['cylinder', [0.4, 0.4, 3], zToY, pale]],
  fixed: [['box', [1.3, 1.3, 1.3], no, dark]],
  planar: [['cylinder', [1.6, 1.6, 0.35], no, pale]],
  distance: [['sphere', [0.6, 0.6, 0.6], no, dark]],
};
const other = [['sphere', [0.55, 0.55, 0.55], no, dark]];
const unseen = new Set(['rolling_disk', 'rolling_sphere', 'wheel', 'skate', 'speed', 'gear']);

export function addJointSymbols(scene, size) {
  const batch = new Batch(new THREE.MeshStandardMaterial({ roughness: 0.4, metalness: 0.25 }));
  for (const joint of scene.joints) {
    if (unseen.has(joint.type)) continue;
    const frame = matrix(joint.at1, joint.turn1, [1, 1, 1]);
    for (const [geometry, extent, turn, colour] of parts[joint.type] || other) {
      const local = frame.clone().multiply(matrix([0, 0, 0], turn, extent.map((x) => x * size)));
      batch.add(geometry, colour, local, joint.body1);
    }
    if (joint.type === 'distance' && joint.body2 >= 0)
      batch.add('sphere', dark, matrix(joint.at2, no, [0.6 * size, 0.6 * size, 0.6 * size]), joint.body2);
  }
  return batch.build();
}
