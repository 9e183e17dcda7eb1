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

/** What stands beside the picture: axes, legend and, in a video, the time. */
export interface Surroundings { triad: HTMLCanvasElement; legend: ScaleLegend | undefined; ink: string; clock?: string }

/** The picture as PNG: the canvas, the axes in their corner, and the legend if there is one. */
export function png(canvas: HTMLCanvasElement, around: Surroundings): Promise<Blob> {
  const copy = document.createElement("canvas");
  const context = copy.getContext("2d");
  if (context) compose(context, canvas, around);
  return new Promise((resolve, reject) => (context ? copy : canvas).toBlob((b) => (b ? resolve(b) : reject(new Error("the browser gave no picture"))), "image/png"));
}

/** Draws the canvas and what stands beside it. */
function compose(context: CanvasRenderingContext2D, canvas: HTMLCanvasElement, { triad, legend, ink, clock }: Surroundings): void {
  if (context.canvas.width !== canvas.width) context.canvas.width = canvas.width;
  if (context.canvas.height !== canvas.height) context.canvas.height = canvas.height;
  const ratio = canvas.clientWidth > 0 ? canvas.width / canvas.clientWidth : 1;
  const [width, height] = [canvas.width / ratio, canvas.height / ratio];
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.drawImage(canvas, 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.drawImage(triad, width - 98, height - 98, 92, 92);
  if (legend) drawLegend(context, legend, height, ink);
  if (clock === undefined) return;
  context.fillStyle = ink;
  context.font = "600 14px system-ui, sans-serif";
  context.textAlign = "left";
  context.fillText(clock, 20, 30);
}

function drawLegend(context: CanvasRenderingContext2D, legend: ScaleLegend, height: number, ink: string): void {
  const [x, y, width] = [20, height - 50, 210];
  const gradient = context.createLinearGradient(x, 0, x + width, 0);
  legend.colors.forEach((color, i) => gradient.addColorStop(i / 2, color));
  context.fillStyle = gradient;
  context.fillRect(x, y, width, 10);
  context.fillStyle = ink;
  context.textAlign = "left";
  context.font = "12px system-ui, sans-serif";
  context.fillText(legend.title, x, y - 6);
  legend.ends.forEach((text, i) => {
    context.textAlign = (["left", "center", "right"] as const)[i];
    context.fillText(text, x + (i * width) / 2, y + 25);
  });
}

/** A video of the canvas with what stands beside it. */
export class Recording {
  private readonly pieces: Blob[] = [];

  private constructor(private readonly canvas: HTMLCanvasElement, private readonly context: CanvasRenderingContext2D, private readonly recorder: MediaRecorder) {
    recorder.addEventListener("dataavailable", (e) => this.pieces.push(e.data));
    recorder.start(500);
  }

  /** Begins with a first picture; undefined if the browser cannot record. */
  static begin(canvas: HTMLCanvasElement, around: Surroundings): Recording | undefined {
    const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((t) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(t));
    const context = document.createElement("canvas").getContext("2d", { alpha: false });
    if (!type || !context) return undefined;
    compose(context, canvas, around);
    return new Recording(canvas, context, new MediaRecorder(context.canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 8e6 }));
  }

  /** Takes the picture as it is now. */
  take(around: Surroundings): void {
    compose(this.context, this.canvas, around);
  }

  stop(): Promise<Blob> {
    return new Promise((resolve) => {
      this.recorder.addEventListener("stop", () => resolve(new Blob(this.pieces, { type: "video/webm" })));
      this.recorder.stop();
    });
  }
}
