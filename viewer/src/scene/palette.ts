/** Colours of the picture. One place, two themes; the page's own colours stand in style.css. */
export interface Theme {
  background: number;
  horizon: number;
  grid: number;
  shadow: number;
  joint: number;
  spring: number;
  beam: number;
  label: number;
}

export const LIGHT: Theme = {
  background: 0xf7f8fa, horizon: 0xe6eaef, grid: 0x8a97a8, shadow: 0.13,
  joint: 0x39424e, spring: 0x6a7684, beam: 0x6d8bab, label: 0x222b36,
};

export const DARK: Theme = {
  background: 0x14181e, horizon: 0x1d232b, grid: 0xb4c2d2, shadow: 0.4,
  joint: 0xb9c3cf, spring: 0x9aa7b5, beam: 0x7f9fc2, label: 0xe4e9ef,
};

/** Muted tones for bodies that have no colour of their own, in the order of the model. */
export const BODY_TONES = [0x5f86b3, 0xc98f4b, 0x6fa287, 0xa97b9b, 0x8c93a0, 0xb8695a, 0x5aa0a8, 0xa79a5c];

export const FORCE = 0xd1495b;
export const TORQUE = 0x9a4fb0;
export const REACTION = 0x2a9d6f;
export const TRAIL = 0xd97a1e;
export const HIGHLIGHT = 0xffb000;
/** Drives and gears. */
export const ACCENT = 0xd9902f;
/** Pins and marks. */
export const PALE = 0xe9edf2;
/** Supports, walls and clamps: the ground. */
export const GROUND = 0x97a1ad;
/** Guides of sliding joints. */
export const RAIL = 0xb3bcc7;

/** Diverging scale for signed values (blue, neutral, red) at s in [-1, 1]. */
export function diverging(s: number): [number, number, number] {
  const low: Rgb = [0.13, 0.36, 0.67];
  const middle: Rgb = [0.87, 0.87, 0.85];
  const high: Rgb = [0.74, 0.15, 0.2];
  const x = Math.max(-1, Math.min(1, Number.isFinite(s) ? s : 0));
  return x < 0 ? mix(middle, low, -x) : mix(middle, high, x);
}

type Rgb = [number, number, number];

function mix(a: Rgb, b: Rgb, s: number): Rgb {
  return [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s];
}

/** A colour as `#rrggbb`. */
export function css(rgb: Rgb): string {
  return "#" + rgb.map((c) => Math.round(c * 255).toString(16).padStart(2, "0")).join("");
}
