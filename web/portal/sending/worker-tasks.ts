/** What the page asks of its workers. `stop` drops what was asked under that id before. */
export type WorkerTask =
  | { readonly id: number; readonly kind: 'hash'; readonly blob: Blob; readonly md5: boolean }
  | { readonly id: number; readonly kind: 'digest'; readonly bytes: Uint8Array; readonly md5: boolean }
  | { readonly id: number; readonly kind: 'pack'; readonly blob: Blob; readonly sizes: readonly number[] }
  | { readonly id: number; readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly id: number; readonly kind: 'stop' };

/** BLAKE3 and MD5 in hex; of a pack its bytes, and the BLAKE3 of each file in it. A failure has the name of its `DOMException`, which says whether a file has changed or gone. */
export type WorkerAnswer =
  | { readonly id: number; readonly ok: true; readonly blake3?: string; readonly md5?: string; readonly pack?: Pack }
  | { readonly id: number; readonly ok: false; readonly name: string; readonly message: string };

export interface Pack {
  readonly bytes: ArrayBuffer;
  /** In hex, in the files' order. */
  readonly blake3: readonly string[];
}
