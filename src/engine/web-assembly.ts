/** The little of WebAssembly that is used here, typed: Node's own types name it without its constructors. */

export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

interface WasmApi {
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Memory: new (size: {
    readonly initial: number;
    readonly maximum: number;
  }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: object };
}

const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: WasmApi };

/** @throws Error when the bytes are no module that this Node can run */
export const compileWasm = (bytes: Uint8Array): WasmModule => new wasm.Module(bytes);

/** A memory of a fixed number of 64 KiB pages. */
export const fixedMemory = (pages: number): { readonly buffer: ArrayBuffer } =>
  new wasm.Memory({ initial: pages, maximum: pages });

/** The exports of a module that imports nothing but `memory`. The caller knows their shapes. */
export const instantiate = (module: WasmModule, memory: { readonly buffer: ArrayBuffer }): object =>
  new wasm.Instance(module, { env: { memory } }).exports;
