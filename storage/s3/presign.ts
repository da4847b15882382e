import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { S3ClientResolvedConfig } from '@aws-sdk/client-s3';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import { percentEncode } from '#protocol/storage/percent.ts';

/** The maximum lifetime of SigV4 addresses. */
const greatestSeconds = 7 * 24 * 3600;

type Input = string | ArrayBuffer | ArrayBufferView;

/** SHA-256 with the interface that the signer requires. */
class Sha256 {
  readonly #secret: Input | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: Input) {
    this.#secret = secret;
    this.#hash = this.#fresh();
  }

  update(data: Uint8Array | string): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#fresh();
  }

  #fresh(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(this.#secret));
  }
}

function bytesOf(input: Input): string | Uint8Array {
  if (typeof input === 'string') return input;
  return ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
}

interface PresignerOptions {
  readonly credentials: S3ClientResolvedConfig['credentials'];
  readonly region: string;
  /** For example `https://s3.example.com:9000`. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly pathStyle: boolean;
  readonly now: () => Date;
}

interface PresignRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Includes the prefix. */
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  /** Required size of the body in bytes; the signature covers it. */
  readonly contentLength?: number;
  readonly expiresAt: Date;
}

/** Signs addresses by AWS Signature Version 4. Makes no requests. */
export function createPresigner({
  credentials,
  region,
  endpoint,
  bucket,
  pathStyle,
  now,
}: PresignerOptions): (request: PresignRequest) => Promise<string> {
  const signer = new SignatureV4({ credentials, region, service: 's3', sha256: Sha256, uriEscapePath: false, applyChecksum: false });
  const base = new URL(endpoint);
  const host = pathStyle ? base.host : `${bucket}.${base.host}`;
  const root = pathStyle ? `/${bucket}` : '';

  return async ({ method, key, query, contentLength, expiresAt }) => {
    const signingDate = now();
    const seconds = Math.floor((expiresAt.getTime() - signingDate.getTime()) / 1000);
    const request = new HttpRequest({
      method,
      protocol: base.protocol,
      hostname: host,
      path: `${root}/${key}`,
      query: { ...query },
      headers: {
        host,
        'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
        ...(contentLength === undefined ? {} : { 'content-length': String(contentLength) }),
      },
    });
    const signed = await signer.presign(request, { signingDate, expiresIn: Math.min(Math.max(seconds, 1), greatestSeconds) });
    const pairs = Object.entries(signed.query ?? {}).map(([name, value]) => `${percentEncode(name)}=${percentEncode(String(value ?? ''))}`);
    return `${base.protocol}//${host}${signed.path}?${pairs.join('&')}`;
  };
}
