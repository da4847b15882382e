import { execFile } from 'node:child_process';

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program to its end.
 *
 * @returns what it printed
 * @throws Error with the program's own last lines when it is not there or fails
 */
export function run(program: string, args: readonly string[], { cwd, env = {} }: RunOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      if (error.code === 'ENOENT') return reject(new Error(`There is no ${program} here.`, { cause: error }));
      const said = `${stdout}${stderr}`.trim().split('\n').slice(-12).join('\n');
      reject(new Error(`${program} ${args[0] ?? ''} failed: ${said || error.message}`, { cause: error }));
    });
  });
}

/** npm as it runs this command, else the one in the search path. */
export function npm(args: readonly string[], options: RunOptions): Promise<string> {
  const own = process.env['npm_execpath'];
  return own === undefined ? run('npm', args, options) : run(process.execPath, [own, ...args], options);
}
