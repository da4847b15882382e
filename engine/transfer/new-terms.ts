import type { FileSystem } from '#filesystem/port.ts';
import type { ChangeTransfer } from '#protocol/agent/items.ts';
import { AgentError, ApiError } from '#protocol/errors.ts';
import type { LinkCode } from '#protocol/hosted/links.ts';
import type { Asking } from '../engine.ts';
import { openFolder } from '../folders/safe-root.ts';
import { cleanUpAfter } from './cleanup.ts';
import type { TransferControl } from './control.ts';
import { mailLinkCode, openLink } from './download/read-client.ts';
import type { JobPorts } from './job.ts';
import type { Queue } from './queue.ts';
import type { DownloadRecord, TransferRecord } from './record.ts';

/** New settings from a person for a transfer that cannot continue with those of its request. */
type NewTerms = Pick<ChangeTransfer, 'dst_folder' | 'password' | 'code' | 'access_code'>;

interface NewTermsPorts {
  readonly jobs: JobPorts;
  readonly control: Pick<TransferControl, 'pause' | 'resume'>;
  readonly queue: Pick<Queue, 'stop'>;
  /** Fires when the engine closes. */
  readonly closing: AbortSignal;
}

/**
 * Gives a download another folder or the password of its link, and an upload the access code of its Portal. A running
 * transfer continues with them; a failed one can be retried.
 *
 * @throws ApiError `transfer_conflict` where it has no use for them, `link_password_wrong` where the link does not open
 */
export async function giveNewTerms(ports: NewTermsPorts, id: string, terms: NewTerms, asking: Asking | undefined): Promise<void> {
  const { registry, store } = ports.jobs;
  const { dst_folder: folder, password, code, access_code: accessCode } = terms;
  const record = registry.get(id);
  const { kind, phase } = record;
  if (phase.state === 'complete' || phase.state === 'cancelled') throw conflict('It is over already.');
  if (kind === 'upload' && folder !== undefined) throw conflict('This is an upload: it has no folder to come into.');
  if (kind === 'upload' && (password !== undefined || code !== undefined)) throw conflict('This is an upload: it opens no link.');
  if (accessCode !== undefined && !isForPortal(record)) throw conflict('It does not go through a Portal: it needs no access code.');
  if (accessCode !== undefined) registry.patchUploadSecrets(id, { accessCode });
  if (password !== undefined || code !== undefined) await reopenLink(ports, id, { password, code });
  if (folder !== undefined) await moveTo(ports, id, folder, asking);
  await store.writer.committed();
}

const conflict = (detail: string): ApiError => new AgentError('transfer_conflict', { detail });

const isForPortal = (record: TransferRecord): boolean => record.kind === 'upload' && record.request.portal !== undefined;

function download({ jobs }: NewTermsPorts, id: string): DownloadRecord {
  const record = jobs.registry.get(id);
  if (record.kind !== 'download') throw new Error(`The transfer ${id} is no download.`);
  return record;
}

/** Tried at once, so that the person who entered a wrong password or code is told; opening the link counts as one more use. */
async function reopenLink(ports: NewTermsPorts, id: string, given: Pick<NewTerms, 'password' | 'code'>): Promise<void> {
  const { request, secrets } = download(ports, id);
  const { serviceUrl, source } = request;
  if (source.kind !== 'link') throw conflict('It comes from no link: it needs neither password nor code.');
  const { password = secrets.password, code = secrets.linkProof } = given;
  const link = { serviceUrl, linkId: source.linkId, secret: secrets.linkSecret ?? '', password, code };
  const { package_token: packageToken, proof } = await openLink(ports.jobs, link, ports.closing).catch((error: unknown) => {
    // The password was right: the code is asked for next.
    if (given.password !== undefined && error instanceof ApiError && error.error === 'link_code_required')
      ports.jobs.registry.changeDownload(id, { secrets: { ...download(ports, id).secrets, password: given.password } });
    throw error;
  });
  ports.jobs.registry.changeDownload(id, {
    secrets: {
      ...download(ports, id).secrets,
      ...(password === undefined ? {} : { password }),
      ...(proof === undefined ? {} : { linkProof: proof }),
      packageToken,
    },
  });
}

/** Has the code mailed that the link of a download asks for. */
export function mailDownloadCode(ports: Pick<NewTermsPorts, 'jobs' | 'closing'>, id: string): Promise<LinkCode> {
  const record = ports.jobs.registry.get(id);
  if (record.kind === 'upload' || record.request.source.kind !== 'link') throw conflict('It comes from no link: it needs no code.');
  const { serviceUrl, source } = record.request;
  const { linkSecret: secret = '', password } = record.secrets;
  return mailLinkCode(ports.jobs, { serviceUrl, linkId: source.linkId, secret, password }, ports.closing);
}

const rowsAtOnce = 500;

/** Restarts the download in the new folder: complete files stay in the old one, and partial ones are deleted. */
async function moveTo(ports: NewTermsPorts, id: string, folder: string, asking: Asking | undefined): Promise<void> {
  const { jobs, control, queue, closing } = ports;
  const { registry, store } = jobs;
  const real = openFolder(folder, asking?.restricted ? jobs.pathGuard : null, jobs.fileSystem);
  const before = download(ports, id);
  if (before.facts.root !== '' && real === chosenFolder(jobs.fileSystem, before)) return;
  const runs = before.phase.state === 'queued' || before.phase.state === 'transferring';
  if (runs) await control.pause(id);
  // Ranges that a pause would complete are no longer needed.
  await queue.stop(id);
  const stopped = download(ports, id);
  if (stopped.phase.state === 'complete') throw conflict('It is over already.');
  await cleanUpAfter(jobs, stopped, closing);
  // First the plan is cancelled, then its rows are deleted: a kill in between leaves a download that plans again.
  const { made: _, withoutFailed: __, ...others } = stopped.facts;
  const facts = { ...others, folder, root: '', planned: false, ...(asking?.restricted ? { restricted: true as const } : {}) };
  registry.changeDownload(id, { facts, bytes: 0, files: 0 });
  await store.writer.committed();
  while (store.writer.write(() => store.files.removeSome(id, rowsAtOnce))) await new Promise((resume) => setImmediate(resume));
  if (runs) await control.resume(id);
}

/** The real path of the chosen folder; empty if it is gone. */
function chosenFolder(fileSystem: FileSystem, { request, facts }: DownloadRecord): string {
  try {
    return fileSystem.realPath(facts.folder ?? request.dstFolder);
  } catch {
    return '';
  }
}
