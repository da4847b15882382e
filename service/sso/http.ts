import { createOutboundHttp } from '../http/outbound.ts';
import type { SsoHttp } from './ports.ts';

/** A person waits for each answer, and a sign-in takes up to four of them. */
const timeoutMilliseconds = 8_000;

/** `allowPrivate`: providers may be in private networks, and without TLS. */
export const createSsoHttp = (allowPrivate: boolean, timeout = timeoutMilliseconds): SsoHttp => ({
  ...createOutboundHttp({ allowPrivate, timeoutMilliseconds: timeout }),
  allowsPlainHttp: allowPrivate,
});
