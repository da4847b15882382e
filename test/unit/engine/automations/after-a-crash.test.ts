import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ApiReply, ApiRequest } from '#client/ports.ts';
import { type BeginPorts, beginDownload } from '#engine/automations/downloads/begin-download.ts';
import type { TeamService } from '#engine/automations/downloads/team-service.ts';
import type { AutomationRecord, DownloadAutomation, UploadAutomation } from '#engine/automations/record.ts';
import { type SendPorts, sendPackage } from '#engine/automations/uploads/send-package.ts';
import { systemClock } from '#engine/ports.ts';
import { sealerOf } from '#engine/secrets/seal.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore, type Store } from '#engine/state/store.ts';
import type { ChosenUpload } from '#engine/transfer/chosen-upload.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/** What was made at a service before a crash is taken up again: a link, and the answers to a Portal's form. */

let folder: Awaited<ReturnType<typeof diskFolder>>;
let store: Store;
const open = (): Store => openStore(openDatabase(folder.path, { now: 0 }), sealerOf(Buffer.alloc(32, 1)), systemClock);

beforeEach(async () => {
  folder = await diskFolder();
  store = open();
});
afterEach(async () => {
  store.close();
  await folder.remove();
});

const restart = (): void => {
  store.close();
  store = open();
};
const recordNow = <R extends AutomationRecord>(): R => store.automations.records.all()[0] as R;
const patchFacts = (_id: string, facts: object): void => {
  const record = recordNow();
  store.automations.records.update({ ...record, facts: { ...record.facts, ...facts } } as AutomationRecord);
};
const common = { id: 'a', restricted: false, createdAt: 1, updatedAt: 1, lastRunAt: null, secrets: {} };

/** What a service that is asked by keys has made, by the path of the call. */
const createService = () => {
  const made = new Map<string, string>();
  return {
    made,
    once(key: string | undefined): string {
      const id = made.get(key ?? '') ?? `made ${made.size + 1}`;
      made.set(key ?? `without a key ${made.size + 1}`, id);
      return id;
    },
  };
};

const crash = async (): Promise<never> => {
  throw new Error('The process ends here.');
};

it('takes up a link that was made before a crash, and makes a new one for a download that was forgotten', async () => {
  const fields = { name: 'In', active: true, team_id: 't', portal_id: 'p', dst_folder: folder.path, create_package_folder: true };
  const record = { ...common, kind: 'portal_download', fields, facts: {} } as DownloadAutomation;
  store.writer.write(() => store.automations.records.insert(record));
  const service = createService();
  const links = {
    serviceUrl: 'http://service.test',
    withToken: () => ({
      call: async (_name: string, { idempotencyKey }: { idempotencyKey?: string }) => {
        const id = service.once(idempotencyKey);
        return { id, download_secret: `secret of ${id}` };
      },
    }),
  } as unknown as TeamService;
  const secrets: string[] = [];
  const begin = async (downloadChosen: BeginPorts['downloadChosen']): Promise<void> => {
    const arrival = {
      id: 'k',
      name: 'Day 12',
      sender: '',
      portalId: 'p',
      size: 1,
      files: 1,
      createdAt: 0,
      changedAt: 0,
      finalizedAt: null,
      expiresAt: 9,
      token: '',
    };
    const ports = { store, downloadChosen, patchFacts, downloadFacts: () => recordNow<DownloadAutomation>().facts, now: () => 5 };
    await beginDownload(ports as unknown as BeginPorts, links, recordNow(), arrival, new AbortController().signal);
  };
  const commit: BeginPorts['downloadChosen'] = async ({ link }, alsoWrite) => {
    secrets.push(link.secret);
    store.writer.write(() => alsoWrite('t1'));
    return 't1';
  };

  await expect(begin(crash)).rejects.toThrow(/ends here/);
  restart();
  await begin(commit);
  expect([service.made.size, secrets]).toEqual([1, ['secret of made 1']]);
  expect(store.automations.ledger.byKey('a', 'k')).toMatchObject({ state: 'receiving', transferId: 't1' });
  restart();
  await begin(commit);
  expect(secrets).toEqual(['secret of made 1', 'secret of made 2']);
});

it('submits the answers to a form once, though the process ends before its transfer is made', async () => {
  const fields = { name: 'Cart', active: true, folder: '/media/cart', portal_id: 'p', sender: 'mia@example.com' };
  const record = { ...common, kind: 'portal_upload', fields, facts: { counter: 0 } } as unknown as UploadAutomation;
  store.writer.write(() => store.automations.records.insert(record));
  const service = createService();
  const fetcher = async ({ method, headers }: ApiRequest): Promise<ApiReply> => {
    const portal = { id: 'p', name: 'Northlight', active: true };
    const body = method === 'GET' ? portal : { id: service.once(headers['idempotency-key']) };
    return { status: method === 'GET' ? 200 : 201, headers: {}, text: JSON.stringify(body) };
  };
  const used: string[] = [];
  const send = async (entry: string, uploadChosen: SendPorts['uploadChosen']): Promise<void> => {
    const ports = { store, patchFacts, uploadChosen, serviceUrl: 'http://service.test', jobs: { transport: { fetcher } }, now: () => 5 };
    const { counter } = recordNow<UploadAutomation>().facts;
    const ready = { name: entry, folder: '', entry, files: [], emptyFolders: [], packageName: entry, counter: counter + 1 };
    await sendPackage(
      ports as unknown as SendPorts,
      recordNow(),
      { ...ready, form: { camera: { value: 'A' } } },
      {
        folder: '/media/cart',
        contentOf: () => '',
        signal: new AbortController().signal,
      },
    );
  };
  const commit = async ({ to }: ChosenUpload, alsoWrite: (id: string) => void): Promise<string> => {
    used.push('portal' in to ? (to.portal.formResponseId ?? '') : '');
    store.writer.write(() => alsoWrite('t1'));
    return 't1';
  };

  await expect(send('A001', crash)).rejects.toThrow(/ends here/);
  restart();
  await send('A001', commit);
  await send('A002', commit);
  restart();
  await send('A001', commit);
  expect([service.made.size, used]).toEqual([3, ['made 1', 'made 2', 'made 3']]);
  expect(recordNow<UploadAutomation>().facts).toEqual({ counter: 3 });
});
