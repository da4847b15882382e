import type { ProviderName } from '#protocol/providers.ts';

const mebibyte = 1024 * 1024;

/** The kinds of provider that speak S3. */
export type S3Kind = Extract<ProviderName, `${string}_s3`>;

/** What servers do differently. */
export interface S3Quirks {
  readonly listVersion: 1 | 2;
  /** Takes `encoding-type=url`, so that names which XML cannot hold are listed. */
  readonly encodesLists: boolean;
  /** `field`: the connection says so in `force_s3_path_style`. */
  readonly pathStyle: 'always' | 'never' | 'field';
  /** Bytes of a part that is not the last. */
  readonly smallestPart: number;
  readonly usualPart: number;
  /** The etag of an object or a part that was sent by one PUT is its MD5, unless it is encrypted by a key of the customer's. */
  readonly partEtagIsMd5: boolean;
  /** The etag of a multipart object is the MD5 of its parts' MD5s. */
  readonly multipartEtagIsMd5: boolean;
  /** Takes `If-None-Match: *` with what makes an object: nothing is replaced, also in a race. */
  readonly createsOnly: boolean;
  /** Objects may lie in classes that cannot be read at once. */
  readonly archives: boolean;
  /** Each bucket keeps old versions: what is deleted without naming a version is only hidden, and still paid for. */
  readonly keepsVersions: boolean;
}

/** What one may assume of a server that is not known. */
const least: S3Quirks = {
  listVersion: 1,
  encodesLists: false,
  pathStyle: 'field',
  smallestPart: 5 * mebibyte,
  usualPart: 16 * mebibyte,
  partEtagIsMd5: false,
  multipartEtagIsMd5: false,
  createsOnly: false,
  archives: false,
  keepsVersions: false,
};

const usual: S3Quirks = {
  ...least,
  listVersion: 2,
  encodesLists: true,
  pathStyle: 'never',
  partEtagIsMd5: true,
  multipartEtagIsMd5: true,
};

/**
 * Integrity is by `Content-MD5` with each part, which all of them check. The newer checksums (`x-amz-checksum-*`) are sent
 * to nobody: several refuse or misread them, others take wrong ones, and they tell nothing that the MD5 does not.
 */
export const quirks: { readonly [Kind in S3Kind]: S3Quirks } = {
  amazon_s3: { ...usual, createsOnly: true, archives: true },
  digitalocean_s3: { ...usual, encodesLists: false },
  ibm_s3: { ...usual, listVersion: 1, encodesLists: false, pathStyle: 'always', multipartEtagIsMd5: false },
  minio_s3: { ...usual, pathStyle: 'field', createsOnly: true },
  objectmatrix_s3: { ...least, pathStyle: 'always' },
  lyve_s3: { ...usual, multipartEtagIsMd5: false },
  storj_s3: { ...usual, smallestPart: 64 * mebibyte, usualPart: 64 * mebibyte },
  wasabi_s3: usual,
  generic_s3: least,
};

/** Backblaze B2's S3-compatible API, which `b2/` uses. */
export const backblazeQuirks: S3Quirks = { ...usual, pathStyle: 'always', usualPart: 100_000_000, keepsVersions: true };
