import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { AgentTransfer } from '#protocol/agent/transfers.ts';
import type { Engine } from '../engine.ts';

interface BundleSources {
  readonly engine: Pick<Engine, 'transfers' | 'settings' | 'rateLimits' | 'status' | 'tokens'>;
  /** The newest lines of the log. */
  readonly log: readonly string[];
  readonly system: object;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
  /** Additional files, by name, such as the metrics. */
  readonly more: Readonly<Record<string, string>>;
  readonly now: Date;
}

const transfersShown = 1_000;
const failedShown = 100;
const filesShown = 50;

const readme = `This is what a Longshore agent tells somebody who helps.

status.json      its state, its warnings, its settings and limits
system.json      the machine, the process, the data folder's files
transfers.json   the newest ${transfersShown} transfers: names, paths, states, errors, times; links without their secrets, recipients not named
failed.json      of the newest ${failedShown} that failed: what became of each, and its first ${filesShown} files that did not get through
log.jsonl        the newest lines of the log
metrics.txt      what it counts

Passwords, keys, tokens, access codes and the secrets of links are taken out. Names of files and folders are not:
look through it before you pass it on.
`;

/** The support bundle: a zip of logs and state without secrets (docs/decisions/0027). Every part goes through `redact`. */
export async function supportBundle(sources: BundleSources): Promise<Readable> {
  const { engine, log, system, redact, more, now } = sources;
  const zip = new ZipFile();
  const add = (name: string, text: string): void => zip.addBuffer(Buffer.from(redact(text)), `longshore-support/${name}`, { mtime: now });
  const json = (name: string, value: unknown): void => add(name, `${JSON.stringify(value, null, 2)}\n`);

  add('README.txt', readme);
  json('status.json', {
    ...engine.status(),
    settings: engine.settings.current(),
    limits: { upload: engine.rateLimits.get('upload'), download: engine.rateLimits.get('download') },
    tokens: engine.tokens.list().map(({ name: _, ...token }) => token),
  });
  json('system.json', system);
  json('transfers.json', await listed(engine, { limit: 500, pages: transfersShown / 500 }));
  json('failed.json', await failures(engine));
  add('log.jsonl', log.map((line) => `${line}\n`).join(''));
  for (const [name, text] of Object.entries(more)) add(name, text);
  zip.end();
  return zip.outputStream as Readable;
}

async function listed(engine: BundleSources['engine'], { limit, pages }: { limit: number; pages: number }): Promise<object> {
  const records: object[] = [];
  let total = 0;
  for (let page = 1; page <= pages; page++) {
    const found = await engine.transfers.list('all', { page, limit, sort: '-created_at' });
    total = found.total;
    records.push(...found.records.map(bare));
    if (page * limit >= total) break;
  }
  return { total, records };
}

async function failures(engine: BundleSources['engine']): Promise<object[]> {
  const { records } = await engine.transfers.list('all', { page: 1, limit: failedShown, sort: '-created_at', state: ['error'] });
  return Promise.all(
    records.map(async (transfer) => ({
      ...bare(transfer),
      log: (await engine.transfers.log(transfer.id)).records,
      files: (await engine.transfers.files(transfer.id, { page: 1, limit: filesShown, state: 'error' })).records,
    })),
  );
}

/** A transfer without its recipients and without addresses that open it. */
function bare({ url, links, ...rest }: AgentTransfer): object {
  return { ...rest, url: url.split('?')[0], links: links.length };
}
