import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { addressKeyOf } from '#net/address-key.ts';
import { credentialSpecs } from '#protocol/credentials.ts';
import { ApiError } from '#protocol/errors.ts';
import type { HostedRouteName } from '#protocol/hosted/routes.ts';
import { type CountRequest, createFixedWindows } from './fixed-window.ts';
import type { CountStrictly, StrictWindows } from './strict-windows.ts';

/** Requests per minute. Generous for a busy agent, strict where secrets could be guessed. */
export interface RequestLimits {
  readonly perCredential: number;
  readonly perAddress: number;
  /** Sign-ins from one address, and from each known device (accounts/sign-in.ts). */
  readonly signInsPerAddress: number;
  /** Requests for a password reset from one address. */
  readonly passwordResetsPerAddress: number;
  /** Opened links from one address. */
  readonly linksPerAddress: number;
  /** Requests from one address with an invalid credential. */
  readonly refusalsPerAddress: number;
}

/** An agent sends small files at about 2,000 calls a second; this allows five times that. */
export const defaultRequestLimits: RequestLimits = {
  perCredential: 600_000,
  perAddress: 1_200_000,
  signInsPerAddress: 30,
  passwordResetsPerAddress: 10,
  linksPerAddress: 600,
  refusalsPerAddress: 120,
};

const minute = 60_000;
const credentialHeaders = [
  ...new Set(Object.values(credentialSpecs).flatMap((spec) => (spec.header === null ? [] : [spec.header.toLowerCase()]))),
];

const accessCodeHeader = credentialSpecs.access_code.header.toLowerCase();

interface RateLimiter {
  /** Counts a request. `rate_limited` (429) when there were too many. A promise for few routes only: most calls wait for none. */
  count(request: FastifyRequest, route: HostedRouteName): Promise<void> | undefined;
  /** Counts a refused credential. `rate_limited` (429) when there were too many. */
  countRefusal(request: FastifyRequest): Promise<void>;
}

/** All calls are counted by each process, and what is worth guessing at by all together. `now` is in milliseconds. */
export function createRateLimiter(limits: RequestLimits, windows: StrictWindows, now: () => number = Date.now): RateLimiter {
  const limiter = (max: number) => createFixedWindows(max, minute, now);
  const byAddress = limiter(limits.perAddress);
  const byCredential = limiter(limits.perCredential);
  const refusals = windows('refusals', limits.refusalsPerAddress);
  const strict: Partial<Record<HostedRouteName, CountStrictly>> = {
    requestPasswordReset: windows('password resets asked for', limits.passwordResetsPerAddress),
    // Each call computes a password hash, which takes memory and time.
    resetPassword: windows('password resets', limits.signInsPerAddress),
    acceptInvitation: windows('invitations accepted', limits.signInsPerAddress),
    openLink: windows('links opened', limits.linksPerAddress),
    createLinkCode: windows('link codes', limits.linksPerAddress),
  };
  const apply = (limit: CountRequest, key: string) => {
    const seconds = limit(key);
    if (seconds > 0) throw new ApiError('rate_limited', { seconds });
  };
  return {
    count(request, route) {
      const peer = addressKeyOf(request.ip) ?? request.ip;
      apply(byAddress, peer);
      apply(byCredential, shownCredential(request, peer));
      return strict[route]?.(peer);
    },
    countRefusal: (request) => refusals(addressKeyOf(request.ip) ?? request.ip),
  };
}

/**
 * The credential in the request, or the address if there is none. Hashed, so that long made-up credentials fill no
 * memory. An access code is shared by many people, so it is counted per address: none of them can use up the
 * limit of the others.
 */
function shownCredential(request: FastifyRequest, peer: string): string {
  for (const name of credentialHeaders) {
    const value = request.headers[name];
    if (typeof value !== 'string' || value === '') continue;
    return hash('sha256', name === accessCodeHeader ? `${peer} ${value}` : value, 'base64');
  }
  return peer;
}
