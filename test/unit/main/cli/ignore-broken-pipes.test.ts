import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ignoreBrokenPipes } from '#main/cli/ignore-broken-pipes.ts';

const cli = fileURLToPath(new URL('../../../../main/cli/longshore.js', import.meta.url));

it('a command ends in good order when nobody reads what it prints', async () => {
  const child = spawn(process.execPath, [cli, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  // As `head` does that has seen enough; here before the first line.
  child.stdout.destroy();
  const complaints = text(child.stderr);
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await complaints).toBe('');
});

it('other trouble with a stream is not hidden', () => {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  ignoreBrokenPipes([stream]);
  stream.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }));
  expect(() => stream.emit('error', Object.assign(new Error('full'), { code: 'ENOSPC' }))).toThrow('full');
});
