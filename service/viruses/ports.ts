/** What a scanner found in a file. */
export type Verdict =
  | { readonly kind: 'clean' }
  /** `virus`: the name of what was found, in at most 200 characters. */
  | { readonly kind: 'infected'; readonly virus: string }
  /** Beyond the scanner's limits: nothing is known of it. */
  | { readonly kind: 'too_large' };

/** What is known of a file's bytes. `reason`: why nothing is. */
export type FileVerdict =
  | { readonly kind: 'clean' }
  | { readonly kind: 'infected'; readonly virus: string }
  | { readonly kind: 'unscanned'; readonly reason: 'too_large' | 'unreadable' | 'refused' };

export interface VirusScanner {
  /** Bytes. Larger files are not given to it: what it says of them would not be of all their bytes. */
  readonly maxBytes: number;
  /** Reads a file to its end, or until the verdict is known. Errors: `ScanError`; what `bytes` throws, and the signal's reason, unchanged. */
  scan(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Verdict>;
  /** Name and database of the scanner in one line. */
  version(signal: AbortSignal): Promise<string>;
}

type ScanFailure = 'unreachable' | 'timeout' | 'broken' | 'refused';

/** There is no verdict. Another attempt may have one. */
export class ScanError extends Error {
  override readonly name = 'ScanError';
  readonly code: ScanFailure;
  readonly retryable = true;
  constructor(code: ScanFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
