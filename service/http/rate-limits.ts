import { hash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { credentialSpecs } from '#protocol/credentials.ts';
import { ApiError } from '#protocol/errors.ts';
import type { HostedRouteName } from '#protocol/hosted/routes.ts';

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
  count(request: FastifyRequest, route: HostedRouteName): Promise<void>;
  /** Counts a refused credential, with the same error. */
  countRefusal(request: FastifyRequest): Promise<void>;
}

export async function createRateLimiter(app: FastifyInstance, limits: RequestLimits): Promise<RateLimiter> {
  await app.register(rateLimit, { global: false, cache: 50_000 });
  const limiter = (max: number, keyGenerator: (request: FastifyRequest) => string) =>
    app.createRateLimit({ max, timeWindow: minute, keyGenerator });
  const byAddress = limiter(limits.perAddress, (request) => request.ip);
  const byCredential = limiter(limits.perCredential, shownCredential);
  const refusals = limiter(limits.refusalsPerAddress, (request) => request.ip);
  const strict: Partial<Record<HostedRouteName, ReturnType<typeof limiter>>> = {
    auth: limiter(limits.signInsPerAddress, (request) => request.ip),
    openLink: limiter(limits.linksPerAddress, (request) => request.ip),
  };
  const apply = async (limit: ReturnType<typeof limiter>, request: FastifyRequest) => {
    const state = await limit(request);
    if (!state.isAllowed && state.isExceeded) throw new ApiError('rate_limited', { seconds: Math.max(1, state.ttlInSeconds) });
  };
  return {
    async count(request, route) {
      await apply(byAddress, request);
      await apply(byCredential, request);
      const own = strict[route];
      if (own) await apply(own, request);
    },
    countRefusal: (request) => apply(refusals, request),
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
