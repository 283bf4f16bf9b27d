// Many copies of few geometries: one instanced mesh for each geometry and material.
import * as THREE from 'three';

// Sides of what is round; few where there are many copies.
let sides = 32;

export function setDetail(copies) {
  sides = copies > 300 ? 10 : copies > 100 ? 18 : 32;
}

const unit = {
  box: () => new THREE.BoxGeometry(1, 1, 1),
  // axis z, radius 1, length 1
  cylinder: () => new THREE.CylinderGeometry(1, 1, 1, sides).rotateX(Math.PI / 2),
  sphere: () => new THREE.SphereGeometry(1, sides, Math.ceil(0.6 * sides)),
  cone: () => new THREE.ConeGeometry(1, 1, sides).rotateX(Math.PI / 2),
  ring: () => new THREE.TorusGeometry(1, 0.02, 10, 2 * sides),
  bolt: () => new THREE.TorusGeometry(1, 0.28, Math.ceil(sides / 3), sides),
  // as long as fifteen radii, so that its wire is about round at usual lengths
  spring: () => new THREE.TubeGeometry(new Coil(), 240, 0.16, 6).scale(1, 1, 1 / 15).translate(0, 0, -0.5),
};

// Straight ends and nine turns, from z = 0 to 15 at radius 1.
class Coil extends THREE.Curve {
  getPoint(s, target = new THREE.Vector3()) {
    const part = Math.min(1, Math.max(0, (s - 0.12) / 0.76));
    const radius = Math.min(1, Math.max(0, Math.min(s, 1 - s) - 0.08) / 0.05);
    const angle = part * 18 * Math.PI;
    return target.set(radius * Math.cos(angle), radius * Math.sin(angle), 15 * s);
  }
}

const cache = new Map();

function geometryOf(name) {
  if (!cache.has(name)) cache.set(name, unit[name]());
  return cache.get(name);
}

// Collects items { geometry, colour, local: Matrix4 } under a material, then moves them.
export class Batch {
  constructor(material, { shadows = false } = {}) {
    this.material = material;
    this.shadows = shadows;
    this.items = [];
    this.meshes = new Map();
    this.group = new THREE.Group();
    this.product = new THREE.Matrix4();
  }

  // `place`: what the item hangs on, a number that move() is asked with.
  add(geometry, colour, local, place) {
    this.items.push({ geometry, colour: new THREE.Color(colour), local: local.clone(), place });
  }

  build() {
    const counts = new Map();
    for (const item of this.items) {
      item.slot = counts.get(item.geometry) || 0;
      counts.set(item.geometry, item.slot + 1);
    }
    for (const [name, count] of counts) {
      const mesh = new THREE.InstancedMesh(geometryOf(name), this.material, count);
      mesh.frustumCulled = false;
      mesh.castShadow = this.shadows;
      mesh.receiveShadow = this.shadows;
      this.meshes.set(name, mesh);
      this.group.add(mesh);
    }
    for (const item of this.items) {
      item.mesh = this.meshes.get(item.geometry);
      item.mesh.setColorAt(item.slot, item.colour);
      item.mesh.setMatrixAt(item.slot, item.local);
    }
    return this;
  }

  // placed(place) gives the matrix of what an item hangs on, or null if it is not to be seen.
  move(placed) {
    for (const item of this.items) {
      const at = placed(item.place);
      if (at) this.product.multiplyMatrices(at, item.local);
      else this.product.makeScale(0, 0, 0);
      item.mesh.setMatrixAt(item.slot, this.product);
    }
    for (const mesh of this.meshes.values()) mesh.instanceMatrix.needsUpdate = true;
  }
}

const half = new THREE.Vector3(), scale = new THREE.Vector3(), turned = new THREE.Quaternion();

export function matrix(at, turn, size) {
  half.set(at[0], at[1], at[2]);
  turned.set(turn[1], turn[2], turn[3], turn[0]);
  scale.set(size[0], size[1], size[2]);
  return new THREE.Matrix4().compose(half, turned, scale);
}
