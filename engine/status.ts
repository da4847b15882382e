import type { EngineStatus } from './engine.ts';
import type { Session } from './session/session.ts';
import type { Pause } from './transfer/state-machine.ts';
import type { TransferRegistry } from './transfer/transfer-registry.ts';

interface StatusPorts {
  readonly version: string;
  readonly serviceUrl: string;
  readonly startedAt: string;
  readonly session: Pick<Session, 'signedIn'>;
  readonly registry: Pick<TransferRegistry, 'states'>;
  readonly pause: Pause | null;
  readonly unreachable: EngineStatus['unreachable'];
  readonly warnings: readonly string[];
}

/** What the agent says of itself now. */
export function engineStatus({
  version,
  serviceUrl,
  startedAt,
  session,
  registry,
  pause,
  unreachable,
  warnings,
}: StatusPorts): EngineStatus {
  const states = registry.states();
  return {
    version,
    service_url: serviceUrl,
    signed_in: session.signedIn,
    started_at: startedAt,
    transfers: { active: states.transferring, queued: states.queued, failed: states.error },
    paused: pause && { until: pause.until === null ? null : new Date(pause.until).toISOString() },
    unreachable,
    warnings: [...warnings],
  };
}
