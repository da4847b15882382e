import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { seededBytes } from '../system/file-tree.ts';

/** Another process that puts files into a folder, each once and in one of the ways that programs have. */
export interface FileWriter {
  /** Lets it end what it is at. Returns all that it has written, by path inside the folder. */
  stop(): Promise<ReadonlyMap<string, Buffer>>;
}

/** One line of its output. */
export interface Written {
  readonly path: string;
  readonly size: number;
  /** For `seededBytes`. */
  readonly seed: number;
}

export interface WriterOptions {
  readonly folder: string;
  /** On the same disk, outside of the folder: what is made here is moved in. */
  readonly staging: string;
  readonly seed: number;
  /** Writes whole folders, each of which a marker completes. */
  readonly marker: boolean;
}

const script = fileURLToPath(new URL('./file-writer-process.ts', import.meta.url));

/** Resolves once the first file is there. */
export async function startFileWriter(options: WriterOptions): Promise<FileWriter> {
  const child: ChildProcess = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let output = '';
  child.stdout!.on('data', (bytes: Buffer) => {
    output += String(bytes);
  });
  await Promise.race([once(child.stdout!, 'data'), ended]);
  return {
    async stop() {
      child.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      if (code !== 0) throw new Error(`The writer ended with ${code}.`);
      const lines = output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Written);
      return new Map(lines.map(({ path, size, seed }) => [path, seededBytes(size, seed)]));
    },
  };
}
