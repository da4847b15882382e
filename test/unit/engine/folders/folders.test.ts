import { mkdirSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFolder } from '#engine/folders/list.ts';
import { allowedPath } from '#engine/folders/roots.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

/** Real folders, links and all: `allowed` may be used, `secret` beside it may not. */
let folder: Awaited<ReturnType<typeof diskFolder>>;
let base: string;
let allowed: string;

beforeAll(async () => {
  folder = await diskFolder();
  base = realpathSync(folder.path);
  allowed = join(base, 'allowed');
  for (const name of ['allowed/day 10', 'allowed/day 9/takes', 'allowed2', 'secret']) mkdirSync(join(base, name), { recursive: true });
  for (const name of ['allowed/b.mov', 'allowed/.hidden', 'allowed/day 9/a.mov', 'allowed2/c.mov', 'secret/key'])
    writeFileSync(join(base, name), 'x'.repeat(7));
  utimesSync(join(allowed, 'b.mov'), 1_000_000, 1_000_000);
  symlinkSync(join(base, 'secret'), join(allowed, 'out'));
  symlinkSync(join(base, 'secret/key'), join(allowed, 'out-file'));
  symlinkSync(join(allowed, 'day 9'), join(allowed, 'in'));
  symlinkSync(join(base, 'nowhere'), join(allowed, 'dangling'));
  symlinkSync(join(allowed, 'circle'), join(allowed, 'circle'));
  symlinkSync(allowed, join(base, 'link'));
});
afterAll(() => folder.remove());

const query = (path?: string) => ({ ...(path === undefined ? {} : { path }), hidden: false, limit: 1_000 });
const list = (path?: string, roots = [allowed]) => listFolder(query(path), roots);

describe('the folder browser', () => {
  it('lists folders first, in the order that people count, with sizes and times', async () => {
    const listing = await list();
    expect(listing).toMatchObject({ path: allowed, parent: null, roots: [allowed], truncated: false });
    expect(listing.entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'directory day 9',
      'directory day 10',
      'directory in',
      'file b.mov',
    ]);
    expect(listing.entries.at(-1)).toEqual({ name: 'b.mov', kind: 'file', size: 7, last_modified: '1970-01-12T13:46:40.000Z' });
  });

  it('goes down and up, and never above an allowed folder', async () => {
    const listing = await list(join(allowed, 'day 9', 'takes'));
    expect(listing).toMatchObject({ parent: join(allowed, 'day 9'), entries: [] });
    expect((await list(join(allowed, 'day 9'))).parent).toBe(allowed);
  });

  it('shows hidden names when asked, and says when there is more', async () => {
    expect((await listFolder({ path: allowed, hidden: true, limit: 1_000 }, [allowed])).entries.map(({ name }) => name)).toContain(
      '.hidden',
    );
    const short = await listFolder({ path: allowed, hidden: false, limit: 2 }, [allowed]);
    expect([short.entries.map(({ name }) => name), short.truncated]).toEqual([['day 9', 'day 10'], true]);
  });

  it('gives the real path of a link that stays inside, and of a root that is a link', async () => {
    expect((await list(join(allowed, 'in'))).path).toBe(join(allowed, 'day 9'));
    expect(await list(undefined, [join(base, 'link')])).toMatchObject({ path: allowed, roots: [allowed] });
    expect((await list(join(base, 'link', 'day 9'), [join(base, 'link')])).path).toBe(join(allowed, 'day 9'));
  });

  it('has nothing to show where no allowed folder is there', async () => {
    expect(await list(undefined, [join(base, 'gone')])).toEqual({ path: '', parent: null, roots: [], entries: [], truncated: false });
    await expect(list(allowed, [join(base, 'gone')])).rejects.toMatchObject({ error: 'path_outside' });
  });

  it.each([
    ['a file', 'b.mov', 'path_unreadable'],
    ['nothing', 'gone', 'path_not_found'],
    ['nothing below a file', 'b.mov/x', 'path_unreadable'],
  ])('says that there is %s', async (_, path, error) => {
    await expect(list(join(allowed, path))).rejects.toMatchObject({ error });
  });
});

describe('the path guard', () => {
  it.each(['', 'day 9/a.mov', 'in/a.mov', 'new', 'new/newer/newest', 'day 9/new'])('lets %j in', (path) => {
    expect(allowedPath(join(allowed, path), [allowed])).toContain(allowed);
  });

  it.each([
    ['a folder beside it', 'secret'],
    ['one that begins alike', 'allowed2'],
    ['the folder above', ''],
    ['a link that leads out', 'allowed/out'],
    ['a file behind such a link', 'allowed/out/key'],
    ['something to be made behind it', 'allowed/out/new/newer'],
    ['a link to a file outside', 'allowed/out-file'],
    ['a link that leads nowhere', 'allowed/dangling'],
    ['something below a link that leads nowhere', 'allowed/dangling/new'],
    ['something outside that is not there', 'nowhere/at/all'],
  ])('keeps %s out', (_, path) => {
    expect(() => allowedPath(join(base, path), [allowed])).toThrow(expect.objectContaining({ error: 'path_outside', status: 403 }));
  });

  it('takes no way up, even one that would come back', () => {
    for (const path of [
      `${allowed}/../secret`,
      `${allowed}/day 9/..`,
      `${allowed}/in/../../secret`,
      `${allowed}\\..\\secret`,
      `${allowed}\0`,
    ])
      expect(() => allowedPath(path, [allowed])).toThrow(expect.objectContaining({ error: 'path_outside' }));
  });

  it('needs whole paths, and says where a link goes in circles', () => {
    expect(() => allowedPath('allowed', [allowed])).toThrow(expect.objectContaining({ error: 'path_not_absolute' }));
    expect(() => allowedPath(join(allowed, 'circle'), [allowed])).toThrow(expect.objectContaining({ error: 'path_unreadable' }));
  });

  it('allows everything where the root of the disk is allowed', () => {
    expect(allowedPath(join(base, 'secret', 'key'), ['/'])).toBe(join(base, 'secret', 'key'));
  });
});
