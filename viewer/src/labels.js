// What is written over the 3D view: names of bodies, the time, the size of the grid, the axes.
import * as THREE from 'three';
import { clip, make } from './dom.js';
import { short } from './data.js';

const svgSpace = 'http://www.w3.org/2000/svg';
const axes = [['x', '#d3382f', [1, 0, 0]], ['y', '#2c8f3c', [0, 1, 0]], ['z', '#2f62d6', [0, 0, 1]]];
const size = 74, length = 24;

// Of more bodies names would hide the picture.
export const mostNamed = 12;

export class Labels {
  constructor(view) {
    this.view = view;
    this.time = make('span', { class: 'stage-time' });
    this.scale = make('span', { class: 'stage-scale' }, `grid ${short(view.cell)} m`);
    this.names = view.run.scene.bodies.map((body) => make('span', { class: 'stage-name' }, clip(body.name, 24)));
    this.triad = document.createElementNS(svgSpace, 'svg');
    this.triad.setAttribute('class', 'stage-axes');
    this.triad.setAttribute('viewBox', `${-size / 2} ${-size / 2} ${size} ${size}`);
    this.arms = axes.map(([name, colour, direction]) => this.arm(name, colour, direction));
    this.root = make('div', { class: 'stage-labels', 'aria-hidden': 'true' }, ...this.names, this.time, this.scale, this.triad);
    view.stage.append(this.root);
  }

  arm(name, colour, direction) {
    const line = document.createElementNS(svgSpace, 'line'), text = document.createElementNS(svgSpace, 'text');
    line.setAttribute('stroke', colour);
    text.setAttribute('fill', colour);
    text.textContent = name;
    this.triad.append(line, text);
    return { line, text, direction: new THREE.Vector3(...direction) };
  }

  // The time stands there in digits that do not jump.
  tell(t, digits) {
    this.time.textContent = `t = ${t.toFixed(digits)} s`;
  }

  // After the camera or the bodies have moved.
  place() {
    const { view } = this, { clientWidth: width, clientHeight: height } = view.stage;
    const at = new THREE.Vector3(), back = view.camera.quaternion.clone().invert();
    this.scale.hidden = !view.show.grid;
    const taken = [];
    this.names.forEach((label, i) => {
      at.setFromMatrixPosition(view.poses[0].matrices[i]).project(view.camera);
      const x = ((at.x + 1) / 2) * width, y = ((1 - at.y) / 2) * height;
      const seen = view.show.names && Math.abs(at.x) < 1 && Math.abs(at.y) < 1 && Math.abs(at.z) < 1;
      label.hidden = !seen;
      if (!seen) return;
      // a name does not cover another one
      const wide = label.offsetWidth + 6, high = label.offsetHeight;
      if (taken.some((box) => Math.abs(box.y - y) < high && x < box.x + box.wide && box.x < x + wide)) label.hidden = true;
      else taken.push({ x, y, wide });
      label.style.transform = `translate(${x}px, ${y}px)`;
    });
    for (const { line, text, direction } of this.arms) {
      at.copy(direction).applyQuaternion(back);
      for (const [name, value] of [['x2', length * at.x], ['y2', -length * at.y]]) line.setAttribute(name, value.toFixed(1));
      text.setAttribute('x', (1.32 * length * at.x).toFixed(1));
      text.setAttribute('y', (-1.32 * length * at.y + 4).toFixed(1));
    }
  }
}
