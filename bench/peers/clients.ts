import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender, Run, Sample, Workload } from '../contender.ts';
import { bytesOf, type Material, nameOf } from '../material.ts';
import { type Command, type CommandPorts, measureCommand } from '../measure/command.ts';
import { s3rverKey } from './s3rver.ts';
import { buckets, type PeerServer } from './server.ts';

/** The peers' commands. Each has one command line for each piece of work; what comes down stands where `Run.into` says. */

type CommandLines = Readonly<Record<Workload, (into: string) => readonly string[]>>;

export interface ClientOptions {
  readonly program: string;
  readonly server: PeerServer;
  /** The server's name in the table, if not its own. */
  readonly serverName?: string;
  readonly material: Material;
  readonly env: Readonly<Record<string, string>>;
  readonly ports: CommandPorts;
  /** Clients that do not retry by default are told to retry. */
  readonly retries?: boolean;
}

function contender(name: string, options: ClientOptions, lines: CommandLines): Contender {
  const { program, server, material, env, ports } = options;
  const work = async (workload: Workload, { into }: Run): Promise<Sample> => {
    const command: Command = { program, args: lines[workload](into), env };
    const before = server.cpuSeconds();
    const cost = await measureCommand(command, ports);
    const serverCpuSeconds = server.cpuSeconds() - before;
    if (workload.endsWith('up')) {
      const received = server.receivedBytes();
      server.emptyIncoming();
      const expected = bytesOf(material, workload);
      if (received !== expected) throw new Error(`${name} sent ${received} of ${expected} bytes.`);
    }
    return { ...cost, serverCpuSeconds };
  };
  return {
    name,
    server: options.serverName ?? server.name,
    works: {
      big_up: (run) => work('big_up', run),
      big_down: (run) => work('big_down', run),
      small_up: (run) => work('small_up', run),
      small_down: (run) => work('small_down', run),
    },
  };
}

/** One connection for the big file, sixteen for the small ones. */
export function curl(options: ClientOptions): Contender {
  const { server, material, ports, retries } = options;
  const { url } = server;
  const manyUp = join(ports.folder, 'curl-up.txt');
  const manyDown = join(ports.folder, 'curl-down.txt');
  const pairs = (line: (name: string) => string): string => material.names.map(line).join('');
  writeFileSync(
    manyUp,
    pairs((name) => `upload-file = "${join(material.small, name)}"\nurl = "${url}/${buckets.incoming}/small/${name}"\n`),
  );
  const plain = ['-q', '--silent', '--show-error', '--fail', ...(retries ? ['--retry', '5', '--retry-all-errors'] : [])];
  const parallel = [...plain, '--no-progress-meter', '--parallel', '--parallel-max', '16'];
  return contender('curl', options, {
    big_up: () => [...plain, '-T', material.big, `${url}/${buckets.incoming}/${nameOf(material.big)}`],
    big_down: (into) => [...plain, '-o', join(into, nameOf(material.big)), `${url}/${buckets.big}/${nameOf(material.big)}`],
    small_up: () => [...parallel, '--config', manyUp],
    small_down: (into) => {
      const folder = join(into, nameOf(material.small));
      mkdirSync(folder);
      rmSync(manyDown, { force: true });
      writeFileSync(
        manyDown,
        pairs((name) => `output = "${join(folder, name)}"\nurl = "${url}/${buckets.small}/${name}"\n`),
      );
      return [...parallel, '--config', manyDown];
    },
  });
}

/** What rclone is commonly told to be faster on a near network. */
const rcloneTuned = [
  '--transfers=16',
  '--checkers=16',
  '--s3-upload-concurrency=4',
  '--s3-chunk-size=64M',
  '--s3-disable-checksum',
  '--multi-thread-streams=4',
];

export function rclone(options: ClientOptions, kind: 'default' | 'tuned'): Contender {
  const { server, material } = options;
  const common = [
    '--config=/dev/null',
    '--s3-provider=Other',
    `--s3-endpoint=${server.url}`,
    `--s3-access-key-id=${s3rverKey}`,
    `--s3-secret-access-key=${s3rverKey}`,
    '--s3-no-check-bucket',
    // Neither server can say more of an object than its answer to the PUT has said.
    '--s3-no-head',
    '--retries=1',
    ...(kind === 'tuned' ? rcloneTuned : []),
  ];
  return contender(`rclone, ${kind}`, options, {
    big_up: () => ['copyto', material.big, `:s3:${buckets.incoming}/${nameOf(material.big)}`, ...common],
    big_down: (into) => ['copyto', `:s3:${buckets.big}/${nameOf(material.big)}`, join(into, nameOf(material.big)), ...common],
    small_up: () => ['copy', material.small, `:s3:${buckets.incoming}/small`, ...common],
    small_down: (into) => ['copy', `:s3:${buckets.small}`, join(into, nameOf(material.small)), ...common],
  });
}

export function awsCommandLine(options: ClientOptions): Contender {
  const { server, material } = options;
  const copy = (...rest: string[]): string[] => ['--endpoint-url', server.url, 's3', 'cp', '--only-show-errors', ...rest];
  return contender('AWS CLI', options, {
    big_up: () => copy(material.big, `s3://${buckets.incoming}/${nameOf(material.big)}`),
    big_down: (into) => copy(`s3://${buckets.big}/${nameOf(material.big)}`, join(into, nameOf(material.big))),
    small_up: () => copy('--recursive', material.small, `s3://${buckets.incoming}/small`),
    small_down: (into) => copy('--recursive', `s3://${buckets.small}/`, join(into, nameOf(material.small))),
  });
}

/** The environment of every peer: no setting of this machine or person reaches them. */
export function peerEnvironment(home: string): Record<string, string> {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: home,
    LC_ALL: 'C.UTF-8',
    AWS_ACCESS_KEY_ID: s3rverKey,
    AWS_SECRET_ACCESS_KEY: s3rverKey,
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
