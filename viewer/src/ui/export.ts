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

export function png(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => canvas.toBlob((b) => (b ? resolve(b) : reject(new Error("the browser gave no picture"))), "image/png"));
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
