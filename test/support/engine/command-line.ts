import { type ChildProcess, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { main } from '#main/cli/main.ts';
import { endsWithUs } from '../system/ends-with-us.ts';

const entry = fileURLToPath(new URL('../../../main/cli/longshore.js', import.meta.url));
const startEntry = fileURLToPath(new URL('../../../main/start/start.ts', import.meta.url));

export interface CommandRun {
  readonly process: ChildProcess;
  /** What it has printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the first line of stdout or stderr that matches; rejects when it ends without. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  /** Exit code, or the signal's name. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** With an IPC channel, as `npm start` runs its children. */
  readonly ipc?: boolean;
}

/** Runs `longshore` as a process, without any `LONGSHORE_…` of the tester's own environment. */
export function longshore(args: readonly string[], options: CommandOptions = {}): CommandRun {
  return nodeScript(entry, args, options);
}

export interface CommandEnd {
  /** Exit code, or the signal's name. */
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `longshore` to its end in this process, which costs a tenth of a process of its own. One at a time; nothing for what
 * a process is or leaves behind.
 */
export const longshoreHere = (args: readonly string[], options: Omit<CommandOptions, 'ipc'> = {}): Promise<CommandEnd> =>
  here(() => main(args), options);

/** The same of `npm start`'s program, for what it refuses. */
export const npmStartHere = (args: readonly string[]): Promise<CommandEnd> =>
  here(async () => (await import('#main/start/main.ts')).main(args), {});

async function here(run: () => Promise<number>, { env = {}, input, cwd }: Omit<CommandOptions, 'ipc'>): Promise<CommandEnd> {
  let [stdout, stderr] = ['', ''];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((said) => {
      stdout += said;
      return true;
    }),
    vi.spyOn(process.stderr, 'write').mockImplementation((said) => {
      stderr += said;
      return true;
    }),
    vi.spyOn(console, 'error').mockImplementation((said) => {
      stderr += `${said}\n`;
    }),
  ];
  const before = new Map(Object.keys(env).map((name) => [name, process.env[name]]));
  const folder = process.cwd();
  const given = Readable.from(input === undefined ? [] : [Buffer.from(input)]);
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  try {
    Object.assign(process.env, env);
    // As a pipe that has ended, and no terminal.
    Object.defineProperty(process, 'stdin', { ...stdin, get: () => given });
    if (cwd !== undefined) process.chdir(cwd);
    const code = await run();
    return { code, stdout, stderr };
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
    process.chdir(folder);
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs `npm start`'s program as a process. */
export function npmStart(args: readonly string[], options: CommandOptions = {}): CommandRun {
  return nodeScript(startEntry, args, options);
}

/** Runs a script by this Node as a process, without any `LONGSHORE_…` of the tester's own environment. */
export function nodeScript(script: string, args: readonly string[], { env = {}, input, cwd, ipc }: CommandOptions = {}): CommandRun {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(LONGSHORE_|DATABASE_URL$|STORAGE_URL$|NODE_OPTIONS$|VITEST)/.test(name),
  );
  const child = spawn(...endsWithUs(process.execPath, [script, ...args]), {
    stdio: ['pipe', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
    env: { ...Object.fromEntries(inherited), ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let [stdout, stderr] = ['', ''];
  const looks = new Set<() => void>();
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const look of looks) look();
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const look of looks) look();
  });
  child.stdin!.on('error', () => undefined).end(input);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => {
      // `close` does not come once the channel was closed from here; what was printed before the end still does.
      const drained = [child.stdout!, child.stderr!].map(
        (stream) => new Promise<void>((done) => (stream.closed ? done() : stream.once('close', done))),
      );
      void Promise.all(drained).then(() => resolve(code ?? signal!));
    });
  });
  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = `${stdout}\n${stderr}`
            .split('\n')
            .map((line) => pattern.exec(line))
            .find((match) => match !== null);
          if (found) resolve(found);
        };
        looks.add(look);
        look();
        void ended.then((code) => reject(new Error(`It ended (${code}) without ${pattern}:\n${stdout}\n${stderr}`)));
      }),
  };
}
