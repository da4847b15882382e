import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, parse as parseYaml, stringify } from 'yaml';
import { serviceCommand } from '#main/cli/commands/service.ts';
import { variablesByFile } from '#main/cli/variable-files.ts';
import { soaking } from '#test/support/faults/seeds.ts';

/** The chart for Kubernetes. Helm itself is nowhere that tests run: its engine and functions render it, in a soak. */

const project = fileURLToPath(new URL('../../..', import.meta.url));
const chart = join(project, 'resources/helm/longshore');
const read = (path: string): string => readFileSync(join(chart, path), 'utf8');
const templates = readdirSync(join(chart, 'templates')).filter((name) => name.endsWith('.yaml'));
const values = parseYaml(read('values.yaml')) as Record<string, unknown>;

const usual = {
  publicUrl: 'https://files.example.com',
  existingSecret: 'longshore',
  owner: { email: 'mia@example.com', team: 'Harbour Films' },
  env: { LONGSHORE_MAIL_FROM: 'Harbour Films <files@example.com>' },
  ingress: { enabled: true, host: 'files.example.com', tlsSecret: 'tls', className: 'nginx' },
};
const one = {
  publicUrl: 'https://files.example.com',
  existingSecret: 'longshore',
  nodes: { api: null, worker: null, all: { role: 'api,worker,storage', replicas: 1 } },
  persistence: { publicUrl: 'https://storage.example.com', storageClass: 'fast' },
  metrics: { enabled: false },
  networkPolicy: { from: [{ namespaceSelector: {} }] },
};

describe('the chart', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(read('values.schema.json')) as object);
  const problems = (given: object): string[] => {
    validate({ ...values, ...given });
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  it('takes its own values once the two that only the operator knows are given, and refuses them before', () => {
    expect(problems({ publicUrl: 'https://files.example.com', existingSecret: 'longshore' })).toEqual([]);
    expect(problems({}).map((text) => text.split(' ')[0])).toEqual(['/publicUrl', '/existingSecret']);
  });

  it.each([
    ['a name that is none', { publicURL: 'https://files.example.com' }],
    ['a role that is none', { nodes: { api: { role: 'apis', replicas: 1 } } }],
    ['two storages', { nodes: { all: { role: 'api,storage', replicas: 2 } } }],
    ['an address with a path', { publicUrl: 'https://files.example.com/longshore' }],
    ['an ingress without a host', { ingress: { enabled: true } }],
    ['a variable that is no text', { env: { LONGSHORE_TRANSFERS: 4 } }],
  ])('refuses %s', (_, given) => {
    const before = problems(usual);
    expect(before).toEqual([]);
    expect(problems({ ...usual, ...given })).not.toEqual([]);
  });

  it('is of the version of the project', () => {
    const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { version: string };
    expect(parseYaml(read('Chart.yaml'))).toMatchObject({ apiVersion: 'v2', name: 'longshore', version, appVersion: version });
  });

  it('names variables that exist', () => {
    const known = new Set(serviceCommand().options.map(({ envVar }) => envVar));
    const named = templates.flatMap((name) =>
      [...read(`templates/${name}`).matchAll(/- name: ([A-Z][A-Z_]+)$/gm)].map((match) => match[1]!),
    );
    expect(named.length).toBeGreaterThan(10);
    for (const name of named) {
      const without = name.replace(/_FILE$/, '');
      expect(known, name).toContain(Object.hasOwn(variablesByFile, without) ? without : name);
    }
  });
});

const go = soaking && existsSync('/usr/bin/go') && existsSync('/usr/share/gocode/src/github.com/Masterminds/sprig');
describe.skipIf(!go)(
  `the chart, rendered${go ? '' : ' (skipped: in a soak, with golang-go, golang-github-masterminds-sprig-dev and golang-gopkg-yaml.v3-dev)'}`,
  () => {
    interface Manifest {
      readonly apiVersion: string;
      readonly kind: string;
      readonly metadata: { readonly name: string };
      readonly spec: Record<string, unknown>;
    }
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'longshore-helm-'));
      const built = spawnSync('go', ['build', '-o', join(folder, 'render'), join(project, 'test/support/helm/render.go')], {
        encoding: 'utf8',
        env: { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(folder, 'cache') },
      });
      expect([built.status, built.stderr]).toEqual([0, '']);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const render = (given: object): Manifest[] => {
      const file = join(folder, 'values.yaml');
      writeFileSync(file, stringify(given));
      const { status, stdout, stderr } = spawnSync(join(folder, 'render'), [chart, file], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      return parseAllDocuments(stdout)
        .map((document) => {
          expect(document.errors).toEqual([]);
          return document.toJS() as Manifest | null;
        })
        .filter((manifest) => manifest !== null);
    };
    const named = (manifests: readonly Manifest[]): string[] => manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

    it('is API nodes and workers on a bucket, with what each needs', () => {
      const manifests = render(usual);
      expect(named(manifests)).toEqual([
        'Service files',
        'Ingress files',
        'NetworkPolicy files',
        'Deployment files-api',
        'PodDisruptionBudget files-api',
        'Deployment files-worker',
        'PodDisruptionBudget files-worker',
      ]);
      const pods = manifests.filter(({ kind }) => kind === 'Deployment');
      for (const { spec } of pods) {
        const pod = (spec['template'] as { spec: Record<string, unknown> }).spec;
        expect(pod).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const container of [...(pod['initContainers'] as object[]), ...(pod['containers'] as object[])]) {
          expect(container).toMatchObject({
            image: 'registry.example.com/longshore:0.1.0',
            securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          });
        }
        expect((pod['containers'] as object[])[0]).toMatchObject({
          livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
          readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
          env: expect.arrayContaining([
            { name: 'STORAGE_URL_FILE', value: '/run/secrets/longshore/storage-url' },
            { name: 'LONGSHORE_MAIL_FROM', value: 'Harbour Films <files@example.com>' },
          ]),
        });
      }
    });

    it('is one node with a volume, and an address for its bytes', () => {
      const manifests = render(one);
      expect(named(manifests)).toEqual([
        'Service files',
        'Service files-storage',
        'NetworkPolicy files',
        'StatefulSet files-all',
        'PodDisruptionBudget files-all',
      ]);
      const text = JSON.stringify(manifests);
      expect(text).toContain('"storageClassName":"fast"');
      expect(text).toContain('{"name":"LONGSHORE_STORAGE_PUBLIC_URL","value":"https://storage.example.com"}');
      expect(text).not.toContain('STORAGE_URL_FILE');
      expect(text).not.toContain('9090');
    });
  },
);
