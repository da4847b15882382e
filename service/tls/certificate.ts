import { X509Certificate } from 'node:crypto';
import { readTlsPair, type TlsFiles, type TlsPair, TlsPairError } from '#net/tls-pair.ts';
import { HealthError } from '#protocol/errors.ts';
import type { Health } from '../health.ts';
import type { Log } from '../log.ts';
import { StartError } from '../start-error.ts';

/** How often the files are read: one that is replaced by a link to another is found too, which watching would miss. */
const everyMilliseconds = 5_000;

export interface TlsOptions extends TlsFiles {
  readonly everyMilliseconds?: number;
}

export interface Certificate {
  /** As it is now. */
  readonly pair: TlsPair;
  /** When it ends. */
  readonly end: Date;
  /** From now on `use` gets each new pair that can be used. A broken one is told to log and health, and the last one stays. */
  follow(use: (pair: TlsPair) => void, told: { readonly log: Log; readonly health: Pick<Health, 'failed' | 'works'> }): void;
  close(): void;
}

const subject = 'certificate';

/** Reads the operator's certificate and key. Errors: `StartError`. */
export function openCertificate(options: TlsOptions): Certificate {
  let pair = first(options);
  let timer: NodeJS.Timeout | undefined;
  return {
    get pair() {
      return pair;
    },
    get end() {
      return new X509Certificate(pair.cert).validToDate;
    },
    follow(use, { log, health }) {
      const look = (): void => {
        try {
          const found = readTlsPair(options);
          health.works(subject);
          if (found.cert === pair.cert && found.key === pair.key) return;
          pair = found;
          use(pair);
          log.info({}, 'the certificate was read again: new connections have the new one');
        } catch (error) {
          if (!(error instanceof TlsPairError)) throw error;
          health.failed(subject, new HealthError('certificate_unusable', { detail: error.message }));
          log.error(
            { err: error.cause ?? error, file: options[error.file], reason: error.message, onceAMinute: 'certificate' },
            'the new certificate cannot be used: the one before is still served',
          );
        }
      };
      timer = setInterval(look, options.everyMilliseconds ?? everyMilliseconds);
      timer.unref();
    },
    close: () => clearInterval(timer),
  };
}

function first(files: TlsFiles): TlsPair {
  try {
    return readTlsPair(files);
  } catch (error) {
    if (!(error instanceof TlsPairError)) throw error;
    const flag = error.file === 'cert' ? '--tls-cert' : '--tls-key';
    const message = `${flag} ${files[error.file]} cannot be used: ${error.message}.`;
    throw new StartError('option_invalid', message, { cause: error });
  }
}
