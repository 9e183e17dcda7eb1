import * as THREE from "three";

/**
 * Lets the graphics card bend a geometry: `code` defines `void bend(out vec3 point, out vec3 normal)` from attributes and
 * uniforms; `value` of the picture is coloured if `colored` is 1.
 */
export function bending(material: THREE.Material, code: string, uniforms: Record<string, THREE.IUniform>, key: string): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `#include <common>\nvarying float vValue;\n${code}`)
      .replace("#include <beginnormal_vertex>", "vec3 ignoredPoint, objectNormal; bend(ignoredPoint, objectNormal);")
      .replace("#include <begin_vertex>", "vec3 transformed, ignoredNormal; bend(transformed, ignoredNormal);");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying float vValue;\nuniform float colored, range;\nuniform vec3 low, middle, high;")
      .replace("#include <color_fragment>", `#include <color_fragment>
        if (colored > 0.5) { float s = clamp(vValue / range, -1.0, 1.0); diffuseColor.rgb = s < 0.0 ? mix(middle, low, -s) : mix(middle, high, s); }`);
  };
  material.customProgramCacheKey = () => key;
}
