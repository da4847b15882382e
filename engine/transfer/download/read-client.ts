import { createHostedClient, type HostedClient, type HostedCredential } from '#client/hosted.ts';
import type { LinkInfo } from '#protocol/hosted/links.ts';
import type { JobPorts } from '../job.ts';
import type { DownloadRecord } from '../record.ts';
import { renewingClient } from '../renewing-client.ts';

/** Opens a download link (contract/links.md §3): returns its package, and a read token for it. */
export function openLink(
  { transport }: Pick<JobPorts, 'transport'>,
  link: { readonly serviceUrl: string; readonly linkId: string; readonly secret: string; readonly password?: string | undefined },
  signal?: AbortSignal,
): Promise<LinkInfo> {
  const credential: HostedCredential = link.password === undefined ? { kind: 'none' } : { kind: 'link_password', password: link.password };
  return createHostedClient({ baseUrl: link.serviceUrl, fetcher: transport.fetcher }).call('openLink', {
    params: { link_id: link.linkId },
    query: { secret: link.secret },
    credential,
    ...(signal ? { signal } : {}),
  });
}

/**
 * A client with the download's read token. Each new token counts as one more use of a link, so one token is used until
 * the service refuses it; only then the link is opened again, or the host asked for another token.
 */
export function readClient(ports: JobPorts, id: string, signal: AbortSignal): HostedClient {
  const record = (): DownloadRecord => {
    const found = ports.registry.get(id);
    if (found.kind !== 'download') throw new Error(`The transfer ${id} is no download.`);
    return found;
  };

  /** `null` where there is no other one. */
  const newToken = async (): Promise<string | null> => {
    const { request, secrets, facts } = record();
    const { serviceUrl, source } = request;
    if (source.kind === 'package') {
      const refused = secrets.packageToken ?? '';
      return ports.renewPackageToken({ transferId: id, serviceUrl, packageId: facts.packageId, source, refused }, signal);
    }
    const link = { serviceUrl, linkId: source.linkId, secret: secrets.linkSecret ?? '', password: secrets.password };
    return (await openLink(ports, link, signal)).package_token;
  };

  const renew = async (cause: unknown): Promise<void> => {
    const packageToken = await newToken();
    if (packageToken === null) throw cause;
    ports.registry.changeDownload(id, { secrets: { ...record().secrets, packageToken } });
    await ports.store.writer.committed();
  };

  return renewingClient(ports, { serviceUrl: record().request.serviceUrl, token: () => record().secrets.packageToken, renew });
}
