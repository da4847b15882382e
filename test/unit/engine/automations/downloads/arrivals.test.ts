import { expect, it } from 'vitest';
import { type Arrival, arrivalOf, finalizedSince, soonestFirst } from '#engine/automations/downloads/arrivals.ts';
import { subfolderNames } from '#engine/automations/downloads/target-folder.ts';
import type { Package } from '#protocol/hosted/packages.ts';

const now = Date.parse('2026-11-23T06:00:00.000Z');

const listed = (fields: Partial<Package> = {}): Package =>
  ({
    id: 'p',
    name: 'Day 12',
    sender: 'mia@example.com',
    state: 'finalized',
    size: 3,
    total_files: 1,
    portal_id: 'portal',
    unlimited_storage: false,
    expiry: '2026-11-24T06:00:00.000Z',
    created_at: '2026-11-22T06:00:00.000Z',
    updated_at: '2026-11-22T07:00:00.000Z',
    access_token: 'token',
    ...fields,
  }) as Package;

it('takes whole packages of Portals that are not over', () => {
  expect(arrivalOf(listed(), now)).toMatchObject({ id: 'p', portalId: 'portal', expiresAt: Date.parse('2026-11-24T06:00:00.000Z') });
  expect(arrivalOf(listed({ state: 'expired' }), now)).toBeNull();
  expect(arrivalOf(listed({ state: 'new' }), now)).toBeNull();
  const { portal_id: _, ...own } = listed();
  expect(arrivalOf(own, now)).toBeNull();
  expect(arrivalOf(listed({ expiry: '2026-11-23T06:00:00.000Z' }), now)).toBeNull();
  expect(arrivalOf(listed({ expiry: '2026-11-01T06:00:00.000Z', unlimited_storage: true }), now)?.expiresAt).toBe(Number.POSITIVE_INFINITY);
});

it('tells what was finalized since, and says where only the receipt of an older service can', () => {
  const since = 100;
  const [finalizedAt, listedAt] = [null, (at: number) => ({ createdAt: 50, changedAt: 200, finalizedAt: at })];
  expect(finalizedSince({ createdAt: 100, changedAt: 100, finalizedAt }, since)).toBe('yes');
  expect(finalizedSince({ createdAt: 50, changedAt: 99, finalizedAt }, since)).toBe('no');
  expect(finalizedSince({ createdAt: 50, changedAt: 100, finalizedAt }, since)).toBe('unknown');
  expect(finalizedSince(listedAt(100), since)).toBe('yes');
  expect(finalizedSince(listedAt(99), since)).toBe('no');
});

it('puts what ends first at the front, and what is kept for ever at the end', () => {
  const arrival = (id: string, expiresAt: number, createdAt: number): Arrival => ({
    ...arrivalOf(listed({ id }), now)!,
    expiresAt,
    createdAt,
  });
  const ever = Number.POSITIVE_INFINITY;
  const sorted = [arrival('d', ever, 2), arrival('c', ever, 1), arrival('a', 10, 3), arrival('b', 20, 0)].toSorted(soonestFirst);
  expect(sorted.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
});

it('names subfolders so that none leads elsewhere', () => {
  const facts = { portal: '../../etc', sender: 'mia@example.com', createdAt: Date.parse('2026-11-22T23:30:00.000Z') };
  expect(subfolderNames(['portal', 'sender', 'date'], facts, 'UTC')).toEqual(['.._.._etc', 'mia@example.com', '2026-11-22']);
  expect(subfolderNames(['date'], facts, 'Europe/Berlin')).toEqual(['2026-11-23']);
  expect(subfolderNames(['portal', 'sender'], { ...facts, portal: '..', sender: 'NUL' })).toEqual(['package', '_NUL']);
  expect(subfolderNames([], facts)).toEqual([]);
});
