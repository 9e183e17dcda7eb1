/** The document of a page as FORMAT.md defines it, with its blobs decoded. */
export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

export interface Point { name: string; position: Vec3 }

interface ShapeBase { position: Vec3; orientation: Quat; color?: string }

export type Shape = ShapeBase & (
  | { type: "box"; edges: Vec3 }
  | { type: "cylinder"; radius: number; length: number }
  | { type: "capsule"; radius: number; length: number }
  | { type: "cone"; radius: number; top: number; length: number }
  | { type: "sphere"; radius: number }
  | { type: "rod"; length: number }
  | { type: "extrusion"; outline: [number, number][]; length: number }
  | { type: "mesh"; vertices: Float32Array; triangles: number[] }
  | { type: "plate"; outline: Vec3[] }
);

export interface Body {
  name: string; node: number; centre: Vec3; mass: number; shapes: Shape[]; derived: boolean; points: Point[];
}

export interface Joint {
  name: string; type: string; bodies: [number, number]; points: [Vec3, Vec3]; axis: Vec3; driven: boolean;
  radius?: number; gear?: [number, number]; ratio?: number; reaction?: number; moment?: number;
}

export interface ForceGlyph {
  name: string; kind: string; ends: { node: number; position: Vec3 }[]; joint?: number; value?: number;
}

export type Section =
  | { type: "rectangle"; width: number; height: number }
  | { type: "circle"; radius: number }
  | { type: "tube"; outer: number; inner: number };

export interface Beam {
  name: string; nodes: number[]; section: Section; estimated: boolean; clamped: [boolean, boolean];
  force?: number; moment?: number; strain?: number; curvature?: number;
}

export interface FlexibleBody { name: string; node: number; nodes: number[]; edges: [number, number][] }

export interface Structure {
  name: string; type: "line" | "grid"; rest: [number, number][]; triangles: number[]; value: number;
}

export interface Scene {
  planar: boolean; gravity: Vec3; size: number;
  /** Reference of the sizes of glyphs, in m: the size of the model, or a part of the room of its motion if that is larger. */
  scale: number;
  nodes: number; points: Point[]; bodies: Body[]; joints: Joint[];
  forces: ForceGlyph[]; beams: Beam[]; flexible: FlexibleBody[]; structures: Structure[];
}

export interface Scalar { name: string; unit: string; width: number; values: Float32Array }
export interface Channel { name: string; unit: string; times: Float64Array; values: Float32Array }

export interface Run {
  name: string; parameter: "time" | "load"; times: Float64Array; frames: Float32Array; accuracy: number;
  scalars: Scalar[]; channels: Channel[];
}

export interface Mode { frequency: number; damping: number; rigid: boolean; shape: Float32Array; structure?: Float32Array }

export interface Data { title: string; kind: string; scene: Scene; runs: Run[]; modes: Mode[] }
