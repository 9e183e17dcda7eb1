/** A number with four digits, for people. */
export function short(x: number): string {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return x.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(x.toPrecision(4)));
}
