import { at, type ErrorSpec } from './code.ts';

/** What the service says of itself at `/healthz` and to its operators alone: no call is answered with it. */
export const healthErrors = {
  certificate_unusable: {
    code: at('storage', 11),
    status: 503,
    message: "The service's new certificate cannot be used: {detail}. The one before is still served.",
  },
  certificate_ends: {
    code: at('storage', 15),
    status: 503,
    message: "The service's certificate is good until {date} only. Put a new one into its files: it is read by itself.",
  },
  scanner_unavailable: {
    code: at('storage', 14),
    status: 503,
    message: 'The virus scanner does not answer: {detail} Files wait to be scanned; look at clamd, and at --clamd-url.',
  },
  storage_damaged: {
    code: at('storage', 13),
    status: 503,
    message: '{count} stored files are missing or damaged. `longshore admin check --deep` on the machine of the storage names them.',
  },
} as const satisfies Record<string, ErrorSpec>;

export type HealthErrorName = keyof typeof healthErrors;
