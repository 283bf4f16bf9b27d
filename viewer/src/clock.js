// The time shown: one value that the view, the plots and the transport bar follow.
export class Clock {
  constructor(times) {
    this.times = times;
    this.begin = times[0];
    this.end = times[times.length - 1];
    this.now = this.begin;
    this.digits = Math.max(0, Math.min(8, 3 - Math.floor(Math.log10(Math.max(this.end - this.begin, 1e-12)))));
    this.speed = 1;
    this.playing = false;
    this.frames = 0;
    this.listeners = [];
    this.loop = this.loop.bind(this);
  }

  listen(listener) {
    this.listeners.push(listener);
    listener(this);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  set(t) {
    this.now = Math.min(this.end, Math.max(this.begin, t));
    this.tell();
  }

  play(on = !this.playing) {
    if (this.end <= this.begin) return;
    if (on && !this.playing) {
      if (this.now >= this.end) this.now = this.begin;
      this.last = undefined;
      this.playing = true;
      requestAnimationFrame(this.loop);
    }
    this.playing = on;
    this.tell();
  }

  loop(stamp) {
    if (!this.playing) return;
    const elapsed = this.last === undefined ? 0 : Math.min(0.25, (stamp - this.last) / 1000);
    this.last = stamp;
    this.frames++;
    const next = this.now + elapsed * this.speed;
    if (next >= this.end) {
      this.now = this.end;
      this.playing = false;
    } else {
      this.now = next;
    }
    this.tell();
    requestAnimationFrame(this.loop);
  }

  // A frame is a row of the result.
  step(rows) {
    this.playing = false;
    const { times } = this;
    let i = 0;
    while (i < times.length - 1 && times[i + 1] <= this.now) i++;
    if (rows < 0 && times[i] < this.now) i++;
    let next = Math.min(times.length - 1, Math.max(0, i + rows));
    // rows before and after an event have the same time
    while (rows > 0 && next < times.length - 1 && times[next] <= this.now) next++;
    while (rows < 0 && next > 0 && times[next] >= this.now) next--;
    this.set(times[next]);
  }
}
