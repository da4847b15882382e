import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Channel, maxMessageBytes, openChannel } from '#service/realtime/channel.ts';
import { emptyTestDatabase } from '#test/support/service/postgres.ts';
import { eventually } from '#test/support/system/processes.ts';

/** By a real PostgreSQL, whose connections are really broken. */

/** In this test's own database. */
const ofEars = "application_name = 'longshore-events' and datname = current_database()";

let postgres: Awaited<ReturnType<typeof emptyTestDatabase>>;
let asker: pg.Client;
beforeAll(async () => {
  postgres = await emptyTestDatabase();
  asker = new pg.Client(postgres.url);
  await asker.connect();
});
afterAll(async () => {
  await asker?.end();
  await postgres?.close();
});

interface Ear {
  readonly channel: Channel;
  readonly received: string[];
  readonly warned: string[];
  connected: number;
}

function open(url = postgres.url): Ear {
  const [received, warned]: [string[], string[]] = [[], []];
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, error: quiet, warn: (facts: object) => void warned.push(JSON.stringify(facts)) };
  const listener = {
    onMessage: (message: string) => void received.push(message),
    onConnected: () => {
      ear.connected += 1;
    },
  };
  const ear: Ear = { channel: openChannel('longshore_realtime', { connectionString: url }, listener, log), received, warned, connected: 0 };
  return ear;
}

const connections = async (): Promise<number> => {
  const { rows } = await asker.query(`select pid from pg_stat_activity where ${ofEars}`);
  return rows.length;
};

describe('what one process says', () => {
  it('all hear, itself too, in order, up to the longest message', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on('warning', warn);
    const [one, other] = [open(), open()];
    await eventually('both listen', async () => one.connected === 1 && other.connected === 1);
    const said = ['a', 'ü'.repeat(maxMessageBytes / 2), "it's", ''];
    for (const message of said) one.channel.publish(message);
    one.channel.publish('end');
    for (const { received } of [one, other]) {
      await eventually('all is received', async () => received.at(-1) === 'end');
      expect(received).toEqual([...said.slice(0, 3), 'end']);
    }
    await Promise.all([one.channel.close(), other.channel.close()]);
    await eventually('no connection is left', async () => (await connections()) === 0);
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  it('is received again after the connection broke, and the listener is told that something may be missing', async () => {
    const ear = open();
    await eventually('it listens', async () => ear.connected === 1);
    for (let broken = 1; broken <= 2; broken++) {
      await asker.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${ofEars}`);
      await eventually('it listens again', async () => ear.connected === broken + 1);
      ear.channel.publish(`after ${broken}`);
      await eventually('it hears again', async () => ear.received.at(-1) === `after ${broken}`);
    }
    expect(ear.warned).toHaveLength(2);
    expect(ear.warned.join()).not.toContain(new URL(postgres.url).password);
    expect(await connections()).toBe(1);
    await ear.channel.close();
  });

  it('is lost without a connection, and closing waits for no connection', async () => {
    const ear = open('postgres://nobody:secret@127.0.0.1:1/none');
    ear.channel.publish('into the void');
    await ear.channel.close();
    ear.channel.publish('after the end');
    expect([ear.received, ear.connected, ear.warned]).toEqual([[], 0, []]);
  });
});
