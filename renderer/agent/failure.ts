import { errorCatalogue } from '#protocol/errors.ts';

/**
 * A call to the agent that did not succeed, with a sentence for the person.
 * `offline` is a request that got no answer at all; `answered` carries the catalogue's code and the HTTP status.
 */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly kind: 'offline' | 'answered';
  readonly status: number;
  readonly code: number;
  /** Whether a retry of the same call may succeed. */
  readonly retryable: boolean;

  constructor(kind: 'offline' | 'answered', status: number, code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.retryable = kind === 'offline' || status === 429 || status >= 500;
  }

  static offline(cause: unknown): AgentFailure {
    return new AgentFailure('offline', 0, 0, 'The agent does not answer. Check that it is still running on its machine.', { cause });
  }

  /** From an error answer. A body that is not from the catalogue still gives a readable sentence. */
  static answered(status: number, text: string): AgentFailure {
    const body = errorBody(text);
    return new AgentFailure('answered', status, body?.code ?? 0, body?.message ?? `The agent answered with status ${status}.`);
  }

  is(error: keyof typeof errorCatalogue): boolean {
    return this.code === errorCatalogue[error].code;
  }
}

function errorBody(text: string): { code: number; message: string } | null {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('code' in body) || !('message' in body)) return null;
    return typeof body.code === 'number' && typeof body.message === 'string' ? { code: body.code, message: body.message } : null;
  } catch {
    return null;
  }
}
