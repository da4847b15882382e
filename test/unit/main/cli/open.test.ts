import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCommand } from '#main/cli/commands/open.ts';
import { browserCommand, openInBrowser } from '#main/cli/open-in-browser.ts';
import { openPlace } from '#protocol/deep-link.ts';

const address = 'longshore://download?url=https%3A%2F%2Ffiles.example.com%2Fd%2F1%3Fsecret%3Dx';

describe('longshore open', () => {
  let server: Server;
  let url: string;
  let answer: { status: number; body: string };

  beforeAll(async () => {
    server = createServer((_, response) => response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function open(...args: string[]): Promise<string[]> {
    const opened: string[] = [];
    const command = openCommand(async (page) => void opened.push(page));
    await command.exitOverride().parseAsync(args, { from: 'user' });
    return opened;
  }

  it('opens the page of the agent with the address in it', async () => {
    answer = { status: 200, body: '{"status":"ok"}' };
    expect(await open('--agent-url', url, address)).toEqual([`${url}/${openPlace(address)}`]);
  });

  it.each([
    ['https://files.example.com/d/1?secret=x', /not an address for Longshore/],
    ['longshore://settings', /does not know/],
    ['longshore://download', /lacks its field url/],
    ['longshore://download?url=http%3A%2F%2Ffiles.example.com%2Fd%2F1%3Fsecret%3Dx', /field url of the address cannot be used/],
    ['longshore://download?url=x&path=%1b%5b2J', /path/],
  ])('refuses %s before it asks anybody', async (wrong, message) => {
    answer = { status: 500, body: '' };
    const refusal = await open('--agent-url', url, wrong).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'CommandError', code: 2, message: expect.stringMatching(message) });
  });

  it('says that no agent runs, or that it is something else', async () => {
    await expect(open('--agent-url', 'http://127.0.0.1:1', address)).rejects.toMatchObject({ code: 4 });
    answer = { status: 200, body: '{"status":"up"}' };
    await expect(open('--agent-url', url, address)).rejects.toMatchObject({
      code: 1,
      message: expect.stringContaining('not a Longshore agent'),
    });
  });
});

describe('openInBrowser', () => {
  it('gives the address to one program, as one argument', () => {
    const odd = 'http://127.0.0.1:8090/#/open?address=a%26b;$(x)';
    for (const platform of ['linux', 'darwin', 'win32'] as const) expect(browserCommand(platform, odd).at(-1)).toBe(odd);
  });

  it('returns when the program has taken it', async () => {
    await expect(openInBrowser('x', [process.execPath, '-e', ''])).resolves.toBeUndefined();
  });

  it('says what to do when the program fails or is not there', async () => {
    await expect(openInBrowser('x', [process.execPath, '-e', 'process.exit(3)'])).rejects.toThrow(/could not open a browser. Use --print/);
    await expect(openInBrowser('x', ['longshore-no-such-program', 'x'])).rejects.toThrow(/is not there to open a browser/);
  });
});

it('the desktop entry for it is what the help says', () => {
  const entry = readFileSync(fileURLToPath(new URL('../../../../resources/linux/longshore-open.desktop', import.meta.url)), 'utf8');
  expect(entry).toMatch(/^\[Desktop Entry\]\n/);
  expect(entry).toContain('\nExec=longshore open %u\n');
  expect(entry).toContain('\nMimeType=x-scheme-handler/longshore;\n');
});
