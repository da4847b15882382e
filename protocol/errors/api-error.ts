import type { AgentErrorName } from './agent.ts';
import type { ErrorSpec } from './code.ts';
import type { HealthErrorName } from './health.ts';
import { type HostedErrorName, hostedErrors } from './hosted.ts';

/** The body of every error answer (contract/conventions.md §5.1). */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
}

export type Details = Readonly<Record<string, string | number>>;

/** Extracts the values of a template's `{placeholders}` from a filled sentence; `null` if the sentence does not match. */
export function placesIn(template: string, sentence: string): Record<string, string> | null {
  const pattern = template
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 === 1 ? `(?<${piece}>.*?)` : piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  const found = new RegExp(`^${pattern}$`, 's').exec(sentence);
  return found && { ...found.groups };
}

/** Fills the `{placeholders}` of a message; one without a detail becomes empty. */
export const filled = (template: string, details: Details): string =>
  template.replace(/\{(\w+)\}/g, (_, key: string) => String(details[key] ?? ''));

/**
 * A failure with an entry in the catalogue. Services throw it; the HTTP layer converts it to an answer. It knows the
 * hosted API's errors, so that pages in a browser do not load the others; `AgentError` knows all.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  protected static readonly catalogue: Readonly<Record<string, ErrorSpec>> = hostedErrors;
  readonly error: HostedErrorName | HealthErrorName | AgentErrorName;
  readonly code: number;
  readonly status: number;
  readonly details: Details;

  constructor(error: HostedErrorName, details: Details = {}, options?: ErrorOptions) {
    const { code, status, message } = new.target.catalogue[error]!;
    super(filled(message, details), options);
    this.error = error;
    this.code = code;
    this.status = status;
    this.details = details;
  }

  get body(): ErrorBody {
    return { code: this.code, message: this.message };
  }
}
