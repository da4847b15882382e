import { expect, it } from 'vitest';
import { teamService } from '#engine/automations/downloads/team-service.ts';
import type { AutomationRecord, DownloadAutomation, UploadAutomation } from '#engine/automations/record.ts';
import { createLoop } from '#engine/automations/runner/loop.ts';
import type { AutomationWork } from '#engine/automations/runner/work.ts';
import { type SendPorts, sendPackage } from '#engine/automations/uploads/send-package.ts';
import { silentLog } from '#engine/ports.ts';
import { createFakeClock } from '#test/support/clock/fake-clock.ts';

/** A pause or a change does not wait for a service that gives no answer: the pass ends between two packages. */

const silent = (reached: () => void) => (): Promise<never> => {
  reached();
  return new Promise<never>(() => {});
};
const ready = { name: 'A001', folder: '', entry: 'A001', files: [], emptyFolders: [], packageName: 'A001', counter: 1 };
const store = { automations: {} };
const options = { folder: '/media/cart', contentOf: () => '' };
const toTeam = { fields: { team_id: 't' }, facts: {}, kind: 'team_upload' } as unknown as UploadAutomation;
const toPortal = { fields: { subdomain: 'northlight' }, facts: {}, secrets: {}, kind: 'portal_upload' } as unknown as UploadAutomation;

type Pass = (reached: () => void) => AutomationWork['pass'];
const passes: Readonly<Record<string, Pass>> = {
  'for the account of a Team': (reached) => (_record, signal) =>
    sendPackage({ store, session: { findFor: silent(reached) } } as unknown as SendPorts, toTeam, ready, { ...options, signal }) as never,
  'for a Portal': (reached) => (_record, signal) => {
    const fetcher = ({ signal: asked }: { signal?: AbortSignal }) =>
      new Promise((_, reject) => {
        reached();
        asked?.addEventListener('abort', () => reject(asked.reason));
      });
    const ports = { store, serviceUrl: 'http://service.test', jobs: { transport: { fetcher } } } as unknown as SendPorts;
    return sendPackage(ports, toPortal, ready, { ...options, signal }) as never;
  },
  'for the account that receives': (reached) => (_record, signal) =>
    teamService({ session: { findFor: silent(reached) } as never }, { fields: {} } as DownloadAutomation, signal) as never,
};

it.each(Object.entries(passes))('rests at once while a pass waits %s', async (_, passOf) => {
  const reached = Promise.withResolvers<void>();
  const loop = createLoop({
    record: () => ({ id: 'a' }) as AutomationRecord,
    work: { pass: passOf(reached.resolve), close: async () => {} },
    clock: createFakeClock(),
    random: () => 0,
    log: silentLog,
    changed() {},
  });
  await loop.setActive(true);
  await reached.promise;
  await loop.setActive(false);
  expect(loop.status.state).toBe('resting');
});
