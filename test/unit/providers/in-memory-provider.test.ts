import { providerConformance } from '#test/support/providers/conformance.ts';
import { createInMemoryProvider, inMemoryPlan, newCloud } from '#test/support/providers/in-memory-provider.ts';

for (const order of ['any', 'ascending'] as const) {
  providerConformance(`A provider in memory, parts in ${order} order,`, {
    async open() {
      const cloud = newCloud();
      const create = () => createInMemoryProvider(cloud, { ...inMemoryPlan, order });
      return {
        provider: create(),
        restarted: create,
        stored: async () => [...cloud.files.keys(), ...cloud.folders, ...cloud.uploads.keys()],
        wrong: [],
        secrets: [],
        close: async () => {},
      };
    },
    lacks: { keepsTaken: 'It has one upload a path: another begins in the place of the first.' },
    largeFile: 3500,
    partSize: 1000,
  });
}
