import { randomBytes } from 'node:crypto';
import { Agent, get } from 'node:http';
import { expect, test } from 'vitest';
import { nodeFileSystem } from '#filesystem/node-file-system.ts';
import type { FileSystem, OpenFile } from '#filesystem/port.ts';
import { compares } from '#protocol/storage/requests.ts';
import { readSize } from '#storage/local/read.ts';
import { firstReadSize } from '#storage/local/send.ts';
import { startTestStorage } from '#test/support/storage/local-storage.ts';

const MiB = 1024 * 1024;

/** The real disk, which notes how many bytes each read asks for. */
function watched(reads: number[]): FileSystem {
  const noting = (file: OpenFile): OpenFile => {
    const noted = Object.create(file) as OpenFile;
    noted.read = (buffer, offset, length, position) => {
      reads.push(length);
      return file.read(buffer, offset, length, position);
    };
    noted.readNow = (buffer, offset, length, position) => {
      reads.push(length);
      return file.readNow(buffer, offset, length, position);
    };
    return noted;
  };
  return {
    ...nodeFileSystem,
    open: async (...asked) => noting(await nodeFileSystem.open(...asked)),
    openNow: (...asked) => noting(nodeFileSystem.openNow(...asked)),
  };
}

function fetched(url: string, agent: Agent, [start, end]: readonly [number, number]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { Range: `bytes=${start}-${end - 1}`, ...compares } }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve(Buffer.concat(pieces)));
      response.on('error', reject);
    }).on('error', reject);
  });
}

test('a connection that has taken 16 MiB gets its next ranges in large pieces, and a new connection does not', async () => {
  const reads: number[] = [];
  const running = await startTestStorage({ inProcess: { files: watched(reads) } });
  const agents = [0, 1].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
  try {
    const bytes = randomBytes(20 * MiB);
    await running.storage.write('package/file', bytes);
    const { url } = await running.storage.presignRead('package/file', { expiresAt: new Date(Date.now() + 3_600_000), fileName: 'a.bin' });
    const largestRead = async (agent: Agent, range: readonly [number, number]): Promise<number> => {
      reads.length = 0;
      expect((await fetched(url, agent, range)).equals(bytes.subarray(...range))).toBe(true);
      return Math.max(...reads);
    };
    const [used, other] = agents as [Agent, Agent];
    expect(await largestRead(used, [0, 8 * MiB])).toBe(firstReadSize);
    expect(await largestRead(used, [8 * MiB, 16 * MiB])).toBe(firstReadSize);
    expect(await largestRead(used, [16 * MiB, 20 * MiB])).toBe(readSize);
    expect(await largestRead(other, [16 * MiB, 20 * MiB])).toBe(firstReadSize);
  } finally {
    for (const agent of agents) agent.destroy();
    await running.close();
  }
});
