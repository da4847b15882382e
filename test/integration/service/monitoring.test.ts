import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml, stringify as yamlOf } from 'yaml';
import { startTestService, type TestService } from '#test/support/service/start-service.ts';
import { hasPrograms } from '#test/support/system/programs.ts';
import { type TempFolder, tempFolder } from '#test/support/system/temp-folder.ts';

/** The alerts and the dashboard that are shipped, against a running service and by Prometheus' own tool. */

const at = (name: string): string => fileURLToPath(new URL(`../../../resources/${name}`, import.meta.url));
const read = (name: string): string => readFileSync(at(name), 'utf8');

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}
const dashboard = JSON.parse(read('grafana/longshore.json')) as Dashboard;
const shown = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
const { groups } = parseYaml(read('prometheus/longshore-alerts.yml')) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);

let folder: TempFolder;
let t: TestService;
let exported: ReadonlySet<string>;
beforeAll(async () => {
  folder = await tempFolder();
  t = await startTestService({ metricsListen: { host: '127.0.0.1', port: 0 }, processes: 1 });
  const text = await (await fetch(`${t.service.metricsUrl}/metrics`)).text();
  exported = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) => (type === 'histogram' ? [`${name}_bucket`] : [name!])),
  );
});
afterAll(async () => {
  await t?.close();
  await folder?.remove();
});

it.each([
  ['the alerts', alerts.map(({ expr }) => expr)],
  ['the dashboard', shown.map(({ expr }) => expr)],
])('%s ask for metrics that a service gives', (_, expressions) => {
  const asked = new Set(expressions.flatMap((expr) => expr.match(/\b(?:longshore|nodejs|process)_[a-z0-9_]+/g) ?? []));
  expect(asked.size).toBeGreaterThan(8);
  expect([...asked].filter((name) => !exported.has(name))).toEqual([]);
});

it('the pages for operators name metrics that a service gives', () => {
  const folder = fileURLToPath(new URL('../../../docs/operating/', import.meta.url));
  const text = readdirSync(folder)
    .map((page) => readFileSync(join(folder, page), 'utf8'))
    .join('\n');
  // The one is the prefix of the table of the agent, the other is there with a collector of traces.
  const elsewhere = ['longshore_agent', 'longshore_service_spans_total'];
  const named = new Set(text.match(/\blongshore_(?:service|agent)(?:_[a-z]+)*/g));
  expect(named.size).toBeGreaterThan(15);
  expect([...named].filter((name) => !elsewhere.includes(name) && !exported.has(name) && !exported.has(`${name}_bucket`))).toEqual([]);
});

it('every metric of our own is on the dashboard', () => {
  const all = shown.map(({ expr }) => expr).join('\n');
  expect([...exported].filter((name) => name.startsWith('longshore_') && !all.includes(name))).toEqual([]);
});

it('every alert says what to do, and each has its test', () => {
  const tests = read('prometheus/longshore-alerts.test.yml');
  for (const { alert } of alerts) expect(tests.match(new RegExp(`alertname: ${alert}\\b`, 'g'))?.length, alert).toBeGreaterThan(1);
  for (const rule of alerts) expect(rule).toMatchObject({ annotations: { summary: expect.any(String), do: expect.any(String) } });
});

const has = hasPrograms('promtool');
describe.skipIf(!has)(has ? 'by promtool' : 'by promtool (skipped: there is none here)', () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    return { status, text: stdout + stderr };
  };

  it('the alerts come when they should, and not when all is well', () => {
    expect(promtool('check', 'rules', at('prometheus/longshore-alerts.yml'))).toMatchObject({ status: 0 });
    const { status, text } = promtool('test', 'rules', at('prometheus/longshore-alerts.test.yml'));
    expect(status, text).toBe(0);
  });

  it('what the dashboard asks is understood', () => {
    // Grafana puts these in.
    const rules = shown.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }));
    const file = join(folder.path, 'panels.yml');
    writeFileSync(file, yamlOf({ groups: [{ name: 'panels', rules }] }));
    const { status, text } = promtool('check', 'rules', '--lint=none', file);
    expect(status, text).toBe(0);
  });

  it('a service’s metrics are as Prometheus wants them', async () => {
    const input = await (await fetch(`${t.service.metricsUrl}/metrics`)).text();
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    // Names of Node's own metrics are not ours to mend.
    expect((stdout + stderr).split('\n').filter((line) => !/^(nodejs|process)_|^$/.test(line))).toEqual([]);
  });
});
