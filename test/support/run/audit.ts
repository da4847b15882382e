/** What `npm audit --json` prints, as far as it is read here. */
export interface AuditReport {
  readonly vulnerabilities?: Readonly<
    Record<
      string,
      {
        readonly severity: string;
        readonly range: string;
        readonly fixAvailable?: boolean | { readonly name: string; readonly version: string };
        readonly via: readonly (string | { readonly url: string; readonly title: string; readonly severity: string })[];
      }
    >
  >;
  /** In place of the above, where the registry could not be asked. */
  readonly message?: string;
}

/** An advisory that does not reach us, for how long that is believed, and why. */
export interface Accepted {
  readonly url: string;
  /** A day, as 2027-01-31. */
  readonly until: string;
  readonly reason: string;
}

interface Verdict {
  readonly lines: readonly string[];
  readonly exitCode: 0 | 1;
}

/**
 * Judges a report: any advisory of a package that runs counts, unless it is accepted. Where nobody could be asked it passes,
 * and says so.
 *
 * @param today as 2027-01-31
 */
export function auditVerdict(report: AuditReport, accepted: readonly Accepted[], today: string): Verdict {
  if (report.vulnerabilities === undefined) {
    return { lines: [`No audit: the registry could not be asked (${report.message ?? 'no answer'}).`], exitCode: 0 };
  }
  const valid = new Set(accepted.filter(({ until }) => until >= today).map(({ url }) => url));
  const lines: string[] = [];
  for (const [name, { via, range, fixAvailable }] of Object.entries(report.vulnerabilities)) {
    for (const advisory of via) {
      // A name stands for a package below, which has its own entry.
      if (typeof advisory === 'string' || valid.has(advisory.url)) continue;
      const fix =
        typeof fixAvailable === 'object'
          ? `update ${fixAvailable.name} to ${fixAvailable.version}`
          : fixAvailable
            ? 'npm audit fix'
            : 'no fix yet';
      lines.push(`${advisory.severity}: ${name} ${range}: ${advisory.title} (${advisory.url}); ${fix}`);
    }
  }
  if (lines.length === 0) return { lines: ['No known faults in packages that run.'], exitCode: 0 };
  return { lines, exitCode: 1 };
}
