import type { DryRun } from '#protocol/agent/automations/dry-run.ts';
import type { UploadAutomation } from '../record.ts';
import { formsFor } from './forms.ts';
import { type LookPorts, look } from './look.ts';
import { named } from './ready-package.ts';
import type { SendPorts } from './send-package.ts';

const mostPackages = 200;
const mostPaths = 100;
const mostSkipped = 500;

/**
 * What an automation would send now. It is the decision of a pass, and changes nothing. How long a file is still is told
 * by its time, since nobody has looked before.
 */
export async function dryRunUpload(
  ports: Omit<LookPorts, 'ledger'> & SendPorts,
  record: UploadAutomation,
  signal: AbortSignal,
): Promise<DryRun> {
  const now = ports.now();
  const found = await look({ ...ports, ledger: ports.store.automations.ledger }, record, {
    stillness: () => (file) => Math.max(0, now - file.mtimeMs),
    contents: new Map(),
    namesKnown: true,
    signal,
  });
  const { packages: planned, waiting, skipped, known } = found.decision;
  const packages: DryRun['packages'] = [];
  const forms =
    planned.length > 0 ? await formsFor({ ...ports, questions: ports.store.automations.questions }, record, found.scan, signal) : null;
  for (const [index, one] of planned.slice(0, mostPackages).entries()) {
    const ready = named(record, one, record.facts.counter + 1 + index, now);
    const filled = await forms!.fill(ready);
    packages.push({
      name: ready.packageName,
      files: one.files.length,
      total_bytes: one.files.reduce((sum, { size }) => sum + size, 0),
      paths: one.files.slice(0, mostPaths).map(({ path }) => path),
      ...(filled.values === undefined ? {} : { form: filled.values }),
      ...(filled.missing.length === 0 ? {} : { missing_fields: filled.missing.map(({ name }) => name) }),
    });
  }
  const left = [...waiting, ...found.scan.leftOut, ...skipped, ...known].map(({ path, reason }) => ({ path, reason }));
  return {
    packages,
    skipped: left.slice(0, mostSkipped),
    truncated: planned.length > mostPackages || left.length > mostSkipped || planned.some(({ files }) => files.length > mostPaths),
  };
}
