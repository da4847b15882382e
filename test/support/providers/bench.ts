import type { ProviderErrorCode } from '#providers/errors.ts';
import type { CloudProvider } from '#providers/ports.ts';

/** A provider under test, with a server behind it. */
export interface ProviderBench {
  readonly provider: CloudProvider;
  /** Another one for the same destination, as after a restart: it knows nothing but what is in a handle. */
  restarted(): CloudProvider;
  /** Everything the server keeps below the destination, unfinished uploads and parts included: names that tell them apart. */
  stored(): Promise<readonly string[]>;
  /** Providers whose authorization is wrong, each with the failure that `check` must meet. */
  readonly wrong: readonly { readonly what: string; readonly provider: CloudProvider; readonly code: ProviderErrorCode }[];
  /** Values that no error may show. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

/** What a provider cannot do, each with the reason. */
export type Lacks = Partial<
  Record<
    | 'resumesParts'
    | 'replacesParts'
    | 'replacesFiles'
    | 'ranges'
    | 'folders'
    | 'lists'
    /** A file of one part is there as soon as the part is. */
    | 'hidesUnfinishedWhole'
    /** What another has put at the path meanwhile stays: it is refused, kept beside, or kept as an older version. */
    | 'keepsTaken'
    /** The same for a file of several parts. */
    | 'keepsTakenInParts'
    /** Files of 0 bytes; they are refused as such. */
    | 'emptyFiles',
    string
  >
>;

export interface ProviderConformanceOptions {
  readonly open: () => Promise<ProviderBench>;
  readonly lacks?: Lacks;
  /** Bytes of a file of three parts and more, the last one shorter. */
  readonly largeFile: number;
  readonly partSize?: number;
  /** Names that this provider must hold in listings, beside the usual ones. */
  readonly names?: readonly string[];
}
