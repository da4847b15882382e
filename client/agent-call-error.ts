import { type ErrorName, errorCatalogue, errorOf } from '#protocol/errors.ts';

/** A call to the agent that failed, with a sentence for the person. */
export class AgentCallError extends Error {
  override readonly name = 'AgentCallError';
  /** `offline`: no answer, or an answer that broke off. `answered`: the agent refused, or something else answered. */
  readonly kind: 'offline' | 'answered';
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** The catalogue's code (contract/conventions.md §5); 0 where the answer has none. */
  readonly code: number;
  /** The answer is not JSON, so it is not an agent's: it is a proxy's, or the address is wrong. */
  readonly foreign: boolean;
  /** Of a service's refusal that the agent passes on: under this id its log has the call; else empty. */
  readonly traceId: string;
  /** Whether a retry of the same call may succeed. */
  readonly retryable: boolean;

  constructor(
    kind: 'offline' | 'answered',
    message: string,
    more: {
      readonly status?: number;
      readonly code?: number;
      readonly foreign?: boolean;
      readonly traceId?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.kind = kind;
    this.status = more.status ?? 0;
    this.code = more.code ?? 0;
    this.foreign = more.foreign ?? false;
    this.traceId = more.traceId ?? '';
    this.retryable = kind === 'offline' || this.status === 429 || this.status >= 500;
  }

  static offline(cause: unknown): AgentCallError {
    return new AgentCallError('offline', 'The agent does not answer. Check that it is still running on its machine.', { cause });
  }

  /** From an error answer. An answer that is not the agent's own still gives a readable sentence. */
  static answered(status: number, text: string, traceId = ''): AgentCallError {
    const body = jsonOf(text);
    const { code, message } = (typeof body === 'object' && body !== null ? body : {}) as { code?: unknown; message?: unknown };
    return new AgentCallError('answered', typeof message === 'string' ? message : `The agent answered with status ${status}.`, {
      status,
      code: typeof code === 'number' ? code : 0,
      foreign: body === undefined,
      traceId,
    });
  }

  /** From an answer that should be JSON and is not. */
  static foreign(status: number, cause: unknown): AgentCallError {
    return new AgentCallError('answered', 'What answers is not a Longshore agent. Check its address.', { status, foreign: true, cause });
  }

  /** The catalogue's name of the error; undefined where the answer has no code, or the code of a later version. */
  get error(): ErrorName | undefined {
    return errorOf(this.code);
  }

  is(error: ErrorName): boolean {
    return this.code === errorCatalogue[error].code;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
