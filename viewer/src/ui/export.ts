/** Files that the page gives away. */
export function save(blob: Blob, file: string): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = file;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}

/** A file name from a title: letters and digits only. */
export function fileName(title: string, extension: string): string {
  const plain = title.normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "").toLowerCase().slice(0, 60);
  return `${plain || "cardan"}.${extension}`;
}

/** A scale of colours as the legend of the page shows it. */
export interface ScaleLegend { title: string; ends: [string, string, string]; colors: [string, string, string] }

/** The picture as PNG: the canvas, the axes in their corner, and the legend if there is one. */
export function png(canvas: HTMLCanvasElement, triad: HTMLCanvasElement, legend: ScaleLegend | undefined, ink: string): Promise<Blob> {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext("2d");
  if (context) {
    const ratio = canvas.clientWidth > 0 ? canvas.width / canvas.clientWidth : 1;
    context.drawImage(canvas, 0, 0);
    context.scale(ratio, ratio);
    const [width, height] = [canvas.width / ratio, canvas.height / ratio];
    context.drawImage(triad, width - 98, height - 98, 92, 92);
    if (legend) drawLegend(context, legend, height, ink);
  }
  return new Promise((resolve, reject) => (context ? copy : canvas).toBlob((b) => (b ? resolve(b) : reject(new Error("the browser gave no picture"))), "image/png"));
}

function drawLegend(context: CanvasRenderingContext2D, legend: ScaleLegend, height: number, ink: string): void {
  const [x, y, width] = [20, height - 50, 210];
  const gradient = context.createLinearGradient(x, 0, x + width, 0);
  legend.colors.forEach((color, i) => gradient.addColorStop(i / 2, color));
  context.fillStyle = gradient;
  context.fillRect(x, y, width, 10);
  context.fillStyle = ink;
  context.font = "12px system-ui, sans-serif";
  context.fillText(legend.title, x, y - 6);
  legend.ends.forEach((text, i) => {
    context.textAlign = (["left", "center", "right"] as const)[i];
    context.fillText(text, x + (i * width) / 2, y + 25);
  });
}

/** Records the canvas until `stop` is called; undefined if the browser cannot. */
export function record(canvas: HTMLCanvasElement): { stop(): Promise<Blob> } | undefined {
  const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((t) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(t));
  if (!type) return undefined;
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 8e6 });
  const pieces: Blob[] = [];
  recorder.addEventListener("dataavailable", (e) => pieces.push(e.data));
  recorder.start(500);
  return {
    stop: () => new Promise((resolve) => {
      recorder.addEventListener("stop", () => resolve(new Blob(pieces, { type: "video/webm" })));
      recorder.stop();
    }),
  };
}
