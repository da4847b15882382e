import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, by a measured run; the others follow as the runner sorts them. One that begins last would keep
 * a single core busy while the others have nothing left.
 */
const longest: readonly string[] = [
  'e2e/renderer',
  'e2e/portal-page',
  'e2e/download-page',
  'e2e/portal-sending',
  'e2e/session-page',
  'e2e/workday',
  'faults/gateway-kills',
  'faults/batch-put',
  'faults/service-start',
  'faults/batch-get',
  'faults/service-kill',
  'faults/kills',
  'faults/outages',
  'faults/queue-kill',
  'faults/service-pair-kill',
  'contract/bad-input/bad-input',
  'integration/cli-crossing',
  'integration/start-once',
  'integration/engine-queue',
  'integration/bench',
  'integration/service/zips',
  'integration/cli-control',
  'integration/cli-commands',
  'integration/cli-admin',
  'contract/bad-input/guessing',
  'integration/conformance',
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
