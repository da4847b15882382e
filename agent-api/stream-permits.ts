import { AgentError } from '#protocol/errors.ts';
import type { Caller } from './access.ts';

/** Event streams that are open. */
export interface StreamPermits {
  /** Counts one; release it with the returned function. `rate_limited` when there are too many. */
  acquire(caller: Caller | null): () => void;
}

/** Of one application's token: the others are left to the pages of the person and to other applications. */
const mostOfToken = 10;

export function createStreamPermits(most: number): StreamPermits {
  const ofTokens = new Map<string, number>();
  let inUse = 0;
  return {
    acquire(caller) {
      const token = caller?.kind === 'application' ? caller.holder.id : null;
      const own = token === null ? 0 : (ofTokens.get(token) ?? 0);
      if (inUse >= most || own >= mostOfToken) throw new AgentError('rate_limited', { seconds: 10 });
      inUse += 1;
      if (token !== null) ofTokens.set(token, own + 1);
      return () => {
        inUse -= 1;
        if (token === null) return;
        const left = ofTokens.get(token)! - 1;
        if (left === 0) ofTokens.delete(token);
        else ofTokens.set(token, left);
      };
    },
  };
}
