import { createHostedClient, type HostedClient } from '#client/hosted.ts';
import type { LinkCode, LinkInfo } from '#protocol/hosted/links.ts';
import type { JobPorts } from '../job.ts';
import type { DownloadRecord } from '../record.ts';
import { renewingClient } from '../renewing-client.ts';

interface LinkToOpen {
  readonly serviceUrl: string;
  readonly linkId: string;
  readonly secret: string;
  readonly password?: string | undefined;
  /** A mailed code, or the proof that one gave. */
  readonly code?: string | undefined;
}

/** Opens a download link (contract/links.md §3): returns its package, and a read token for it. */
export function openLink({ transport }: Pick<JobPorts, 'transport'>, link: LinkToOpen, signal?: AbortSignal): Promise<LinkInfo> {
  return createHostedClient({ baseUrl: link.serviceUrl, fetcher: transport.fetcher }).call('openLink', {
    params: { link_id: link.linkId },
    query: { secret: link.secret },
    credential: { kind: 'link', password: link.password, code: link.code },
    ...(signal ? { signal } : {}),
  });
}

/** Has the code mailed that a link asks for (contract/links.md §8). */
export function mailLinkCode(
  { transport }: Pick<JobPorts, 'transport'>,
  link: Omit<LinkToOpen, 'code'>,
  signal?: AbortSignal,
): Promise<LinkCode> {
  return createHostedClient({ baseUrl: link.serviceUrl, fetcher: transport.fetcher }).call('createLinkCode', {
    params: { link_id: link.linkId },
    query: { secret: link.secret },
    credential: { kind: 'link', password: link.password },
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
    const link = {
      serviceUrl,
      linkId: source.linkId,
      secret: secrets.linkSecret ?? '',
      password: secrets.password,
      code: secrets.linkProof,
    };
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
