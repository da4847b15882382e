import { expect, it } from 'vitest';
import { providerNames as names, type Provider, providers } from '#protocol/providers.ts';
import { providerLabels, providerNames } from '#web/messages/de/console/provider-fields.ts';

it.each(names)('calls %s and all that it wants in German', (name) => {
  const { label, fields, alternatives }: Provider = providers[name];
  // What its maker calls it stays; a word of ours does not.
  if (/storage|legacy/i.test(label.replace(/^.* Storage$/, ''))) expect(providerNames).toHaveProperty([label]);
  const wanted = [...fields, ...alternatives, ...alternatives.flatMap((one) => one.fields)].map((one) => one.label);
  expect(wanted.filter((one) => providerLabels[one] === undefined)).toEqual([]);
});
