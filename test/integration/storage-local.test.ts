import { storageConformance } from '#test/support/storage/conformance.ts';
import { startTestStorage } from '#test/support/storage/local-storage.ts';

for (const thread of ['its own thread', 'this thread'] as const) {
  storageConformance(`local storage in ${thread}`, {
    async open() {
      const running = await startTestStorage(thread === 'its own thread' ? { inProcess: undefined } : {});
      return { storage: running.storage, twoHoursAgo: running.storage, close: () => running.close() };
    },
    partSize: 1_500_000,
    manyParts: thread === 'its own thread' ? 1_200 : 50,
  });
}
