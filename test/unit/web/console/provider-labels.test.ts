import { expect, it } from 'vitest';
import { type Provider, providers } from '#protocol/providers.ts';
import { providerLabels, providerNames } from '#web/messages/de/console/provider-fields.ts';

it('has every label of the catalogue in German, and no other', () => {
  const labels = Object.values(providers).flatMap(({ fields, alternatives }: Provider) => [
    ...fields.map(({ label }) => label),
    ...alternatives.flatMap((one) => [one.label, ...one.fields.map(({ label }) => label)]),
  ]);
  expect(Object.keys(providerLabels).toSorted()).toEqual([...new Set(labels)].toSorted());
});

it('has no name in German that the catalogue has not', () => {
  const names: readonly string[] = Object.values(providers).map(({ label }: Provider) => label);
  for (const name of Object.keys(providerNames)) expect(names).toContain(name);
});

it('has every name in German that is not its maker’s alone', () => {
  const ours = Object.values(providers)
    .map(({ label }: Provider) => label)
    .filter((label) => /storage gateway|legacy|compatible/.test(label));
  for (const label of ours) expect(providerNames).toHaveProperty([label]);
});
