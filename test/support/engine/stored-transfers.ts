import { mkdirSync } from 'node:fs';
import { systemClock } from '#engine/ports.ts';
import { openSecrets } from '#engine/secrets/open-secrets.ts';
import { openDatabase } from '#engine/state/database.ts';
import { openStore } from '#engine/state/store.ts';
import type { TransferRecord } from '#engine/transfer/record.ts';
import type { Phase } from '#engine/transfer/state-machine.ts';

export interface StoredTransfers {
  readonly count: number;
  readonly vaultKey?: string;
  readonly serviceUrl?: string;
  readonly teamId?: string;
  /** By the number from 0; by default most are over, and none would begin to move by itself. */
  readonly phase?: (number: number) => Phase;
  readonly name?: (number: number) => string;
}

const day = 86_400_000;

/** One in four is still to come, one in twenty failed, the others are through. */
export function mixedPhase(number: number): Phase {
  const finishedAt = Date.now() - day + number;
  if (number % 20 === 0) return { state: 'error', failure: { code: 1, message: `Card ${number} is not there any more.`, retryable: true } };
  if (number % 4 === 1) return { state: 'paused', since: finishedAt, until: null };
  return number % 10 === 3 ? { state: 'cancelled', finishedAt } : { state: 'complete', finishedAt };
}

/** Puts transfers straight into the state file of an agent that does not run, as its engine would have. */
export async function putTransfers(dataDir: string, options: StoredTransfers): Promise<void> {
  const { count, vaultKey, serviceUrl = 'http://127.0.0.1:9', teamId = 'team', phase = mixedPhase } = options;
  mkdirSync(dataDir, { recursive: true });
  const opened = openDatabase(dataDir, { now: Date.now() });
  const { sealer } = await openSecrets({ dataDir, mode: 'vault', vaultKey });
  const store = openStore(opened, sealer, systemClock);
  try {
    store.writer.write(() => {
      for (let number = 0; number < count; number++) {
        store.transfers.insert(record(number, phase(number), { serviceUrl, teamId, name: options.name?.(number) ?? `Reel ${number}` }));
      }
    });
  } finally {
    store.close();
  }
}

function record(
  number: number,
  phase: Phase,
  { serviceUrl, teamId, name }: { serviceUrl: string; teamId: string; name: string },
): TransferRecord {
  const totalBytes = 1_000_000 * ((number % 997) + 1);
  const through = phase.state === 'complete';
  const common = {
    id: `many-${String(number).padStart(7, '0')}`,
    phase,
    name,
    priority: 'normal',
    position: number + 1,
    rateLimit: 0,
    bytes: through ? totalBytes : Math.floor(totalBytes / 3),
    totalBytes,
    files: through ? 3 : 1,
    totalFiles: 3,
    createdAt: Date.now() - day + number,
    updatedAt: Date.now() - day + number,
  } as const;
  if (number % 3 === 2) {
    return {
      ...common,
      kind: 'download',
      request: {
        serviceUrl,
        source: { kind: 'link', linkId: 'link', shownUrl: `${serviceUrl}/d/link` },
        dstFolder: '/media/incoming',
        fileIds: null,
        createPackageFolder: false,
      },
      facts: { packageId: 'package', root: '', planned: true },
      secrets: { linkSecret: 'secret' },
    };
  }
  return {
    ...common,
    kind: 'upload',
    request: { serviceUrl, teamId, paths: [`/media/A${number}`], description: '', recipients: [], autoFinalize: true },
    added: [],
    facts: { scanned: true, package: through ? { state: 'finalized', id: 'package' } : { state: 'none' } },
    secrets: {},
  };
}
