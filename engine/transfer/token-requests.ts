import type { Collision, Priority } from './record.ts';

/**
 * Transfers of a package whose token the caller has: no link is opened and no session is used. For parts of the agent
 * that were given a token, such as the storage gateway and automations; the local API does not offer them.
 */

interface TokenRequest {
  /** The transfer's id here, so that whoever asks twice gets one transfer; a new one if absent. */
  readonly id?: string;
  readonly serviceUrl: string;
  readonly packageId: string;
  /** The package's name. */
  readonly name: string;
  /** A package token (contract/conventions.md §9.3): it reads for a download, and writes for an upload. */
  readonly token: string;
  readonly priority?: Priority;
}

export interface PackageDownload extends TokenRequest {
  /** Bytes; 0 until they are known. */
  readonly totalBytes?: number;
  readonly dstFolder: string;
  readonly fileIds?: readonly string[];
  /** A new folder in `dstFolder`, named after the package; ` (2)` and so on where the name is taken. */
  readonly createPackageFolder: boolean;
  readonly collision: Collision;
  /** Names that the disk cannot hold are cut; else they end the transfer. */
  readonly cutsLongNames?: true;
  /** Passed to whoever renews its token (`RenewPackageToken`). */
  readonly teamId?: string;
  readonly sessionId?: string;
}

export interface PackageUpload extends TokenRequest {
  /** Files and folders: the absolute path here, and the path in the package, with `/`. */
  readonly files: readonly { readonly local: string; readonly name: string }[];
}
