import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFacts, writeFacts } from '#main/start/facts.ts';
import { freePort } from '#main/start/ports.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-facts-'));
  await chmod(folder, 0o711);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('what npm start knows again', () => {
  it('is made once, with a password of its own, for the owner of the folder only', async () => {
    const made = await openFacts(join(folder, 'data'), {});
    expect(made.first).toBe(true);
    expect(made.facts.owner).toEqual({
      email: 'owner@longshore.example',
      password: expect.stringMatching(/^[\w-]{20}$/),
      team: 'First Team',
    });
    expect((await stat(made.file)).mode & 0o777).toBe(0o600);
    expect(await openFacts(join(folder, 'data'), {})).toEqual({ ...made, first: false });
  });

  it('is taken from the environment at the first start only', async () => {
    const env = { LONGSHORE_OWNER_EMAIL: 'mia@example.com', LONGSHORE_OWNER_PASSWORD: 'correct horse', LONGSHORE_TEAM: 'Harbour' };
    const { facts } = await openFacts(folder, env);
    expect(facts.owner).toEqual({ email: 'mia@example.com', password: 'correct horse', team: 'Harbour' });
    expect((await openFacts(folder, { LONGSHORE_TEAM: 'Other' })).facts.owner.team).toBe('Harbour');
  });

  it('is replaced as a whole', async () => {
    const { facts } = await openFacts(folder, {});
    await writeFacts(folder, { ...facts, apiKey: 'ls_x' });
    expect((await openFacts(folder, {})).facts).toEqual({ ...facts, apiKey: 'ls_x' });
    expect(await readdir(folder)).toEqual(['start.json']);
  });

  it.each(['', '{', '{}', 'null', '{"owner":{}}'])('is not made up when its file holds %j', async (text) => {
    await writeFile(join(folder, 'start.json'), text);
    await expect(openFacts(folder, {})).rejects.toThrow('is damaged');
  });
});

describe('a free port', () => {
  it('is the wanted one unless it is taken', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
    });
    const other = await freePort(port);
    expect(other).not.toBe(port);
    await new Promise((resolve) => taken.close(resolve));
    expect(await freePort(port)).toBe(port);
    expect(await freePort(port, [port])).not.toBe(port);
  });
});
