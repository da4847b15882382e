import type { FileSystem } from '#filesystem/port.ts';
import type { PathGuard } from '../../folders/path-guard.ts';
import type { Session } from '../../session/session.ts';
import type { DownloadAutomation } from '../record.ts';
import { targetReady } from './target-ready.ts';
import { packagePages, teamService } from './team-service.ts';

interface CheckPorts {
  readonly session: Pick<Session, 'findFor' | 'hosted'>;
  readonly fileSystem: FileSystem;
  readonly pathGuard: PathGuard;
}

/**
 * Whether a new or changed automation can work: its session sees the packages, and its folder is there or can be made.
 * Errors are those of session, service and folder.
 */
export async function checkDownload(ports: CheckPorts, record: DownloadAutomation, signal: AbortSignal): Promise<void> {
  const service = await teamService(ports, record, signal);
  await packagePages(service, record, { sort: '-created_at' }, signal).next();
  targetReady({ ...record, facts: {} }, ports);
}
