/** Messages from the page to its workers. `stop` cancels the task with that id. */
export type WorkerTask =
  | { readonly id: number; readonly kind: 'hash'; readonly blob: Blob; readonly md5: boolean }
  | { readonly id: number; readonly kind: 'digest'; readonly bytes: Uint8Array; readonly md5: boolean }
  | { readonly id: number; readonly kind: 'pack'; readonly blob: Blob; readonly sizes: readonly number[] }
  | { readonly id: number; readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly id: number; readonly kind: 'stop' };

/**
 * BLAKE3 and MD5 in hex; for a pack its bytes and the BLAKE3 of each file. A failure has the name of its
 * `DOMException`, which tells whether the file was changed or deleted.
 */
export type WorkerAnswer =
  | { readonly id: number; readonly ok: true; readonly blake3?: string; readonly md5?: string; readonly pack?: Pack }
  | { readonly id: number; readonly ok: false; readonly name: string; readonly message: string };

export interface Pack {
  readonly bytes: ArrayBuffer;
  /** In hex, in the order of the files. */
  readonly blake3: readonly string[];
}
