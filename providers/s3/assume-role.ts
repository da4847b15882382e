import { randomUUID } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import { ProviderError } from '../errors.ts';
import type { CloudHttp } from '../http/client.ts';
import { retryAfterOf } from '../http/retry-after.ts';
import type { ProviderEnvironment } from '../ports.ts';
import { s3Error } from './errors.ts';

export interface AssumedRole {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiresAt: Date;
}

export interface RoleToAssume {
  readonly roleArn: string;
  /** Sent where it is not empty: the role's trust policy names it. */
  readonly externalId: string;
  readonly region: string;
}

const element = (text: string, name: string): string | undefined => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];

/** AssumeRole at STS, signed with the service's own identity. Credentials live for an hour unless the role says less. */
export async function assumeRole(
  { roleArn, externalId, region }: RoleToAssume,
  { aws, now }: ProviderEnvironment,
  http: CloudHttp,
  signal: AbortSignal,
): Promise<AssumedRole> {
  // China's regions have a domain of their own.
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = new URL(aws?.stsEndpoint ?? `https://sts.${region}.${domain}/`);
  const body = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: `longshore-${randomUUID()}`,
    ...(externalId !== '' && { ExternalId: externalId }),
  }).toString();
  // Finds the identity where the AWS tools find theirs, and brings its SHA-256.
  const own = new S3Client({ region, ...(aws && { credentials: aws }) });
  const signer = new SignatureV4({ credentials: own.config.credentials, region, service: 'sts', sha256: own.config.sha256 });
  let signed: { readonly headers: Record<string, string> };
  try {
    const headers = { host: url.host, 'content-type': 'application/x-www-form-urlencoded' };
    const request = { method: 'POST', protocol: url.protocol, hostname: url.hostname, path: url.pathname, headers, body };
    signed = await signer.sign(new HttpRequest(request), { signingDate: now() });
  } catch (error) {
    throw s3Error(error, now());
  } finally {
    own.destroy();
  }
  const { host: _, ...headers } = signed.headers;
  const answer = await http.send({ method: 'POST', url: url.href, headers, body }, signal);
  const text = answer.bytes.toString();
  if (answer.status !== 200) throw refusal(answer.status, text, retryAfterOf(answer.headers['retry-after'], now()));
  const accessKeyId = element(text, 'AccessKeyId');
  const secretAccessKey = element(text, 'SecretAccessKey');
  const sessionToken = element(text, 'SessionToken');
  const expiresAt = new Date(element(text, 'Expiration') ?? Number.NaN);
  if (!accessKeyId || !secretAccessKey || !sessionToken || Number.isNaN(expiresAt.getTime())) {
    throw new ProviderError('bad_answer', 'The answer of AWS to AssumeRole holds no credentials. Try again.');
  }
  return { accessKeyId, secretAccessKey, sessionToken, expiresAt };
}

function refusal(status: number, text: string, retryAfter: number): ProviderError {
  const code = element(text, 'Code') ?? '';
  const options = { answered: `${code} ${status}`.trim(), retryAfter };
  if (status === 429 || status >= 500 || code === 'Throttling') {
    return new ProviderError('busy', 'AWS asks for patience before the role can be assumed. It is tried again.', options);
  }
  if (code === 'InvalidClientTokenId' || code === 'SignatureDoesNotMatch' || code === 'ExpiredToken') {
    return new ProviderError(
      'misconfigured',
      "AWS does not take this service's own identity, which assumes the role. Its operator must correct it.",
      options,
    );
  }
  if (status === 403) {
    return new ProviderError(
      'credentials_refused',
      "The role may not be assumed. Its trust policy must name this service's identity as principal, and the external ID as it is in this connection.",
      options,
    );
  }
  return new ProviderError('credentials_refused', 'The role cannot be assumed. Check its ARN and the region.', options);
}
