import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { borrowDatabase } from '#test/support/service/databases/borrow.ts';
import { lenderVariable } from '#test/support/service/databases/lend.ts';
import { eventually, processesWith } from '#test/support/system/processes.ts';

const lender = fileURLToPath(new URL('../support/service/databases/lend.ts', import.meta.url));

async function ask<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

describe.skipIf(process.platform === 'win32')('databases that tests borrow', () => {
  it('hold what a first start makes or nothing, each its own, and are dropped when they are given back', async () => {
    const [one, other, empty] = await Promise.all([borrowDatabase('started'), borrowDatabase('started'), borrowDatabase('empty')]);
    const emails = ({ url }: { url: string }) => ask<{ email: string }>(url, 'select email from users');
    expect(await emails(one)).toEqual([{ email: 'owner@example.com' }]);
    await ask(one.url, "update users set email = 'another@example.com'");
    expect(await emails(one)).toEqual([{ email: 'another@example.com' }]);
    expect(await emails(other)).toEqual([{ email: 'owner@example.com' }]);
    await expect(emails(empty)).rejects.toThrow('relation "users" does not exist');
    expect(existsSync(join(one.dataDir, 'secret.key'))).toBe(true);

    const names = [one, other].map(({ url }) => new URL(url).pathname.slice(1));
    const there = async () => (await ask<{ datname: string }>(empty.url, 'select datname from pg_database')).map(({ datname }) => datname);
    expect(await there()).toEqual(expect.arrayContaining(names));
    one.giveBack();
    other.giveBack();
    await eventually('they are dropped', async () => !(await there()).some((name) => names.includes(name)));
    empty.giveBack();
  });

  it.skipIf(process.platform !== 'linux')('leave neither processes nor files when the run is killed', async () => {
    const start = `const { default: lend, lenderVariable } = await import(${JSON.stringify(lender)});
      await lend();
      console.log(process.env[lenderVariable]);`;
    const run = spawn(process.execPath, ['--input-type=module', '-e', start], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void run.kill('SIGKILL'));
    const [path] = (await once(createInterface(run.stdout), 'line')) as [string];
    vi.stubEnv(lenderVariable, path);
    const { url, dataDir } = await borrowDatabase('started').finally(() => vi.unstubAllEnvs());
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const folder = dirname(dirname(dataDir));
    expect(await processesWith(folder)).not.toEqual([]);
    run.kill('SIGKILL');
    await eventually('its PostgreSQL has ended', async () => (await processesWith(folder)).length === 0);
    await eventually('its files are gone', async () => !existsSync(folder) && !existsSync(dirname(path)));
  });
});
