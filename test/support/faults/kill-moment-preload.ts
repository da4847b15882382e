import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';
import type { KillMoment } from './kill-moment.ts';

/** Loaded before all else: ends the process by SIGKILL, that is without any cleaning up, at the moment that the environment names. */
const given = process.env['LONGSHORE_TEST_KILL'];
if (given === undefined) throw new Error('LONGSHORE_TEST_KILL names no moment.');
const moment = JSON.parse(given) as KillMoment;
const like = new RegExp(moment.like);
let left = moment.nth;

const isDue = (what: unknown): boolean => like.test(String(what)) && --left === 0;
const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

/** What `call` does happens before the process ends, or does not. */
function around<T>(what: unknown, call: () => T): T {
  const due = isDue(what);
  if (due && moment.when === 'before') die();
  try {
    return call();
  } finally {
    // Also where it failed.
    if (due) die();
  }
}

type Method = (...args: unknown[]) => unknown;
const methods = fs as unknown as Record<string, Method>;

/** @param counts whether a call is one of those that are counted */
function watch(
  name: string,
  counts: (args: readonly unknown[]) => boolean = () => true,
  what = (args: readonly unknown[]) => args[0],
): void {
  const real = methods[name]!;
  methods[name] = (...args) => (counts(args) ? around(what(args), () => real(...args)) : real(...args));
}

/** The same for one that gives a promise. "After" is once that is settled. */
function watchPromise(name: 'rename' | 'readFile', what: (args: readonly unknown[]) => unknown): void {
  const calls = fs.promises as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const real = calls[name]!;
  calls[name] = async (...args) => {
    const due = isDue(what(args));
    if (due && moment.when === 'before') die();
    try {
      return await real(...args);
    } finally {
      if (due) die();
    }
  };
}

const isForWriting = ([, flags]: readonly unknown[]): boolean => ((flags as number) & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0;
const isForReading = (args: readonly unknown[]): boolean => !isForWriting(args);

switch (moment.at) {
  case 'look':
    watch('lstatSync');
    break;
  case 'link':
  case 'unlink':
  case 'rename':
  case 'rmdir':
    watch(`${moment.at}Sync`);
    break;
  case 'keep':
    watchPromise('rename', ([, to]) => to);
    break;
  case 'read':
    watch('openSync', isForReading);
    watch('open', isForReading);
    watchPromise('readFile', ([path]) => path);
    break;
  case 'write':
    // Opened by a callback: "after" is while the system opens it.
    watch('openSync', isForWriting);
    watch('open', isForWriting);
    break;
  case 'flush':
    watch('fsync', undefined, () => '');
    watch('fsyncSync', undefined, () => '');
    break;
  case 'commit': {
    const prepare = Database.prototype.prepare as Method;
    Object.assign(Database.prototype, {
      prepare(this: unknown, sql: string) {
        const statement = prepare.call(this, sql) as { run: Method };
        if (sql !== 'COMMIT') return statement;
        const run = statement.run.bind(statement);
        return Object.assign(statement, { run: () => around(sql, run) });
      },
    });
    break;
  }
  case 'request':
  case 'answer':
    subscribe(moment.at === 'request' ? 'undici:request:create' : 'undici:request:headers', (message) => {
      const { request } = message as { request: { method: string; path: string } };
      if (isDue(`${request.method} ${request.path}`)) die();
    });
    break;
}
syncBuiltinESMExports();
