import type { WebhookPayload } from '#protocol/hosted/webhook-events.ts';
import { newId } from '../ids.ts';
import type { WebhookEvent } from '../jobs/kinds.ts';

const totalBytes = 734_003_200;

/** A made-up event, with ids that belong to nothing, so that a receiver can be tried before anything happens. */
export function sampleEvent(type: WebhookPayload['event_type'], at: Date): WebhookEvent {
  const time = at.toISOString();
  const common = { event_id: newId(), event_time: time, event_type: type, test: true } as const;
  const times = { created_at: time, updated_at: time };
  const name = 'Test of a webhook';
  if (type === 'package.created' || type === 'package.finalized') {
    const isFinalized = type === 'package.finalized';
    const object = {
      type: 'package',
      id: newId(),
      name,
      sender: 'sender@example.com',
      size: isFinalized ? totalBytes : 0,
      state: isFinalized ? 'finalized' : 'new',
      total_files: isFinalized ? 3 : 0,
      ...times,
    } as const;
    return { ...common, event_type: type, object };
  }
  const finalized = {
    type: 'package',
    id: newId(),
    name,
    sender: 'sender@example.com',
    size: totalBytes,
    state: 'finalized',
    total_files: 3,
  } as const;
  if (type === 'package.downloaded' || type === 'package.expires' || type === 'package.failed') {
    const object = {
      ...finalized,
      expiry: new Date(at.getTime() + 24 * 3_600_000).toISOString(),
      ...(type === 'package.downloaded' && { link: { id: newId(), email: 'recipient@example.com', verified: false } }),
      ...(type === 'package.failed' && { failure: { reason: 'This is a test: nothing has failed.', transfer_id: newId() } }),
      ...times,
    } as const;
    return { ...common, object };
  }
  if (type === 'package.virus_found' || type === 'package.scanned') {
    const sent = {
      ...finalized,
      ...times,
    } as const;
    return type === 'package.scanned'
      ? { ...common, event_type: type, object: { ...sent, contains_virus: false, scan: { files: 3, infected: 0, not_scanned: 1 } } }
      : { ...common, event_type: type, object: { ...sent, virus: { file_id: newId(), path: '', name: 'sample.txt', virus: 'Test' } } };
  }
  if (type === 'quota.warning') {
    const object = {
      ...({ type: 'quota', id: newId(), team_id: newId(), name, quota: 'team_storage', percent: 80 } as const),
      ...{ limit: totalBytes, used: Math.ceil(totalBytes * 0.8) },
    };
    return { ...common, object };
  }
  const done = type === 'transfer.complete';
  const object = {
    type: 'transfer',
    id: newId(),
    package_id: newId(),
    cloud_connection_id: newId(),
    direction: 'service_to_cloud',
    provider: 'amazon_s3',
    state: done ? 'complete' : type === 'transfer.error' ? 'error' : 'started',
    progress: { bytes: done ? totalBytes : 0, total_bytes: totalBytes, files: done ? 3 : 0, total_files: 3 },
    error: type === 'transfer.error' ? 'This is a test: nothing has failed.' : '',
    attempts: 1,
    name,
    ...times,
  } as const;
  return { ...common, object };
}
