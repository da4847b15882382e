import { hash } from 'node:crypto';
import {
  PutObjectCommand,
  type PutObjectCommandInput,
  type PutObjectCommandOutput,
  type S3Client,
  UploadPartCommand,
  type UploadPartCommandInput,
} from '@aws-sdk/client-s3';
import { HttpRequest, type HttpResponse } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import { percentEncode } from '#protocol/storage/percent.ts';
import type { RequestHandler } from './request-handler.ts';

/** The SDK's own input of a whole object or a part. */
export type PutInput = (UploadPartCommandInput & { readonly UploadId: string }) | (PutObjectCommandInput & { readonly UploadId?: never });

export interface BytesToPut {
  /** Without its body. */
  readonly input: PutInput;
  readonly pieces: readonly Uint8Array[];
}

export type PutAnswer = Pick<PutObjectCommandOutput, 'ETag' | 'ServerSideEncryption'>;

/** Where a client's requests go, and who signs them. */
interface Address {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number | undefined;
  /** Before the key. */
  readonly path: string;
  readonly signer: SignatureV4;
}

/** Bytes up to which their SHA-256 is signed, as for all that the SDK gets in one piece; a larger body has its MD5 alone. */
const largestSigned = 256 * 1024;
/** As in the SDK. */
const expectsContinueFrom = 2 * 1024 * 1024;

export type PutBytes = (client: S3Client, request: BytesToPut, signal: AbortSignal) => Promise<PutAnswer>;

/**
 * A PUT of bytes that lie in memory, without the SDK's middleware, which costs more than all else that a small file needs.
 * What the SDK knows is still asked of it: the address, once for each client, and what a refusal means, so that errors, and
 * a clock that is off, are the same. Rejects as the SDK does. The bytes are not read any more when it has ended.
 */
export function createPutBytes(bucket: string, handler: RequestHandler): PutBytes {
  const addresses = new WeakMap<S3Client, Address | null>();

  return async (client, { input, pieces }, signal) => {
    let address = addresses.get(client);
    if (address === undefined) {
      address = await addressOf(client, bucket);
      addresses.set(client, address);
    }
    if (address === null) return await client.send(putCommand({ ...input, Body: Buffer.concat(pieces) }), { abortSignal: signal });
    const { protocol, hostname, port, path, signer } = address;
    const unsigned = new HttpRequest({
      method: 'PUT',
      protocol,
      hostname,
      ...(port !== undefined && { port }),
      path: path + input.Key!.split('/').map(percentEncode).join('/'),
      query: queryOf(input),
      headers: { ...headersOf(input, pieces), host: port === undefined ? hostname : `${hostname}:${port}` },
    });
    const signingDate = new Date(Date.now() + client.config.systemClockOffset);
    const answer = await handler.send((await signer.sign(unsigned, { signingDate })) as HttpRequest, pieces, signal);
    if (answer.statusCode >= 300) return await client.send(answeredWith(answer, putCommand(input)), { abortSignal: signal });
    return {
      ETag: answer.headers['etag'],
      ServerSideEncryption: answer.headers['x-amz-server-side-encryption'] as PutAnswer['ServerSideEncryption'],
    };
  };
}

export const putCommand = (input: PutInput): PutObjectCommand =>
  // To the SDK's types these are two; all that is asked of them here is the same.
  input.UploadId === undefined ? new PutObjectCommand(input) : (new UploadPartCommand(input) as unknown as PutObjectCommand);

const queryOf = ({ UploadId, ...input }: PutInput): Record<string, string> =>
  UploadId === undefined
    ? { 'x-id': 'PutObject' }
    : { partNumber: String((input as UploadPartCommandInput).PartNumber), uploadId: UploadId, 'x-id': 'UploadPart' };

function headersOf(input: PutInput, pieces: readonly Uint8Array[]): Record<string, string> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const { ContentMD5 } = input;
  const headers: Record<string, string> = {
    'content-type': 'application/octet-stream',
    'content-length': String(size),
    'x-amz-content-sha256': size > largestSigned ? 'UNSIGNED-PAYLOAD' : sha256Of(pieces),
  };
  if (ContentMD5 !== undefined) headers['content-md5'] = ContentMD5;
  if (size >= expectsContinueFrom) headers['expect'] = '100-continue';
  if (input.UploadId !== undefined) return headers;
  if (input.IfNoneMatch !== undefined) headers['if-none-match'] = input.IfNoneMatch;
  if (input.ContentType !== undefined) headers['content-type'] = input.ContentType;
  if (input.StorageClass !== undefined) headers['x-amz-storage-class'] = input.StorageClass;
  for (const [name, value] of Object.entries(input.Metadata ?? {})) headers[`x-amz-meta-${name}`] = value;
  return headers;
}

const sha256Of = (pieces: readonly Uint8Array[]): string => hash('sha256', pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));

/** Null where the bucket is one whose requests are not signed by a key for one region. */
async function addressOf(client: S3Client, bucket: string): Promise<Address | null> {
  const key = 'x';
  const command = new PutObjectCommand({ Bucket: bucket, Key: key });
  let address: Address | null = null;
  command.middlewareStack.add(
    (_next, context) =>
      async ({ request }) => {
        const { protocol, hostname, port, path } = request as HttpRequest;
        const scheme = context.endpointV2?.properties?.authSchemes?.[0];
        if (scheme?.name === 'sigv4') {
          const signer = new SignatureV4({
            credentials: client.config.credentials,
            region: scheme.signingRegion ?? client.config.region,
            service: scheme.signingName ?? 's3',
            sha256: client.config.sha256,
            uriEscapePath: false,
            applyChecksum: false,
          });
          address = { protocol, hostname, port, path: path.slice(0, -key.length), signer };
        }
        return { response: null, output: { $metadata: {} } };
      },
    // After the address is known, before it would be signed and sent.
    { step: 'build', priority: 'low' },
  );
  await client.send(command);
  return address;
}

/** The command, answered already. */
function answeredWith(response: HttpResponse, command: PutObjectCommand): PutObjectCommand {
  command.middlewareStack.add(() => async () => ({ response }) as never, { step: 'deserialize', priority: 'low' });
  return command;
}
