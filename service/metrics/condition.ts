import { Gauge, type Registry } from 'prom-client';
import type { DiskRoom } from '../disks.ts';
import type { HealthProblem } from '../health.ts';
import type { Integrity } from '../integrity/check-state.ts';
import { findingKinds } from '../integrity/finding.ts';
import type { ScanCondition } from '../viruses/condition.ts';

/** How this process and what it stands on are at the moment. */
export interface ConditionSources {
  readonly problems: () => Promise<readonly HealthProblem[]>;
  readonly disks: () => Promise<readonly DiskRoom[]>;
  /** Since when the oldest job that is due waits; null if none does. */
  readonly oldestDue: () => Promise<Date | null>;
  /** When the certificate ends that is served now; null without one. */
  readonly certificateEnd: () => Date | null;
  readonly integrity: () => Promise<Integrity>;
  /** When the newest backup was begun that this data folder knows of. */
  readonly lastBackup: () => Promise<Date | null>;
  /** Null where nothing scans for viruses. */
  readonly scans: () => Promise<ScanCondition | null>;
  readonly now: () => Date;
}

/** Adds gauges that are read at each look. One that cannot be read is left out of that look, not told as it was before. */
export function addConditionGauges(registry: Registry, prefix: string, sources: ConditionSources): void {
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: (set: (value: number, labels?: Partial<Record<Label, string>>) => void) => Promise<void> | void,
  ) =>
    new Gauge({
      name: prefix + name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset();
        // Without labels a reset is a zero.
        if (labelNames.length === 0) this.remove();
        try {
          await read((value, labels) => (labels ? this.set(labels as never, value) : this.set(value)));
        } catch {
          // What cannot be read shows by its absence, and the rest is told.
        }
      },
    });

  gauge('problems', 'Problems that /healthz tells of, by their error: 1 each.', ['error'], async (set) => {
    for (const { error } of await sources.problems()) set(1, { error });
  });
  gauge('disk_free_bytes', 'Free room on each disk of this machine, by what lies on it.', ['holds'], async (set) => {
    for (const { holds, free } of await sources.disks()) set(free, { holds: holds.join(',') });
  });
  gauge('disk_size_bytes', 'Size of each disk of this machine, by what lies on it.', ['holds'], async (set) => {
    for (const { holds, total } of await sources.disks()) set(total, { holds: holds.join(',') });
  });
  gauge('oldest_due_job_seconds', 'For how long the oldest job that is due has waited, of all processes.', [], async (set) => {
    const since = await sources.oldestDue();
    set(since ? Math.max(0, (sources.now().getTime() - since.getTime()) / 1000) : 0);
  });
  gauge('certificate_expiry_timestamp_seconds', 'When the certificate ends that is served now. Absent without --tls-cert.', [], (set) => {
    const end = sources.certificateEnd();
    if (end) set(end.getTime() / 1000);
  });
  const scans = (name: string, help: string, read: (scans: ScanCondition) => number) =>
    gauge(`virus_${name}`, `${help}, of all processes. Absent without --clamd-url.`, [], async (set) => {
      const condition = await sources.scans();
      if (condition) set(read(condition));
    });
  scans('scans_waiting', 'Packages that wait to be scanned for viruses', ({ waiting }) => waiting);
  scans('scan_oldest_seconds', 'For how long the first of these packages has waited', ({ oldest }) =>
    oldest ? Math.max(0, (sources.now().getTime() - oldest.getTime()) / 1000) : 0,
  );
  scans('infected_files', 'Files in which a virus was found within 24 hours', ({ infected }) => infected);
  gauge('integrity_findings', 'What deep checks of local storage have found and none has found mended, by kind.', ['kind'], async (set) => {
    const { counts } = await sources.integrity();
    for (const kind of findingKinds) set(counts[kind] ?? 0, { kind });
  });
  gauge(
    'integrity_checked_timestamp_seconds',
    'When the last deep check of local storage came to its end; 0 if none has.',
    [],
    async (set) => {
      const { last } = await sources.integrity();
      set(last ? Date.parse(last.ended_at) / 1000 : 0);
    },
  );
  gauge(
    'integrity_begun_timestamp_seconds',
    'When the deep check began that has not ended yet. Absent if there is none.',
    [],
    async (set) => {
      const { begun } = await sources.integrity();
      if (begun) set(Date.parse(begun) / 1000);
    },
  );
  gauge(
    'backup_timestamp_seconds',
    'When the newest backup was begun that this data folder knows of. Absent without one.',
    [],
    async (set) => {
      const at = await sources.lastBackup();
      if (at) set(at.getTime() / 1000);
    },
  );
}
