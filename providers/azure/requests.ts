import { ProviderError } from '../errors.ts';
import type { CloudAnswer, CloudHttp, CloudRequest, CloudStream } from '../http/client.ts';
import type { ProviderEnvironment } from '../ports.ts';
import type { AzureConfig } from './config.ts';
import { azureError } from './errors.ts';
import type { Permission } from './sas.ts';

/** Of the protocol: the first one that marks names which XML cannot hold is 2021-02-12. */
const version = '2022-11-02';

export interface AzureRequest {
  readonly method: CloudRequest['method'];
  /** The blob's path; absent for the container itself. */
  readonly path?: string;
  /** The operation's own parameters. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: CloudRequest['body'];
  /** The permission that it wants, for the words of a refusal. */
  readonly needs: Permission;
}

/** Requests to one container with its SAS. Both reject with `ProviderError` unless the answer is a success. */
export interface AzureRequests {
  send(request: AzureRequest, signal: AbortSignal, maxBytes?: number): Promise<CloudAnswer>;
  open(request: AzureRequest, signal: AbortSignal): Promise<CloudStream>;
}

export function createAzureRequests(
  { container, sas }: AzureConfig,
  http: CloudHttp,
  { now }: Pick<ProviderEnvironment, 'now'>,
): AzureRequests {
  const prepared = ({ method, path, query = {}, headers = {}, body }: AzureRequest): CloudRequest => {
    const address = path === undefined ? container : `${container}/${encoded(path)}`;
    const own = new URLSearchParams(query).toString().replaceAll('+', '%20');
    return {
      method,
      url: `${address}?${own === '' ? '' : `${own}&`}${sas.query}`,
      headers: { 'x-ms-version': version, ...headers },
      ...(body !== undefined && { body }),
    };
  };
  const refusalOf = ({ status, headers }: Pick<CloudAnswer, 'status' | 'headers'>, { needs }: AzureRequest): ProviderError | null =>
    status >= 200 && status < 300 ? null : azureError({ status, headers, needs, sas, now: now() });

  return {
    async send(request, signal, maxBytes) {
      const answer = await http.send(prepared(request), signal, maxBytes);
      const refusal = refusalOf(answer, request);
      if (refusal) throw refusal;
      return answer;
    },
    async open(request, signal) {
      const answer = await http.open(prepared(request), signal);
      const refusal = refusalOf(answer, request);
      if (!refusal) return answer;
      answer.body.on('error', () => undefined).destroy();
      throw refusal;
    },
  };
}

/** A path in a URL. Steps `.` and `..` would lead out of the container, and no encoding hides them. */
function encoded(path: string): string {
  const steps = path.split('/');
  if (steps.some((step) => step === '.' || step === '..')) {
    throw new ProviderError('name_refused', 'A path cannot have a step of one or two dots.');
  }
  return steps.map(encodeURIComponent).join('/');
}
