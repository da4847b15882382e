/** How one thing is that the service stands on. `warn`: it works, and will hurt. `fail`: it does not work. */
export interface Diagnosis {
  readonly about: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** What was seen, as a sentence without secrets. */
  readonly seen: string;
  /** What to do; absent where there is nothing. */
  readonly action?: string;
}

/** The settings of a service that are looked at. They are its own options (options.ts). */
export interface DoctorOptions {
  readonly dataDir: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly storageListen?: { readonly host: string; readonly port: number };
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly databaseUrl?: string;
  readonly storageUrl?: string;
  readonly smtpUrl?: string;
  readonly mailFrom?: string;
  readonly clamdUrl?: string;
  readonly publicUrl?: string;
  readonly storagePublicUrl?: string;
  readonly trustProxy?: string;
  readonly proxyProtocol?: 'api' | 'storage' | 'all';
  readonly allowPrivateWebhooks: boolean;
}

export const ok = (about: string, seen: string): Diagnosis => ({ about, status: 'ok', seen });
export const warn = (about: string, seen: string, action: string): Diagnosis => ({ about, status: 'warn', seen, action });
export const fail = (about: string, seen: string, action: string): Diagnosis => ({ about, status: 'fail', seen, action });

/** Seconds by which this machine's clock is ahead of another's, which it told at `told` (ms) amid a call. */
export const clockAhead = (begun: number, told: number, ended: number): number => ((begun + ended) / 2 - told) / 1_000;

/** `tolerance`: what cannot be told from the time that the call took, or from whole seconds. */
export function clockDiagnosis(whose: string, ahead: number, tolerance: number): Diagnosis {
  const by = Math.round(Math.abs(ahead) * 10) / 10;
  const seen = `This machine's clock is ${by} s ${ahead > 0 ? 'ahead of' : 'behind'} that of ${whose}.`;
  const action = 'Set both by a time server (chrony, systemd-timesyncd): addresses that are signed, and sessions, end by the clock.';
  if (by <= tolerance) return ok('clock', `This machine's clock and that of ${whose} agree.`);
  return by > 60 ? fail('clock', seen, action) : warn('clock', seen, action);
}
