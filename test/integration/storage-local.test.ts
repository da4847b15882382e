import { storageConformance } from '#test/support/storage/conformance.ts';
import { startTestStorage } from '#test/support/storage/local-storage.ts';
import { diskFolder } from '#test/support/system/temp-folder.ts';

for (const thread of ['its own thread', 'this thread'] as const) {
  storageConformance(`local storage in ${thread}`, {
    async open() {
      const folder = await diskFolder();
      const running = await startTestStorage({ root: folder.path, ...(thread === 'its own thread' && { inProcess: undefined }) });
      const close = async () => {
        await running.close();
        await folder.remove();
      };
      return { storage: running.storage, twoHoursAgo: running.storage, close };
    },
    partSize: 1_500_000,
    manyParts: thread === 'its own thread' ? 1_200 : 50,
  });
}
