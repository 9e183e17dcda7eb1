import type { Data } from "../src/data/format";

/** Documents of FORMAT.md before their blobs are decoded. */
interface RawBlob { dtype: string; shape: number[]; encoding?: string; data: string }
interface RawDocument {
  title: string;
  scene: Data["scene"];
  runs: { times: RawBlob; frames: RawBlob }[];
}

export function blob(values: number[], shape: number[], options?: { dtype?: string; gzip?: boolean }): RawBlob;
export function everything(): RawDocument;
export function modes(): RawDocument;
