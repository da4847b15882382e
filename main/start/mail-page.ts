import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type ReadMail, readMail } from './mail-file.ts';

export interface MailPage {
  readonly url: string;
  close(): Promise<void>;
}

/** Messages on the page; older ones stay in the folder. */
const shown = 50;

/**
 * A page with the mails that a service without a mail server has written to its outbox: whoever tries Longshore accepts an
 * invitation and opens a link in the browser, too. Mails hold secrets, so the page has an address that cannot be guessed, on
 * this machine alone.
 */
export async function startMailPage(outbox: string): Promise<MailPage> {
  const path = `/${randomBytes(16).toString('base64url')}`;
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== path) return void response.writeHead(404).end();
    readOutbox(outbox).then(
      (mails) => answer(response, pageOf(mails)),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The latest messages, the last one first. Their names sort by time. */
async function readOutbox(folder: string): Promise<ReadMail[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  const latest = names
    .filter((name) => /^[^.].*\.eml$/.test(name))
    .sort()
    .slice(-shown)
    .reverse();
  const read = latest.map(async (name) => {
    // The service removes the oldest at any time.
    const content = await readFile(join(folder, name), 'utf8').catch(() => null);
    return content === null ? [] : [readMail(content)];
  });
  return (await Promise.all(read)).flat();
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; padding: 0 1rem; max-width: 46rem; }
article { margin: 1.5rem 0; padding: 1rem 1.25rem; border: 1px solid #8886; border-radius: 12px; }
h1 { font-size: 1.4rem; } h2 { margin: 0; font-size: 1.1rem; overflow-wrap: anywhere; }
p { margin: 0.2rem 0; opacity: 0.8; } pre { margin: 1rem 0 0; font: 0.875rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

function answer(response: ServerResponse, page: string): void {
  const hash = createHash('sha256').update(style).digest('base64');
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(page);
}

const pageOf = (mails: readonly ReadMail[]): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mails of Longshore</title><style>${style}</style></head>
<body><h1>Mails that were not sent</h1>
<p>There is no mail server here, so what Longshore writes to people stands on this page. Load it again for what is new.</p>
${mails.length === 0 ? '<p>Nothing was written yet.</p>' : mails.map(articleOf).join('\n')}
</body></html>
`;

const articleOf = ({ to, subject, date, text }: ReadMail): string =>
  `<article><h2>${escaped(subject)}</h2><p>To ${escaped(to)}, ${escaped(date)}</p><pre>${withLinks(text.trim())}</pre></article>`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Addresses of a text become links. A split by one pattern has texts and addresses by turns. */
const withLinks = (text: string): string =>
  text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, index) => (index % 2 === 1 ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part)))
    .join('');
