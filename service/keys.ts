import { hkdfSync } from 'node:crypto';

/** Keys that more than one process of a service derives from its secret. */

/** Signs addresses of local storage. */
export const storageKey = (secret: Uint8Array): Uint8Array => derived(secret, 'longshore storage signatures');

/** Hides in the database what is counted of strangers (http/shared-buckets.ts). */
export const strangersKey = (secret: Uint8Array): Uint8Array => derived(secret, 'longshore what strangers do');

const derived = (secret: Uint8Array, purpose: string): Uint8Array => new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
