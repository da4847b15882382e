import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { credentialSpecs } from '#protocol/credentials.ts';
import { ApiError } from '#protocol/errors.ts';
import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import { type CountIn, createWindows } from './windows.ts';

/** Requests per minute. Generous where a busy agent works, strict where somebody could guess. */
export interface RequestLimits {
  readonly perCredential: number;
  readonly perAddress: number;
  /** Sign-ins from one address. */
  readonly signInsPerAddress: number;
  /** Opened links from one address. */
  readonly linksPerAddress: number;
  /** Requests from one address with a credential that does not hold. */
  readonly refusalsPerAddress: number;
}

/** An agent sends small files at about 2,000 calls a second; this leaves five times that. */
export const defaultRequestLimits: RequestLimits = {
  perCredential: 600_000,
  perAddress: 1_200_000,
  signInsPerAddress: 30,
  linksPerAddress: 600,
  refusalsPerAddress: 120,
};

const minute = 60_000;
const credentialHeaders = [
  ...new Set(Object.values(credentialSpecs).flatMap((spec) => (spec.header === null ? [] : [spec.header.toLowerCase()]))),
];

export interface RateLimiter {
  /** Counts a request. `rate_limited` (429) when there were too many. */
  count(request: FastifyRequest, route: HostedRouteName): void;
  /** Counts a refused credential, with the same error. */
  countRefusal(request: FastifyRequest): void;
}

/** `now` is in milliseconds. */
export function createRateLimiter(limits: RequestLimits, now: () => number = Date.now): RateLimiter {
  const limiter = (max: number) => createWindows(max, minute, now);
  const byAddress = limiter(limits.perAddress);
  const byCredential = limiter(limits.perCredential);
  const refusals = limiter(limits.refusalsPerAddress);
  const strict: Partial<Record<HostedRouteName, CountIn>> = {
    auth: limiter(limits.signInsPerAddress),
    openLink: limiter(limits.linksPerAddress),
  };
  const apply = (limit: CountIn, key: string) => {
    const seconds = limit(key);
    if (seconds > 0) throw new ApiError('rate_limited', { seconds });
  };
  return {
    count(request, route) {
      apply(byAddress, request.ip);
      apply(byCredential, shownCredential(request));
      const own = strict[route];
      if (own) apply(own, request.ip);
    },
    countRefusal: (request) => apply(refusals, request.ip),
  };
}

/** The credential as shown, else the address. Hashed, so that long ones made up by somebody fill no memory. */
function shownCredential(request: FastifyRequest): string {
  for (const name of credentialHeaders) {
    const value = request.headers[name];
    if (typeof value === 'string' && value !== '') return hash('sha256', value, 'base64');
  }
  return request.ip;
}
