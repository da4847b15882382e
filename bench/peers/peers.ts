import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender, MissingContender, Workload } from '../contender.ts';
import type { Material } from '../material.ts';
import { awsCommandLine, type ClientOptions, curl, peerEnvironment, rclone } from './clients.ts';
import { startNginx } from './nginx.ts';
import { type Program, type Programs, whyAbsent } from './programs.ts';
import { startS3rver } from './s3rver.ts';
import type { PeerServer } from './server.ts';

/** Everybody that Longshore is compared with. */

interface Crew {
  /** A folder of their own, on the file system of the material. */
  readonly folder: string;
  readonly material: Material;
  readonly programs: Programs;
  readonly signal: AbortSignal;
  /** Whether a peer is wanted, by its name and server. */
  readonly wanted: (name: string, server: string) => boolean;
  /** How a client comes to a server, if not straight. */
  readonly by?: (server: PeerServer) => Promise<PeerServer>;
  /** Clients that do not retry by default are told to retry. */
  readonly retries?: boolean;
  /** What ends the servers; the last first. */
  readonly endings: (() => Promise<void>)[];
}

interface Peer {
  readonly name: string;
  readonly server: string;
  readonly needs: readonly Program[];
  readonly mostRounds?: Contender['mostRounds'];
  /** Workloads that it cannot do with this server. */
  readonly without?: Workload;
  readonly make: (options: Omit<ClientOptions, 'program'>, programs: Programs) => Contender;
}

const rcloneAs =
  (kind: 'default' | 'tuned'): Peer['make'] =>
  (options, programs) =>
    rclone({ ...options, program: programs.rclone! }, kind);
const aws: Peer['make'] = (options, programs) => awsCommandLine({ ...options, program: programs.aws! });

const nginxAsS3 = 'nginx as S3';
/** The AWS command line takes a minute for the small files, and s3rver is the bottleneck of every client. Neither varies enough for many rounds. */
const fewSmall = { small_up: 2, small_down: 2 } as const;
const few = { big_up: 3, big_down: 3, ...fewSmall } as const;
const peers: readonly Peer[] = [
  {
    name: 'curl',
    server: 'nginx',
    needs: ['curl', 'nginx', 'time'],
    make: (options, { curl: program }) => curl({ ...options, program: program! }),
  },
  { name: 'rclone, default', server: nginxAsS3, needs: ['rclone', 'nginx', 'time'], make: rcloneAs('default') },
  { name: 'rclone, tuned', server: nginxAsS3, needs: ['rclone', 'nginx', 'time'], make: rcloneAs('tuned') },
  { name: 'AWS CLI', server: nginxAsS3, needs: ['aws', 'nginx', 'time'], mostRounds: fewSmall, make: aws },
  { name: 'rclone, default', server: 's3rver', needs: ['rclone', 'time'], mostRounds: few, make: rcloneAs('default') },
  // s3rver makes its page tokens by DES, which OpenSSL 3 no longer offers: version 2 of its list ends after 1,000 names.
  { name: 'AWS CLI', server: 's3rver', needs: ['aws', 'time'], mostRounds: few, without: 'small_down', make: aws },
];

/** Starts the servers that the wanted peers need. */
export async function startPeers(crew: Crew): Promise<{ contenders: Contender[]; absentees: MissingContender[] }> {
  const { folder, material, programs, signal, endings, by, retries = false } = crew;
  const home = newFolder(folder, 'home');
  const env = peerEnvironment(home);
  const wanted = peers.filter(({ name, server }) => crew.wanted(name, server));
  const absentees = wanted.flatMap(({ name, server, needs }) => {
    const why = whyAbsent(programs, needs);
    return why === null ? [] : [{ name, server, why }];
  });
  const present = wanted.filter(({ needs }) => whyAbsent(programs, needs) === null);

  const begun = async (server: PeerServer): Promise<PeerServer> => {
    endings.push(() => server.stop());
    return by ? by(server) : server;
  };
  const options = { material, env, signal };
  const nginx = present.some(({ server }) => server.startsWith('nginx'))
    ? await begun(await startNginx({ ...options, program: programs.nginx!, folder: newFolder(folder, 'nginx') }))
    : null;
  const s3rver = present.some(({ server }) => server === 's3rver')
    ? await begun(await startS3rver({ ...options, folder: newFolder(folder, 's3rver') }))
    : null;
  const contenders = present.map(({ server, make, mostRounds, without }) => {
    const ports = { time: programs.time!, folder: home, signal };
    const contender = make(
      { server: (server === 's3rver' ? s3rver : nginx)!, serverName: server, material, env, ports, retries },
      programs,
    );
    const works = Object.entries(contender.works).filter(([workload]) => workload !== without);
    return { ...contender, works: Object.fromEntries(works), ...(mostRounds && { mostRounds }) };
  });
  return { contenders, absentees };
}

function newFolder(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}
