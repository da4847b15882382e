import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { startDataPlane } from './start-data-plane.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';
import { type DataPlaneSettings, packed } from './worker-messages.ts';

/** The data plane's own thread: listens, reports that it is ready, and stops on request. */
const parent = parentPort as MessagePort;
const say = (message: FromWorker): void => parent.postMessage(message);

try {
  const plane = await startDataPlane(workerData as DataPlaneSettings, {
    now: Date.now,
    onTrouble: (error) => say({ kind: 'trouble', error: packed(error) }),
    onSpans: (spans) => say({ kind: 'spans', spans }),
  });
  parent.on('message', async (message: ToWorker) => {
    if (message.kind === 'uploads_started') return plane.uploadsStarted(message.folders);
    if (message.kind === 'certificate') return plane.useCertificate(message.pair);
    await plane.close(message.drainMilliseconds);
    parent.close();
  });
  say({ kind: 'listening', port: plane.port });
} catch (error) {
  say({ kind: 'failed', error: packed(error as Error) });
  parent.close();
}
