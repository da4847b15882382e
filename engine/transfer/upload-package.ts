import { createHostedClient } from '#client/hosted.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { busyWith } from '../io/time-split.ts';
import { isRefusal } from '../session/entry.ts';
import { type JobContext, type JobPorts, packageClient } from './job.ts';
import { keepTrying } from './keep-trying.ts';
import { portalCredential } from './portal.ts';
import type { UploadRecord } from './record.ts';
import { cleanUp } from './upload-end.ts';

/** Makes the package that an upload's files go into, in its Team or through its Portal, and notes it. */
export async function createPackage(ports: JobPorts, record: UploadRecord, context: JobContext): Promise<void> {
  const { id, facts } = record;
  // Asked again after a crash, the service gives the same package again; after one was lost, another.
  const idempotencyKey = `upload-${id}${facts.packagesLost ? `-${facts.packagesLost}` : ''}`;
  const { signal } = context;
  const made = await keepTrying(context, () =>
    record.request.portal
      ? throughPortal(ports, record, idempotencyKey, signal)
      : busyWith(context.activity.times, 'server', () => toTeam(ports, record, idempotencyKey, signal)),
  );
  ports.book.noteUpload(id, { packageId: made.id });
  ports.book.noteSecrets(id, { packageToken: made.access_token });
  await ports.store.writer.committed();
}

async function toTeam(ports: JobPorts, record: UploadRecord, idempotencyKey: string, signal: AbortSignal): Promise<Package> {
  const { name, request, secrets } = record;
  const session = ports.session.hosted(request);
  try {
    const made = await session.client.call('createTeamPackage', {
      params: { team_id: request.teamId },
      body: {
        name,
        description: request.description,
        recipients: [...request.recipients],
        ...(secrets.password === undefined ? {} : { password: secrets.password }),
        ...(request.accessLimit === undefined ? {} : { access_limit: request.accessLimit }),
        ...(request.unlimitedStorage === undefined ? {} : { unlimited_storage: request.unlimitedStorage }),
        ...(request.chunkSize === undefined ? {} : { chunk_size: request.chunkSize }),
      },
      idempotencyKey,
      signal,
    });
    if (request.expiry === undefined) return made;
    return await session.client.as({ kind: 'package', token: made.access_token }).call('setPackageExpiry', {
      params: { package_id: made.id },
      body: { expiry: request.expiry, unlimited_storage: false },
      signal,
    });
  } catch (cause) {
    throw isRefusal(cause) ? await session.refused(cause) : cause;
  }
}

function throughPortal(ports: JobPorts, record: UploadRecord, idempotencyKey: string, signal: AbortSignal): Promise<Package> {
  const { name, request, secrets } = record;
  const { id, sender, formResponseId } = request.portal!;
  return createHostedClient({ baseUrl: request.serviceUrl, fetcher: ports.movers.fetcher }).call('createPortalPackage', {
    params: { portal_id: id },
    body: {
      name,
      description: request.description,
      sender,
      ...(formResponseId === undefined ? {} : { form_data_id: formResponseId }),
      ...(request.chunkSize === undefined ? {} : { chunk_size: request.chunkSize }),
    },
    credential: portalCredential(secrets.accessCode),
    idempotencyKey,
    signal,
  });
}

/** Cancelled and taken up again: what was sent before goes first, so that it is not mixed with what is sent now. */
export async function payDebt(ports: JobPorts, record: UploadRecord, context: JobContext): Promise<void> {
  await keepTrying(context, () => payOnce(ports, record, context.signal));
}

/** The same, tried once. */
export async function payOnce(ports: JobPorts, { id, request, facts, secrets }: UploadRecord, signal: AbortSignal): Promise<void> {
  const api = packageClient(ports, request.serviceUrl, secrets.packageToken);
  // Who sends through a Portal may take back files, not packages.
  const packageIsGone = await cleanUp(api, facts.packageId, !request.portal, signal);
  const without = packageIsGone ? { packageId: '', packagesLost: (facts.packagesLost ?? 0) + 1 } : {};
  ports.book.noteUpload(id, { cleanUpDue: false, ...without });
}
