/** The clock of the animation: from the time of the page to the time of the motion. */
export class Player {
  time = 0;
  playing = false;
  loop = true;
  /** Time of the motion per second of the page. */
  speed = 1;
  private start = 0;
  private end = 0;
  private instants: ArrayLike<number> = [0];

  /** Takes the range and the stored instants of a motion; keeps the time where it can. */
  range(start: number, end: number, instants: ArrayLike<number>): void {
    this.start = start;
    this.end = end;
    this.instants = instants;
    this.seek(this.time);
  }

  get duration(): number {
    return this.end - this.start;
  }

  seek(t: number): void {
    this.time = Number.isFinite(t) ? Math.max(this.start, Math.min(this.end, t)) : this.start;
  }

  /** Advances by `seconds` of the page. Returns whether the time changed. */
  advance(seconds: number): boolean {
    if (!this.playing || !(this.duration > 0)) return false;
    let t = this.time + seconds * this.speed;
    if (t >= this.end) {
      if (this.loop) t = this.start + ((t - this.start) % this.duration);
      else {
        t = this.end;
        this.playing = false;
      }
    }
    this.seek(t);
    return true;
  }

  toggle(): void {
    if (!this.playing && !this.loop && this.time >= this.end) this.time = this.start;
    this.playing = !this.playing;
  }

  /** Goes to the next (1) or previous (-1) stored instant. */
  step(direction: 1 | -1): void {
    this.playing = false;
    const n = this.instants.length;
    const slack = 1e-9 * Math.max(this.duration, 1e-30);
    if (direction > 0) {
      for (let i = 0; i < n; i++) if (this.instants[i] > this.time + slack) return this.seek(this.instants[i]);
      this.seek(this.end);
    } else {
      for (let i = n - 1; i >= 0; i--) if (this.instants[i] < this.time - slack) return this.seek(this.instants[i]);
      this.seek(this.start);
    }
  }
}

/** Speeds to choose from: 1, 2, 5 times powers of ten around the one that shows a motion of this length in about eight seconds. */
export function speeds(duration: number): { list: number[]; chosen: number } {
  const ideal = duration > 0 ? duration / 8 : 1;
  const list: number[] = [];
  const middle = Math.floor(Math.log10(ideal));
  for (let e = middle - 2; e <= middle + 2; e++) for (const m of [1, 2, 5]) list.push(Number(`${m}e${e}`));
  if (!list.includes(1)) list.push(1);
  list.sort((a, b) => a - b);
  // real time if that takes between 2 and 20 seconds
  if (duration >= 2 && duration <= 20) return { list, chosen: 1 };
  const chosen = list.reduce((best, x) => (Math.abs(Math.log(x / ideal)) < Math.abs(Math.log(best / ideal)) ? x : best));
  return { list, chosen };
}
