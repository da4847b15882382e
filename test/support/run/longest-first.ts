import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, by a measured run; the others follow as the runner sorts them. One that begins last would keep
 * a single core busy while the others have nothing left.
 */
const longest: readonly string[] = [
  'e2e/renderer',
  'e2e/portal-sending',
  'e2e/portal-page',
  'e2e/download-page',
  'e2e/session-page',
  'e2e/automations-page',
  'e2e/workday',
  'e2e/account-pages',
  'faults/gateway-kills',
  'faults/automation-kill',
  'faults/transfer-kill',
  'faults/service-start',
  'faults/batch-put',
  'faults/cloud-transfers',
  'faults/gateway-mounts',
  'faults/state-writes',
  'faults/growing-kill',
  'faults/service-kill',
  'faults/cloud-imports',
  'faults/kills',
  'faults/outages',
  'contract/bad-input/bad-input',
  'integration/cli-crossing',
  'integration/start-once',
  'integration/bench',
  'integration/growing-files',
  'integration/gateway-mount-process',
  'integration/cli-control',
  'integration/engine-automation-writers',
  'integration/engine-queue',
  'integration/providers-s3',
  'integration/clouds',
  'integration/cli-commands',
  'integration/cli-admin',
  'integration/service/zips',
  'integration/gateway-flow',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const at = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? longest.length : at;
};

/** Runs the files of each project longest first, so that all workers end at about the same time. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Those of one project stay together: a worker that loads nothing anew serves one project only.
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((own) => own.toSorted((a, b) => rank(a) - rank(b)));
  }
}
