import type { ErrorName } from '#protocol/errors.ts';
import { errorCatalogue } from '#protocol/errors.ts';
import type { File } from '#protocol/hosted/files.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import type { HostedRouteName, HostedRoutes } from '#protocol/hosted/routes.ts';
import type { ReplyOf } from '#protocol/route.ts';

/**
 * The three calls this page makes. Their addresses are written here, and held to the route table by their type:
 * the table's schemas would be half of what a visitor has to load.
 */
type Address<Name extends HostedRouteName> = `${HostedRoutes[Name]['method']} ${HostedRoutes[Name]['path']}`;
const addresses: { readonly [Name in 'openLink' | 'listFiles' | 'downloadFile']: Address<Name> } = {
  openLink: 'GET /v1/links/{link_id}',
  listFiles: 'GET /v1/packages/{package_id}/files',
  downloadFile: 'GET /v1/packages/{package_id}/files/{file_id}/download',
};

/** A call that failed. `error` is the catalogue's name, `unreachable` without an answer, `unknown` for an answer of another kind. */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure';
  readonly error: ErrorName | 'unreachable' | 'unknown';

  constructor(error: ErrorName | 'unreachable' | 'unknown', message: string, options?: ErrorOptions) {
    super(message, options);
    this.error = error;
  }
}

export interface DownloadApi {
  /** Opens the link. An empty password sends none. */
  openLink(linkId: string, secret: string, password: string): Promise<LinkInfo>;
  listFiles(link: LinkInfo): Promise<File[]>;
  /** Where the file can be fetched from, for about an hour. */
  addressOf(link: LinkInfo, fileId: string): Promise<string>;
}

/** The service's API, same origin. Rejects with `ServiceFailure` alone. */
export function createDownloadApi(fetcher: typeof fetch): DownloadApi {
  async function call<Name extends keyof typeof addresses>(
    name: Name,
    params: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
    query = '',
  ): Promise<ReplyOf<HostedRoutes[Name]>> {
    const path = addresses[name].replace('GET ', '').replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
    let response: Response;
    let text: string;
    try {
      response = await fetcher(path + query, { headers, cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' });
      text = await response.text();
    } catch (cause) {
      throw new ServiceFailure('unreachable', 'The service does not answer. Check your connection and try again.', { cause });
    }
    if (!response.ok) throw failureOf(response.status, text);
    return JSON.parse(text) as ReplyOf<HostedRoutes[Name]>;
  }

  const token = (link: LinkInfo) => ({ 'x-package-token': link.package_token });
  return {
    openLink: (linkId, secret, password) =>
      call('openLink', { link_id: linkId }, password ? { 'x-link-password': password } : {}, `?${new URLSearchParams({ secret })}`),
    listFiles: (link) => call('listFiles', { package_id: link.package_id }, token(link)),
    addressOf: async (link, fileId) => (await call('downloadFile', { package_id: link.package_id, file_id: fileId }, token(link))).url,
  };
}

function failureOf(status: number, text: string): ServiceFailure {
  try {
    const body = JSON.parse(text) as { code?: unknown; message?: unknown };
    const known = (Object.keys(errorCatalogue) as ErrorName[]).find((name) => errorCatalogue[name].code === body.code);
    if (typeof body.message === 'string') return new ServiceFailure(known ?? 'unknown', body.message);
  } catch {
    // Not the service's own answer, e.g. a proxy's page: the status is all there is.
  }
  return new ServiceFailure(status >= 500 ? 'unreachable' : 'unknown', `The service answered with status ${status}. Try again soon.`);
}
