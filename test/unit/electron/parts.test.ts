import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MenuItemConstructorOptions } from 'electron';
import { afterAll, describe, expect, it } from 'vitest';
import { mayReload } from '#main/electron/crashes.ts';
import { journal } from '#main/electron/journal.ts';
import { autostartEntry } from '#main/electron/login.ts';
import { appMenu } from '#main/electron/menu.ts';
import { desktopMessages } from '#main/electron/messages.ts';
import { parseUpdateUrl } from '#main/electron/updates.ts';
import { noticeOf } from '#renderer/notices/notice.ts';
import { sampleTransfer } from '#test/support/browser/samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'longshore-parts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const messages = desktopMessages(['en']);

describe('the menu', () => {
  const went: string[] = [];
  const menu = (platform: NodeJS.Platform, packaged = true) =>
    appMenu({ platform, packaged }, messages, { go: (place) => went.push(place), quit: () => went.push('quit') });
  const all = (entries: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
    entries.flatMap((entry) => [entry, ...all((entry.submenu ?? []) as MenuItemConstructorOptions[])]);

  it('has the app’s own menu and that of windows on macOS alone', () => {
    expect(menu('darwin').map((one) => one.role ?? one.label)).toEqual(['appMenu', 'File', 'Edit', 'View', 'windowMenu', 'help']);
    expect(menu('win32').map((one) => one.role ?? one.label)).toEqual(['File', 'Edit', 'View', 'help']);
  });

  it('has developers’ tools only where nothing is packaged', () => {
    const roles = (packaged: boolean) => all(menu('linux', packaged)).map((one) => one.role);
    expect(roles(true)).not.toContain('toggleDevTools');
    expect(roles(true)).not.toContain('reload');
    expect(roles(false)).toContain('toggleDevTools');
  });

  it.each(['linux', 'win32', 'darwin'] as const)('leads to places of the page and quits on %s', (platform) => {
    went.length = 0;
    for (const entry of all(menu(platform))) (entry.click as (() => void) | undefined)?.();
    for (const place of ['#/send', '#/get', '#/transfers', '#/automations', '#/history', '#/settings', '#/about'])
      expect(went).toContain(place);
    const quits = went.includes('quit') || all(menu(platform)).some((one) => one.role === 'quit');
    expect(quits).toBe(true);
  });
});

describe('noticeOf', () => {
  it('shows names of other people as one bounded line without markup', () => {
    const name = `Line\n\u202egnp.<img src=x> & ${'x'.repeat(300)}`;
    const { body } = noticeOf(sampleTransfer({ state: 'complete', name }), messages);
    expect(body).toMatch(/^Line gnp\.‹img src=x› ＆ x+…$/);
    expect(body.length).toBe(200);
  });
});

it('a page that died may be loaded again three times in a minute', () => {
  expect(mayReload([0], 0)).toBe(true);
  expect(mayReload([0, 10, 20], 20)).toBe(true);
  expect(mayReload([0, 10, 20, 30], 30)).toBe(false);
  expect(mayReload([0, 10, 20, 70_000], 70_000)).toBe(true);
});

it('the entry for the start at log-in keeps paths with odd characters', () => {
  expect(autostartEntry('/opt/Long shore/100%/$x`"\\y')).toContain('Exec="/opt/Long shore/100%%/\\\\$x\\\\`\\\\"\\\\\\\\y" --hidden\n');
});

it.each([
  ['https://builds.example.com/', 'https://builds.example.com'],
  ['http://127.0.0.1:9000/longshore', 'http://127.0.0.1:9000/longshore'],
])('updates may come from %s', (given, expected) => {
  expect(parseUpdateUrl(given)).toBe(expected);
});

it.each(['http://builds.example.com', 'http://localhost.example.com', 'ftp://x', 'x'])('updates never come from %s', (given) => {
  expect(() => parseUpdateUrl(given)).toThrow();
});

describe('the journal', () => {
  const now = () => new Date('2026-11-21T09:00:00Z');

  it('has a line with its time for each', () => {
    const file = join(folder, 'new', 'desktop.log');
    journal(file, now)('It ended.\n');
    expect(readFileSync(file, 'utf8')).toBe('2026-11-21T09:00:00.000Z It ended.\n');
  });

  it('begins anew when it is long, and keeps the one before', () => {
    const file = join(folder, 'long.log');
    writeFileSync(file, 'x'.repeat(1_000_001));
    journal(file, now)('One more.');
    expect(readFileSync(file, 'utf8')).toMatch(/One more\.\n$/);
    expect(existsSync(`${file}.old`)).toBe(true);
  });

  it('holds nothing up where it cannot write', () => {
    expect(() => journal(join(folder, 'long.log', 'below'), now)('Lost.')).not.toThrow();
  });
});

it('speaks the person’s first language that it has, and English otherwise', () => {
  expect(desktopMessages(['', 'fr', 'de-CH', 'en']).quit).toBe('Longshore beenden');
  expect(desktopMessages(['constructor', 'fr']).quit).toBe('Quit Longshore');
});
