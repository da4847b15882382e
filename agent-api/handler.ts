import type { Engine } from '#engine/engine.ts';
import type { AgentRouteName, AgentRoutes } from '#protocol/agent/routes.ts';
import type { ApiError } from '#protocol/errors.ts';
import type { Input, ReplyOf } from '#protocol/route.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { PageEntry } from './page-entry.ts';

/** What a handler gets besides its input. */
export interface Context {
  readonly engine: Engine;
  readonly metrics: Pick<Metrics, 'text'>;
  readonly entry: Pick<PageEntry, 'issue' | 'trade'>;
  /** Counts a wrong token or code of this caller and returns the error to answer with. */
  readonly wrong: () => ApiError;
  /** Whether the caller, and so this call, is restricted to the allowed folders. */
  readonly restricted: boolean;
  /** The `Last-Event-ID` header, if it is a number. */
  readonly lastEventId: number | null;
  /** Fires when the caller has disconnected or the agent stops. */
  readonly signal: AbortSignal;
}

/** One function for each route. A missing function is a compile error. */
export type AgentHandlers = {
  readonly [Name in AgentRouteName]: (input: Input<AgentRoutes[Name]>, context: Context) => Promise<ReplyOf<AgentRoutes[Name]>>;
};
