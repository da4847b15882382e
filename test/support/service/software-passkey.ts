import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { NewPasskeyResponse, PasskeyProof } from '#protocol/hosted/mfa.ts';

/** An authenticator in memory, which answers as a browser does (WebAuthn §6.1, §6.5, §8.7): ES256, without an attestation. */

export interface SoftwarePasskey {
  /** Answers `navigator.credentials.create`. */
  create(options: Options, origin: string): NewPasskeyResponse;
  /** Answers `navigator.credentials.get`. */
  prove(options: Options, origin: string): PasskeyProof;
}

type Options = Readonly<Record<string, unknown>>;

const userPresent = 0x01;
const userVerified = 0x04;
const hasCredential = 0x40;

/** `verifies`: whether it asks for its owner. `counts`: whether it says how often it was used. */
export function softwarePasskey({ verifies = true, counts = true } = {}): SoftwarePasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let uses = 0;
  const seen = userPresent | (verifies ? userVerified : 0);
  const coseKey = cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(jwk.x!, 'base64url')],
      [-3, Buffer.from(jwk.y!, 'base64url')],
    ]),
  );
  const authenticatorData = (origin: string, flags: number, more = Buffer.alloc(0)): Buffer => {
    if (counts) uses += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(uses);
    return Buffer.concat([sha256(new URL(origin).hostname), Buffer.of(flags), count, more]);
  };
  const names = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' } as const;
  return {
    create(options, origin) {
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, coseKey]);
      const attested = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authenticatorData(origin, seen | hasCredential, credential)],
      ]);
      const response = {
        clientDataJSON: clientData('webauthn.create', options, origin).toString('base64url'),
        attestationObject: cbor(attested).toString('base64url'),
        transports: ['internal'],
      };
      return { ...names, response, clientExtensionResults: {} };
    },
    prove(options, origin) {
      const data = authenticatorData(origin, seen);
      const client = clientData('webauthn.get', options, origin);
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
      };
      return { ...names, response, clientExtensionResults: {} };
    },
  };
}

const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();

const clientData = (type: string, { challenge }: Options, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

/** As much of CBOR (RFC 8949) as an authenticator's answers need: small whole numbers, texts, bytes and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
  throw new Error('no authenticator says this');
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.of((major << 5) | size);
  if (size < 256) return Buffer.of((major << 5) | 24, size);
  return Buffer.of((major << 5) | 25, size >> 8, size & 255);
}
