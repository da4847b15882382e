import { ScanError, type Verdict } from './ports.ts';

/**
 * What clamd's answer to `INSTREAM` says (clamd(8)). A file beyond `MaxFileSize` or `MaxScanSize` is "found" by a name of its
 * own where `AlertExceedsMax` is on: that is no virus, and not clean either. Errors: `ScanError`, `refused`.
 */
export function verdictOf(reply: string): Verdict {
  if (reply === 'stream: OK') return { kind: 'clean' };
  const virus = /^stream: (.+) FOUND$/s.exec(reply)?.[1];
  if (virus !== undefined)
    return virus.startsWith('Heuristics.Limits.Exceeded') ? { kind: 'too_large' } : { kind: 'infected', virus: oneLine(virus) };
  if (/size limit exceeded/i.test(reply)) return { kind: 'too_large' };
  throw new ScanError('refused', `The virus scanner answered: ${oneLine(reply)}`);
}

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 200);
