import { expect, it } from 'vitest';
import { type FindPorts, findAll, findNew, noFinds } from '#engine/automations/downloads/find-arrivals.ts';
import type { TeamService } from '#engine/automations/downloads/team-service.ts';
import type { DownloadAutomation } from '#engine/automations/record.ts';

/** Which packages a list is asked for, and which of them are taken. */

const since = Date.parse('2026-11-20T00:00:00.000Z');
const iso = (at: number): string => new Date(at).toISOString();
const minute = 60_000;
const package_ = (id: string, fields: object = {}) => ({
  id,
  name: id,
  sender: '',
  portal_id: 'p',
  size: 1,
  total_files: 1,
  state: 'finalized',
  unlimited_storage: true,
  expiry: iso(0),
  created_at: iso(since - minute),
  updated_at: iso(since + minute),
  access_token: `token of ${id}`,
  ...fields,
});

function create(records: readonly object[], receipts: Readonly<Record<string, number>> = {}) {
  const queries: Record<string, unknown>[] = [];
  const service = {
    serviceUrl: 'http://service.test',
    call: async (_: string, { query }: { query: Record<string, unknown> }) => {
      queries.push(query);
      return { metadata: { total: records.length }, records };
    },
  } as unknown as TeamService;
  const asked: string[] = [];
  const ports = {
    ledger: { byKey: () => null },
    now: () => since + 10 * minute,
    jobs: {
      transport: {
        stream: async ({ url }: { url: string }, onPiece: (piece: Uint8Array) => Promise<void>) => {
          const id = /packages\/(\w+)\//.exec(url)![1]!;
          asked.push(id);
          const claims = Buffer.from(JSON.stringify({ iat: receipts[id]! / 1_000 })).toString('base64url');
          await onPiece(Buffer.from(`${JSON.stringify({ receipt: `x.${claims}.x` })}\n`));
          return { status: 200, headers: {}, text: 'null' };
        },
      },
    },
  } as unknown as FindPorts;
  const record = { id: 'a', kind: 'all_portals_download', fields: { team_id: 't' }, facts: { since }, createdAt: since + 9 * minute };
  return { ports, service, record: record as unknown as DownloadAutomation, queries, asked };
}

const signal = new AbortController().signal;

it('asks for what was finalized since it was made by its service’s clock, and then for what is new alone', async () => {
  const newest = since + 8 * minute;
  const { ports, service, record, queries, asked } = create([
    package_('old', { finalized_at: iso(since - 1) }),
    package_('first', { finalized_at: iso(since) }),
    package_('second', { finalized_at: iso(newest) }),
  ]);
  const finds = noFinds();
  expect(await findAll(ports, service, record, finds, signal)).toBe(true);
  expect([...finds.pending.keys()]).toEqual(['first', 'second']);
  expect(await findNew(ports, service, record, finds, signal)).toBe(true);
  expect(queries.map(({ finalized_at_start }) => finalized_at_start)).toEqual([iso(since), iso(newest - 5 * minute)]);
  expect(asked).toEqual([]);
});

it('reads the receipts of an older service, and its newest packages', async () => {
  const { ports, service, record, queries, asked } = create([package_('old'), package_('slow')], {
    old: since - minute,
    slow: since + minute,
  });
  const finds = noFinds();
  await findAll(ports, service, record, finds, signal);
  await findNew(ports, service, record, finds, signal);
  expect([...finds.pending.keys()]).toEqual(['slow']);
  expect(asked).toEqual(['old', 'slow']);
  expect(queries.at(-1)).toMatchObject({ sort: '-created_at' });
  expect(queries.at(-1)).not.toHaveProperty('finalized_at_start');
});
