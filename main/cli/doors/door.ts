import type { Engine } from '#engine/engine.ts';

/** What commands need of an agent, be it another process or an engine in this one. */
export interface Door {
  /** The agent's address; empty when the engine is in this process. */
  readonly agentUrl: string;
  readonly session: Pick<Engine['session'], 'current' | 'teams'>;
  readonly transfers: Pick<Engine['transfers'], 'upload' | 'download' | 'list' | 'get' | 'receipt'>;
  close(): Promise<void>;
}
