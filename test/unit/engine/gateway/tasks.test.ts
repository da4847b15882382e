import { beforeEach, expect, test } from 'vitest';
import { ServiceError } from '#client/errors.ts';
import type { TransferReport, Work } from '#engine/gateway/mount-process/messages.ts';
import type { MountProcess } from '#engine/gateway/mount-process/start-process.ts';
import { createTasks, type Tasks } from '#engine/gateway/tasks.ts';
import { silentLog } from '#engine/ports.ts';
import type { GatewayTask } from '#protocol/hosted/gateways.ts';
import { createFakeClock, type FakeClock } from '#test/support/clock/fake-clock.ts';
import { type ScriptedHosted, scriptedHosted } from '#test/support/engine/scripted-hosted.ts';

/** Tasks on their way from a service to the process of a mount, both of which the test plays. */

let clock: FakeClock;
let service: ScriptedHosted;
let works: Work[];
let questions: { readonly question: string; readonly ask: unknown }[];
/** What the process says to the next questions; after them: that it has done so. */
let answers: (() => unknown)[];
let tasks: Tasks;
/** How often the service was to be asked about other transfers. */
let asks: number;

const process = {
  state: { state: 'ok', freeBytes: null },
  work: (work: Work) => void works.push(work),
  async ask(question: string, ask: unknown) {
    questions.push({ question, ask });
    return answers.shift()?.() ?? null;
  },
} as unknown as MountProcess;

beforeEach(() => {
  clock = createFakeClock();
  service = scriptedHosted();
  works = [];
  questions = [];
  answers = [];
  asks = 0;
  tasks = createTasks({
    gatewayId: 'gateway',
    service: service.client,
    token: 'token of the gateway',
    clock,
    random: () => 0,
    log: silentLog,
    connectionOf: (mount) => (mount === 'mount' ? 'nas' : null),
    mountOf: (connection) => (connection === 'nas' ? { id: 'mount', process } : null),
    changed: () => undefined,
    partialChanged: () => void asks++,
  });
});

const leased = { cloud_connection_id: 'nas', attempt: 1, leased_until: '2026-11-20T00:00:15Z' };
const deliver = (id: string, transfer = 'transfer'): GatewayTask => ({
  ...leased,
  ...{ id, kind: 'deliver', transfer_id: transfer, transfer_token: `report ${id}`, package_id: 'package', read_token: `read ${id}` },
  ...{ target_directory_id: 'In/Day', total_bytes: 10, total_files: 2 },
});
const given = (...all: GatewayTask[]) => tasks.received({ tasks: all, cancelled: [] });
const report = (state: TransferReport['state']): TransferReport => ({
  ...{ transferId: 'transfer', state, error: '' },
  progress: { bytes: 10, total_bytes: 10, files: 2, total_files: 2 },
});
const isCancel = { question: 'cancel', ask: { transferId: 'transfer' } };
/** The service says that the task is not the gateway's any more, and then, as it is asked, that the transfer is over. */
function cancelled(): void {
  tasks.received({ tasks: [], cancelled: ['one'] });
  tasks.received({ tasks: [], cancelled: ['transfer'] });
}
const starting = () => {
  throw new Error('It is being started.');
};

test('a delivery goes to the process of its mount, and its end to the service by its own token', async () => {
  given(deliver('one'));
  expect(works).toEqual([{ kind: 'deliver', transferId: 'transfer', packageId: 'package', token: 'read one', target: 'In/Day' }]);
  expect([tasks.ids(), tasks.worksOf('mount'), tasks.worksOf('other')]).toEqual([['one'], works, []]);
  tasks.reported(report('complete'));
  clock.advance(0);
  expect(service.calls[0]).toMatchObject({
    name: 'reportTransfer',
    credential: { kind: 'transfer', token: 'report one' },
    body: { task_id: 'one', state: 'complete' },
  });
  service.calls[0]!.answer({ state: 'complete', leased_until: '' });
  await service.settle();
  expect([tasks.ids(), questions]).toEqual([[], []]);
});

test('a task for a connection without a mount is left to its lease', () => {
  given({ ...deliver('one'), cloud_connection_id: 'elsewhere' });
  expect([works, tasks.ids()]).toEqual([[], []]);
});

test('a transfer that is handed out again goes on by the newer task', async () => {
  given(deliver('one'));
  given(deliver('two'));
  expect(tasks.ids()).toEqual(['two']);
  expect(works.map(({ token }) => token)).toEqual(['read one', 'read two']);
  // The older one is over, and that is not the end of the transfer.
  tasks.received({ tasks: [], cancelled: ['one'] });
  await service.settle();
  expect([tasks.ids(), questions]).toEqual([['two'], []]);
});

test('what is cancelled is put down, however often its process has to be asked', async () => {
  given(deliver('one'));
  answers = [starting, starting];
  cancelled();
  expect(tasks.ids()).toEqual([]);
  await service.settle();
  expect(questions).toEqual([isCancel]);
  clock.advance(1_000);
  await service.settle();
  clock.advance(2_000);
  await service.settle();
  expect(questions).toEqual([isCancel, isCancel, isCancel]);
  expect(clock.pending).toBe(0);
});

test('what is handed out again is not put down any more', async () => {
  given(deliver('one'));
  answers = [starting];
  cancelled();
  await service.settle();
  given(deliver('two'));
  clock.advance(60_000);
  await service.settle();
  expect([questions, tasks.ids()]).toEqual([[isCancel], ['two']]);
});

test('a task that is not its own any more is asked about, and goes on until the transfer is over', async () => {
  given(deliver('one'));
  tasks.reported(report('started'));
  clock.advance(0);
  service.calls[0]!.refuse(new ServiceError('state_conflict', { detail: 'It is not yours.' }, { answered: 409 }));
  await service.settle();
  expect([tasks.ids(), tasks.partial(), asks, questions]).toEqual([[], ['transfer'], 1, []]);
  // Its lease had lapsed, and the answer with the next one was under way.
  given(deliver('two'));
  tasks.received({ tasks: [], cancelled: ['two'] });
  expect([tasks.ids(), tasks.partial(), asks, questions]).toEqual([[], ['transfer'], 2, []]);
  tasks.received({ tasks: [], cancelled: ['transfer'] });
  await service.settle();
  expect([tasks.partial(), questions]).toEqual([[], [isCancel]]);
});

test('a task whose token is refused comes again with another one, and is not put down', async () => {
  given(deliver('one'));
  tasks.tokenRefused('transfer', 'mount');
  await service.settle();
  expect([tasks.ids(), tasks.partial(), questions]).toEqual([[], ['transfer'], []]);
  given(deliver('two'));
  expect([tasks.ids(), tasks.partial()]).toEqual([['two'], []]);
});

test('one that was cancelled while nobody was here is put down when the service says so', async () => {
  tasks.tokenRefused('transfer', 'mount');
  tasks.tokenRefused('of a mount that is gone', 'other');
  expect(tasks.partial()).toEqual(['transfer']);
  tasks.received({ tasks: [], cancelled: ['transfer'] });
  await service.settle();
  expect([tasks.partial(), questions]).toEqual([[], [isCancel]]);
  tasks.tokenRefused('transfer', 'mount');
  tasks.dropMount('mount');
  expect(tasks.partial()).toEqual([]);
});

test('what a process goes on with is asked about, unless a task is here for it', async () => {
  given(deliver('one'));
  tasks.unfinished(['transfer', 'of an earlier agent'], 'mount');
  tasks.unfinished(['of a mount that is gone'], 'other');
  expect([tasks.ids(), tasks.partial()]).toEqual([['one'], ['of an earlier agent']]);
});

test('somebody who looks into a folder is answered, with what is wrong where something is', async () => {
  const browse: GatewayTask = { ...leased, id: 'look', kind: 'browse', prefix: 'In', prev_key: '', count: 5 };
  answers = [() => ({ items: [{ id: 'In/a', name: 'a', kind: 'file' }], nextKey: 'a' }), starting];
  given(browse, { ...browse, id: 'again' }, { ...browse, id: 'nowhere', cloud_connection_id: 'elsewhere' });
  await service.settle();
  const told = service.calls.map(({ params, body }) => [params['task_id'], body]);
  expect(Object.fromEntries(told)).toEqual({
    look: { items: [{ id: 'In/a', name: 'a', kind: 'file' }], next_key: 'a' },
    again: { error: 'It is being started.' },
    nowhere: { error: expect.stringContaining('not mounted') },
  });
});

test('nothing is told or asked after the end', async () => {
  given(deliver('one'), deliver('other', 'other'));
  answers = [starting];
  cancelled();
  await service.settle();
  tasks.close();
  tasks.reported(report('complete'));
  clock.advance(60_000);
  await service.settle();
  expect([questions, service.calls, clock.pending]).toEqual([[isCancel], [], 0]);
});
