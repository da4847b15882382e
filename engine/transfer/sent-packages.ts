import { refusesCredential } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { SentDownload, SentLink, SentPackage } from '#protocol/agent/sent-package.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { Download } from '#protocol/hosted/downloads.ts';
import type { Link } from '#protocol/hosted/links.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { limits } from '#protocol/limits.ts';
import type { Engine } from '../engine.ts';
import { asSession } from '../session/as-session.ts';
import type { Session } from '../session/session.ts';
import type { Store } from '../state/store.ts';
import type { JobPorts } from './job.ts';
import { packageIdOf, type UploadRecord } from './record.ts';
import { renewingClient } from './renewing-client.ts';
import type { TransferRegistry } from './transfer-registry.ts';

interface SentPackagesPorts {
  readonly registry: Pick<TransferRegistry, 'get' | 'patchUploadSecrets'>;
  readonly writer: Pick<Store['writer'], 'committed'>;
  readonly session: Pick<Session, 'hosted'>;
  readonly jobs: Pick<JobPorts, 'transport'>;
}

/** What the sender of an upload can see and do of its package at the service (contract/agent.md §14). */
export function createSentPackages({ registry, writer, session, jobs }: SentPackagesPorts): Engine['sentPackages'] {
  const uploadOf = (id: string): UploadRecord => {
    const record = registry.get(id);
    if (record.kind !== 'upload' || packageIdOf(record) === '' || record.facts.package.state !== 'finalized') {
      throw new AgentError('transfer_conflict', { detail: 'It has no package at its service that is complete.' });
    }
    if (record.request.portal) {
      throw new ApiError('not_allowed', { detail: 'A package that went through a Portal belongs to the people behind it.' });
    }
    return record;
  };

  const clientOf = (id: string, { request }: UploadRecord): HostedClient =>
    renewingClient(jobs, {
      serviceUrl: request.serviceUrl,
      token: () => (registry.get(id) as UploadRecord).secrets.packageToken,
      async renew(cause) {
        const token = await freshToken(id, cause);
        registry.patchUploadSecrets(id, { packageToken: token });
        await writer.committed();
      },
    });

  /** Tokens of packages end. The Team has new ones for whoever may manage it. Throws `cause` where it has none. */
  const freshToken = async (id: string, cause: unknown): Promise<string> => {
    const record = uploadOf(id);
    const params = { team_id: record.request.teamId, package_id: packageIdOf(record) };
    try {
      return (await asSession(session, record.request, (client) => client.call('getTeamPackage', { params }))).access_token;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.error === 'no_such_endpoint') return listedToken(record, cause);
      throw error.error === 'not_found' ? cause : error;
    }
  };

  /** Of a service that is too old to be asked for one package of a Team. It finds none that was renamed. */
  const listedToken = async (record: UploadRecord, cause: unknown): Promise<string> => {
    const { request, name } = record;
    const packageId = packageIdOf(record);
    for (let page = 1; ; page++) {
      const query = { page, limit: limits.pageSize, name, status: ['finalized' as const] };
      const { records, metadata } = await asSession(session, request, (client) =>
        client.call('listTeamPackages', { params: { team_id: request.teamId }, query }),
      );
      const found = records.find((one) => one.id === packageId);
      if (found) return found.access_token;
      if (records.length === 0 || page * limits.pageSize >= metadata.total) throw cause;
    }
  };

  const asked = async <T>(id: string, call: (client: HostedClient, params: { readonly package_id: string }) => Promise<T>): Promise<T> => {
    const record = uploadOf(id);
    try {
      return await call(clientOf(id, record), { package_id: packageIdOf(record) });
    } catch (cause) {
      // It could not be renewed: whoever is signed in may not manage it any more.
      throw refusesCredential(cause)
        ? new ApiError('not_allowed', { detail: 'Nobody who is signed in may manage this package.' }, { cause })
        : cause;
    }
  };

  const read = (id: string): Promise<SentPackage> =>
    asked(id, async (client, params) => {
      const [found, links, downloads] = await Promise.all([
        client.call('getPackage', { params }),
        client.call('listLinks', { params }),
        downloadsOf(client, params),
      ]);
      await keepLinks(id, links);
      return viewOf(found, links, downloads);
    });

  /** So that the list shows, and copies, what stands now. */
  const keepLinks = async (id: string, links: readonly Link[]): Promise<void> => {
    const standing = links.filter(({ active }) => active).map(({ email, url }) => ({ email, url }));
    const known = uploadOf(id).secrets.links ?? [];
    if (
      JSON.stringify(known.map(({ email, url }) => [email, url]).sort()) ===
      JSON.stringify(standing.map(({ email, url }) => [email, url]).sort())
    )
      return;
    registry.patchUploadSecrets(id, { links: standing });
    await writer.committed();
  };

  return {
    get: read,
    async setExpiry(id, { expiry, unlimited_storage = false }) {
      await asked(id, (client, params) =>
        client.call('setPackageExpiry', { params, body: { ...(expiry === undefined ? {} : { expiry }), unlimited_storage } }),
      );
      return read(id);
    },
    async remove(id) {
      await asked(id, (client, params) => client.call('deletePackage', { params }));
      registry.patchUploadSecrets(id, { links: [] });
      await writer.committed();
    },
    async addLink(id, { mail = false, ...link }) {
      const made = await asked(id, (client, params) => client.call('createLink', { params, body: link }));
      if (mail && link.email !== undefined) await asked(id, (client, params) => mailLink(client, { ...params, link_id: made.id }));
      return read(id);
    },
    async mailLink(id, linkId) {
      await asked(id, (client, params) => mailLink(client, { ...params, link_id: linkId }));
    },
    async endLink(id, linkId) {
      await asked(id, (client, params) => client.call('deleteLink', { params: { ...params, link_id: linkId } }));
      await read(id);
    },
  };
}

const mailLink = (client: HostedClient, params: { readonly package_id: string; readonly link_id: string }) =>
  client.call('mailLink', { params });

/** As many as a service lists at once. Older ones are not shown. */
const shownDownloads = 500;

/** `null` where the service does not tell of them, as older ones do not. */
async function downloadsOf(client: HostedClient, params: { readonly package_id: string }): Promise<readonly Download[] | null> {
  try {
    return (await client.call('listDownloads', { params, query: { limit: shownDownloads } })).records;
  } catch (cause) {
    if (cause instanceof ApiError && cause.error === 'no_such_endpoint') return null;
    throw cause;
  }
}

function viewOf(found: Package, links: readonly Link[], downloads: readonly Download[] | null): SentPackage {
  const shown = links.map((link) => linkView(link, downloads));
  return {
    id: found.id,
    name: found.name,
    state: found.state,
    size: found.size,
    total_files: found.total_files,
    expiry: found.expiry,
    unlimited_storage: found.unlimited_storage,
    has_password: found.password !== '',
    ...(found.hold === undefined ? {} : { hold: found.hold }),
    ...(found.findings === undefined ? {} : { findings: found.findings }),
    // Older services do not ask for one.
    ...(found.verify_recipient === undefined ? {} : { verify_recipient: found.verify_recipient }),
    links: [...shown.filter(({ active }) => active), ...shown.filter(({ active }) => !active)],
    ...(downloads ? { downloads: downloads.map(downloadView) } : {}),
    // Both came with the same version.
    can_mail: downloads !== null,
  };
}

const downloadView = ({ email, started_at: at, verified = false, what }: Download): SentDownload => ({
  ...{ email, at, verified },
  ...(what ? { what } : {}),
});

const linkView = (link: Link, downloads: readonly Download[] | null): SentLink => ({
  ...(downloads ? usesOf(downloads.filter(({ link_id: id }) => id === link.id)) : {}),
  id: link.id,
  email: link.email,
  url: link.url,
  active: link.active,
  expiry: link.expiry,
  access_limit: link.access_limit_enabled ? link.access_limit : 0,
  has_password: link.password !== '',
  verify_recipient: link.verify_recipient ?? false,
});

/** Of one link, the latest first. */
const usesOf = (downloads: readonly Download[]): Pick<SentLink, 'downloads' | 'last_download_at'> => ({
  downloads: downloads.length,
  ...(downloads[0] ? { last_download_at: downloads[0].started_at } : {}),
});
