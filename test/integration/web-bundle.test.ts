import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { sourcesDigest } from '#main/start/pages.ts';
import { agentErrors } from '#protocol/errors/agent.ts';
import { inlineScriptsOf } from '#service/http/inline-scripts.ts';
import { type BuiltPages, buildPages } from '#test/support/browser/built-pages.ts';

let web: BuiltPages;
let agent: BuiltPages;
beforeAll(async () => {
  [web, agent] = [await buildPages('web'), await buildPages('renderer')];
});

/** What a browser loads before the page can be used: the page, and what it names. */
async function firstLoad(page: string): Promise<{ bytes: number; files: readonly string[]; html: string }> {
  const html = await readFile(join(web.folder, page), 'utf8');
  const files = [...html.matchAll(/(?:src|href)="\/(assets-web\/[^"]+)"/g)].map(([, path]) => path!);
  const all = await Promise.all([page, ...files].map((path) => readFile(join(web.folder, path))));
  return { bytes: all.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0), files, html };
}

/** Bytes of a part that the page asks for by itself: its script and its style, but for what is loaded already. */
async function sizeOfPart(name: string, loaded: readonly string[]): Promise<number> {
  const folder = join(web.folder, 'assets-web');
  const own = (await readdir(folder)).filter((file) => new RegExp(`^${name}-[^.]+\\.(js|css)$`).test(file));
  expect(own.some((file) => file.endsWith('.js'))).toBe(true);
  const script = await readFile(join(folder, own.find((file) => file.endsWith('.js'))!), 'utf8');
  const imported = [...script.matchAll(/from"\.\/([^"]+\.js)"/g)].map(([, file]) => file!);
  const needed = [...new Set([...own, ...imported])].filter((file) => !loaded.includes(`assets-web/${file}`));
  const all = await Promise.all(needed.map((file) => readFile(join(folder, file))));
  return all.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
}

it('says what it was built from, by which an old one is told', async () => {
  expect(await readFile(join(web.folder, '.built-from'), 'utf8')).toBe(await sourcesDigest('web'));
  expect(await sourcesDigest('renderer')).not.toBe(await sourcesDigest('web'));
});

describe('what a visitor has to load', () => {
  it.each([
    ['the upload page', 'portal.html', 101_000],
    ['the download page', 'index.html', 101_000],
    ['the page of invitations and forgotten passwords', 'account.html', 101_000],
  ])('%s stays small', async (_, page, most) => {
    const { bytes, files } = await firstLoad(page);
    expect(files.length).toBeGreaterThan(2);
    expect(bytes).toBeLessThan(most);
  });

  it('the console stays small, with the sign-in or with its first view', async () => {
    const { bytes, files } = await firstLoad('console.html');
    for (const part of ['sign-in', 'home']) expect(bytes + (await sizeOfPart(part, files))).toBeLessThan(120_000);
  });

  it('is not the part that sends, which the upload page asks for by itself', async () => {
    const { files } = await firstLoad('portal.html');
    const lazy = (await readdir(join(web.folder, 'assets-web'))).filter((name) => /^lazy-sending-.*\.js$/.test(name));
    expect(lazy).toHaveLength(1);
    expect(files).not.toContain(`assets-web/${lazy[0]}`);
    expect(await readFile(join(web.folder, 'assets-web', lazy[0]!), 'utf8')).toContain('XMLHttpRequest');
  });

  it('has none of the sentences that only an agent says', async () => {
    const names = (await readdir(join(web.folder, 'assets-web'))).filter((name) => name.endsWith('.js'));
    const scripts = await Promise.all(names.map((name) => readFile(join(web.folder, 'assets-web', name), 'utf8')));
    const said = Object.values(agentErrors).map(({ message }) => message.split(/\{\w+\}|["'’]/).sort((a, b) => b.length - a.length)[0]!);
    const telling = said.filter((text) => text.length > 20);
    expect(telling.length).toBeGreaterThan(15);
    expect(telling.filter((text) => scripts.some((script) => script.includes(text)))).toEqual([]);
  });

  it('is nothing of the other page', async () => {
    const [upload, download] = [await firstLoad('portal.html'), await firstLoad('index.html')];
    expect(download.files.filter((file) => /portal/.test(file))).toEqual([]);
    expect(upload.files.filter((file) => /index/.test(file))).toEqual([]);
  });

  it('has nothing in the page itself that a strict policy refuses', async () => {
    for (const page of ['portal.html', 'index.html', 'account.html', 'console.html']) {
      const { html } = await firstLoad(page);
      // The console's first script stands in the page, and the policy names it by its digest alone.
      expect(inlineScriptsOf(html), page).toHaveLength(page === 'console.html' ? 1 : 0);
      const rest = html.replace(/<script(?![^>]*\ssrc=)[^>]*>[\s\S]*?<\/script>/g, '');
      expect(rest).not.toMatch(/<style|style=|https?:\/\/|data:/);
    }
  });
});

describe('what the agent’s page loads at first', () => {
  const assets = async (): Promise<readonly string[]> => readdir(join(agent.folder, 'assets'));
  /** Bytes on the wire, where the browser takes Brotli. */
  const sent = async (path: string): Promise<number> =>
    (await readFile(join(agent.folder, `${path}.br`)).catch(() => readFile(join(agent.folder, path)))).length;
  const textOf = (path: string): Promise<string> => readFile(join(agent.folder, path), 'utf8');
  const named = async (): Promise<readonly string[]> =>
    [...(await textOf('index.html')).matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path]) => path!);
  /** The scripts with these words. */
  const saying = async (words: string): Promise<readonly string[]> => {
    const scripts = (await assets()).filter((name) => name.endsWith('.js')).map((name) => `assets/${name}`);
    const found = await Promise.all(scripts.map(async (path) => ((await textOf(path)).includes(words) ? [path] : [])));
    return found.flat();
  };

  it('is at most 150 kB with the messages of one language', async () => {
    const messages = await saying('Nothing on the move');
    expect(messages).toHaveLength(1);
    const bytes = await Promise.all(['index.html', ...(await named()), ...messages].map(sent));
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(150_000);
  });

  it('has neither the messages of another language nor the views that are not seen yet', async () => {
    const first = [...(await named()), ...(await saying('Nothing on the move'))];
    for (const words of [
      'Nichts unterwegs',
      'week-track',
      'licences.json',
      'folder-entries',
      'It becomes a cloud connection of your Team.',
    ])
      expect(
        (await saying(words)).filter((path) => first.includes(path)),
        words,
      ).toEqual([]);
  });
});
