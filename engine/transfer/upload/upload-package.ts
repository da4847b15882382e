import { randomUUID } from 'node:crypto';
import { refusesCredential } from '#client/faults.ts';
import { createHostedClient, type HostedClient } from '#client/hosted.ts';
import type { Package } from '#protocol/hosted/packages.ts';
import { busyWith } from '../../io/time-split.ts';
import { type JobContext, type JobPorts, packageClient } from '../job.ts';
import { portalCredential } from '../portal.ts';
import { packageIdOf, type UploadRecord } from '../record.ts';
import { retryWithActivity } from '../retry-with-activity.ts';
import { cleanUp, unlessGone } from './upload-end.ts';

/** Creates the package for an upload's files, in its Team or through its Portal, and notes it. */
export async function createPackage(ports: JobPorts, record: UploadRecord, context: JobContext): Promise<void> {
  const { id, facts } = record;
  // Idempotent: after a crash the service returns the same package for this key; after a lost package the key is
  // another one.
  const idempotencyKey = `upload-${id}${facts.packagesLost ? `-${facts.packagesLost}` : ''}`;
  const { signal } = context;
  const senderSecret = record.request.portal ? await senderSecretOf(ports, record) : '';
  const made = await retryWithActivity(context, () =>
    record.request.portal
      ? throughPortal(ports, record, { idempotencyKey, senderSecret }, signal)
      : busyWith(context.activity.times, 'server', () => toTeam(ports, record, idempotencyKey, signal)),
  );
  ports.registry.patchUpload(id, { package: { state: 'open', id: made.id } });
  ports.registry.patchUploadSecrets(id, { packageToken: made.access_token });
  await ports.store.writer.committed();
}

async function toTeam(ports: JobPorts, record: UploadRecord, idempotencyKey: string, signal: AbortSignal): Promise<Package> {
  const { name, request, secrets } = record;
  const session = ports.session.hosted(request, ports.transport.fetcher);
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
        ...(request.notify === undefined ? {} : { notify: [...request.notify] }),
        ...(request.verifyRecipient === undefined ? {} : { verify_recipient: request.verifyRecipient }),
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
    throw refusesCredential(cause) ? await session.refused(cause) : cause;
  }
}

/** Committed before it is used: after a crash the service expects the same secret. */
async function senderSecretOf({ registry, store }: JobPorts, { id, secrets }: UploadRecord): Promise<string> {
  if (secrets.senderSecret !== undefined) return secrets.senderSecret;
  const senderSecret = randomUUID();
  registry.patchUploadSecrets(id, { senderSecret });
  await store.writer.committed();
  return senderSecret;
}

function throughPortal(
  ports: JobPorts,
  record: UploadRecord,
  retryKeys: { readonly idempotencyKey: string; readonly senderSecret: string },
  signal: AbortSignal,
): Promise<Package> {
  const { name, request, secrets } = record;
  const { id, sender, formResponseId } = request.portal!;
  return createHostedClient({ baseUrl: request.serviceUrl, fetcher: ports.transport.fetcher }).call('createPortalPackage', {
    params: { portal_id: id },
    body: {
      name,
      description: request.description,
      sender,
      ...(formResponseId === undefined ? {} : { form_data_id: formResponseId }),
      ...(request.chunkSize === undefined ? {} : { chunk_size: request.chunkSize }),
    },
    credential: portalCredential(secrets.accessCode),
    ...retryKeys,
    signal,
  });
}

/** Cleanup of a cancelled upload that was retried: the old files are deleted first, so that they do not mix with the new ones. */
export async function deleteRemotePackage(ports: JobPorts, record: UploadRecord, context: JobContext): Promise<void> {
  await retryWithActivity(context, () => deleteRemotePackageOnce(ports, record, context.signal));
}

/** One attempt of that cleanup. */
export async function deleteRemotePackageOnce(ports: JobPorts, record: UploadRecord, signal: AbortSignal): Promise<void> {
  const { id, request, facts, secrets } = record;
  // Nothing was taken over, so that nothing of it is the agent's.
  if (secrets.handover) {
    ports.registry.patchUpload(id, { package: { state: 'open', id: packageIdOf(record) } });
    return;
  }
  const api = packageClient(ports, request.serviceUrl, secrets.packageToken);
  const packageId = packageIdOf(record);
  if (request.intoPackage) {
    await deleteUnfinishedFiles(ports, record, api, signal).catch((cause: unknown) => {
      // Its token has ended, as that of a storage gateway's task: whoever gave it removes the rest.
      if (!refusesCredential(cause)) throw cause;
    });
    ports.registry.patchUpload(id, { package: { state: 'open', id: packageId } });
    return;
  }
  // A sender through a Portal may delete files, but not packages; and one of a browser cannot be made once more.
  const isGone = await cleanUp(api, packageId, !request.portal && !request.adopted, signal);
  if (isGone) ports.registry.patchUpload(id, { package: { state: 'none' }, packagesLost: (facts.packagesLost ?? 0) + 1 });
  else ports.registry.patchUpload(id, { package: { state: 'open', id: packageId } });
}

const filesPerPage = 256;

/** In a package of somebody else only what was begun here and did not complete goes: complete files stay. */
async function deleteUnfinishedFiles({ store }: JobPorts, record: UploadRecord, api: HostedClient, signal: AbortSignal): Promise<void> {
  for (let afterId = 0; ; ) {
    const files = store.files.unfinished(record.id, afterId, filesPerPage);
    if (files.length === 0) return;
    for (const { id, remote } of files) {
      afterId = id;
      if (remote.state !== 'open') continue;
      const params = { package_id: packageIdOf(record), file_id: remote.fileId };
      await unlessGone(api.call('deleteFile', { params, signal }));
      store.writer.write(() => store.files.reset(id));
    }
  }
}
