import type { Engine } from '#engine/engine.ts';
import type { HandoverMatch, HandoverPreview, MatchHandover } from '#protocol/agent/handovers.ts';
import type { AgentSession } from '#protocol/agent/session.ts';
import type { SignedIn } from '#protocol/agent/sessions.ts';

/** What commands need of an agent: another process, or an engine in this process. */
export interface AgentHandle {
  /** The agent's address; empty when the engine is in this process. */
  readonly url: string;
  readonly session: {
    /** The current sign-in. `session_is_nil` when nobody is signed in. */
    current(): Promise<AgentSession>;
    /** Sessions with all services. */
    list(): Promise<readonly SignedIn[]>;
  };
  /** Goes on with what browsers have begun. */
  readonly handovers: Pick<Engine['handovers'], 'continue' | 'find'> & {
    match(request: MatchHandover): Promise<HandoverMatch>;
    preview(link: string): Promise<HandoverPreview>;
  };
  readonly transfers: Pick<
    Engine['transfers'],
    'upload' | 'download' | 'retry' | 'mailLinkCode' | 'list' | 'get' | 'files' | 'finalize' | 'receipt'
  >;
  close(): Promise<void>;
}
