import { type LocalStorageSettings, type RunningLocalStorage, startLocalStorage } from '#storage/local/server.ts';
import { tempFolder } from '../system/temp-folder.ts';

export interface TestStorage extends RunningLocalStorage {
  readonly root: string;
}

/** Local storage in a folder of its own, on a free port; both go with `close`. */
export async function startTestStorage(settings: Partial<LocalStorageSettings> = {}): Promise<TestStorage> {
  const folder = await tempFolder();
  const root = settings.root ?? folder.path;
  const running = await startLocalStorage({
    root,
    secret: Buffer.alloc(32, 7),
    listen: { host: '127.0.0.1', port: 0 },
    inProcess: {},
    ...settings,
  });
  return {
    ...running,
    root,
    async close(drainMilliseconds) {
      await running.close(drainMilliseconds);
      await folder.remove();
    },
  };
}
