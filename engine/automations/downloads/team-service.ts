import { refusesCredential } from '#client/faults.ts';
import type { HostedClient } from '#client/hosted.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { limits } from '#protocol/limits.ts';
import type { Session } from '../../session/session.ts';
import type { DownloadAutomation } from '../record.ts';
import { unlessAborted } from '../runner/unless-aborted.ts';

/** The service of a download automation, as the account that is in its Team sees it. */
export interface TeamService {
  readonly serviceUrl: string;
  readonly sessionId: string;
  /** With the account's credential. A credential that is refused ends its session, and the words say so. */
  readonly call: HostedClient['call'];
  /** With a package's token. */
  readonly withToken: (token: string) => HostedClient;
  readonly anonymous: HostedClient;
}

/** `session_is_nil`, `session_expired`; `not_found` if no session is in the Team. */
export async function teamService(
  { session }: { readonly session: Pick<Session, 'findFor' | 'hosted'> },
  { fields }: DownloadAutomation,
  signal: AbortSignal,
): Promise<TeamService> {
  const { id: sessionId, serviceUrl } = await unlessAborted(session.findFor(fields.team_id), signal);
  const { client, refused } = session.hosted({ serviceUrl, teamId: fields.team_id, sessionId });
  return {
    serviceUrl,
    sessionId,
    async call(name, request) {
      try {
        return await client.call(name, request);
      } catch (cause) {
        throw refusesCredential(cause) ? await refused(cause) : cause;
      }
    },
    withToken: (token) => client.as({ kind: 'package', token }),
    anonymous: client.as({ kind: 'none' }),
  };
}

/** Which packages are listed: contract/packages.md §5. */
export interface ListRange {
  readonly sort: 'expiry' | '-created_at';
  /** Packages that are over, too. Without it the list of a Portal may hold them all the same. */
  readonly withExpired?: boolean;
  readonly created_at_start?: string;
  readonly created_at_end?: string;
  /** An older service passes it over. */
  readonly finalized_at_start?: string;
  readonly expiry_start?: string;
  readonly extra_storage?: boolean;
}

/** Packages of the automation's Portal or Team, page by page. */
export async function* packagePages(
  service: TeamService,
  { kind, fields }: DownloadAutomation,
  { withExpired = false, ...range }: ListRange,
  signal: AbortSignal,
): AsyncGenerator<Package[]> {
  for (let page = 1; ; page++) {
    const query = { page, limit: limits.pageSize, ...range };
    const { metadata, records } =
      kind === 'portal_download'
        ? await service.call('listPortalPackages', { params: { portal_id: fields.portal_id }, query, signal })
        : await service.call('listTeamPackages', {
            params: { team_id: fields.team_id },
            query: { ...query, status: withExpired ? ['finalized', 'expired'] : ['finalized'] },
            signal,
          });
    yield records;
    if (records.length === 0 || page * limits.pageSize >= metadata.total) return;
  }
}

/** One package of that list with a new token; `null` where it is not listed any more. `createdAt`: milliseconds since 1970. */
export async function findPackage(
  service: TeamService,
  record: DownloadAutomation,
  { packageId, createdAt }: { readonly packageId: string; readonly createdAt: number },
  signal: AbortSignal,
): Promise<Package | null> {
  // A list has no filter of ids, and times may have a finer part than is told.
  const range = { withExpired: true, created_at_start: iso(createdAt - 1_000), created_at_end: iso(createdAt + 1_000) };
  for await (const records of packagePages(service, record, { sort: '-created_at', ...range }, signal)) {
    const found = records.find(({ id }) => id === packageId);
    if (found) return found;
  }
  return null;
}

const iso = (at: number): string => new Date(at).toISOString();
