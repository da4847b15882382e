import { type Static, Type } from 'typebox';
import type { DocTable } from './route.ts';
import { Bytes, DateTime, Id, Literals } from './schema.ts';

/**
 * A receipt: which files a package held when it was finalized, signed by its service (docs/decisions/0019). It is
 * text of lines, each ended by `\n`: first `{"receipt":"<JWS>"}`, then one JSON object for each file and folder, in
 * the order of SHA-256 of `<folder>/<name>` (`/<name>` in the root). The JWS signs the SHA-256 of all lines but the first.
 */

/** The media type of receipts. */
export const receiptMediaType = 'application/x-ndjson';

/** `typ` of the signature, so that no other token of the service is accepted as one. */
export const receiptSignatureType = 'longshore-receipt';
/** Ed25519; JWS calls it EdDSA (RFC 8037). */
export const receiptAlgorithm = 'EdDSA';

/** One file or folder. */
export const ReceiptEntry = Type.Object(
  {
    kind: Literals(['file', 'directory']),
    path: Type.String({ description: 'Inside the package, with `/`, the name at its end.' }),
    size: Type.Optional(Bytes),
    last_modified: DateTime,
    chunk_size: Type.Optional(Type.Integer({ minimum: 1, description: 'Bytes.' })),
    digest: Type.Optional(Type.String({ pattern: '^blake3:[0-9a-f]{64}$' })),
  },
  { title: 'ReceiptEntry' },
);
export type ReceiptEntry = Static<typeof ReceiptEntry>;

/** The signed claims. */
export const ReceiptClaims = Type.Object(
  {
    iss: Type.String({ description: "The service's address." }),
    iat: Type.Integer({ minimum: 0, description: 'When it was signed, in seconds since 1970.' }),
    package_id: Id,
    package_name: Type.String(),
    files: Type.Integer({ minimum: 0 }),
    directories: Type.Integer({ minimum: 0 }),
    bytes: Bytes,
    manifest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description: 'Of the lines after the first, each with its `\\n`.' }),
  },
  { title: 'ReceiptClaims' },
);
export type ReceiptClaims = Static<typeof ReceiptClaims>;

/** A service's public key (RFC 8037). */
export const ServiceKey = Type.Object(
  {
    kty: Literals(['OKP']),
    crv: Literals(['Ed25519']),
    x: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', examples: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'] }),
    kid: Type.String({ description: 'Its thumbprint (RFC 7638).', examples: ['kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'] }),
    alg: Literals(['EdDSA']),
    use: Literals(['sig']),
  },
  { title: 'ServiceKey' },
);
export type ServiceKey = Static<typeof ServiceKey>;

/** A line's fields, in the order that the service uses. */
export function receiptLine({ kind, path, size, last_modified, chunk_size, digest }: ReceiptEntry): string {
  return `${JSON.stringify({ kind, path, size, last_modified, chunk_size, digest })}\n`;
}

export const receiptHead = (jws: string): string => `${JSON.stringify({ receipt: jws })}\n`;

/** For the docs: a stream has no schema there. */
export const receiptTable: DocTable = {
  title: 'The lines, each a JSON object',
  columns: ['Line', 'What it says'],
  rows: [
    [
      'the first: `receipt`',
      'A JWS (compact, `EdDSA`) of `iss`, `iat`, `package_id`, `package_name`, `files`, `directories`, `bytes` and `manifest`: `sha256:` and the SHA-256, in hex, of all lines after the first. Its header holds the public key, which is also at `/.well-known/jwks.json`.',
    ],
    [
      'every other',
      'One file or folder: `kind` (`file` or `directory`), `path` with its name, `last_modified`, and of a file `size`, `chunk_size` and `digest`, which is absent where neither sender nor storage has told one.',
    ],
  ],
};
