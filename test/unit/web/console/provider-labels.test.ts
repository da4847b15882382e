import { expect, it } from 'vitest';
import { type Provider, providers } from '#protocol/providers.ts';
import { providerLabels } from '#web/messages/de/console/provider-fields.ts';

it('has every label of the catalogue in German, and no other', () => {
  const labels = Object.values(providers).flatMap(({ fields, alternatives }: Provider) => [
    ...fields.map(({ label }) => label),
    ...alternatives.flatMap((one) => [one.label, ...one.fields.map(({ label }) => label)]),
  ]);
  expect(Object.keys(providerLabels).toSorted()).toEqual([...new Set(labels)].toSorted());
});
