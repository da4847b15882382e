import { type AgentErrorName, agentErrors } from './errors/agent.ts';
import { ApiError, type Details, filled } from './errors/api-error.ts';
import type { ErrorSpec } from './errors/code.ts';
import { type HealthErrorName, healthErrors } from './errors/health.ts';
import { type HostedErrorName, hostedErrors } from './errors/hosted.ts';

export { ApiError, type ErrorBody, placesIn } from './errors/api-error.ts';

/** Every error of both APIs. What runs in a visitor's browser imports `errors/hosted.ts` and `errors/api-error.ts` instead. */
export const errorCatalogue = { ...hostedErrors, ...healthErrors, ...agentErrors } satisfies Record<string, ErrorSpec>;

export type ErrorName = HostedErrorName | HealthErrorName | AgentErrorName;

const nameByCode: ReadonlyMap<number, ErrorName> = new Map(
  (Object.keys(errorCatalogue) as ErrorName[]).map((name) => [errorCatalogue[name].code, name]),
);

/** The catalogue's entry of a code; `undefined` for an unknown code, for example from a newer service. */
export const errorOf = (code: number): ErrorName | undefined => nameByCode.get(code);

/** Fills the `{placeholders}` of a catalogue message; one without a detail becomes empty. */
export const errorMessage = (name: ErrorName, details: Details = {}): string => filled(errorCatalogue[name].message, details);

/** A failure with any of the entries, as the agent and its local API have them. */
export class AgentError extends ApiError {
  protected static override readonly catalogue = errorCatalogue;

  constructor(error: ErrorName, details?: Details, options?: ErrorOptions) {
    super(error as HostedErrorName, details, options);
  }
}

/** What is wrong with the service itself, for `/healthz` and operators. */
export class HealthError extends ApiError {
  protected static override readonly catalogue = errorCatalogue;

  constructor(error: HealthErrorName, details?: Details, options?: ErrorOptions) {
    super(error as unknown as HostedErrorName, details, options);
  }
}
