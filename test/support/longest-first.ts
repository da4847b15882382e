import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, by a measured run; the others follow as the runner sorts them. One that begins last would keep
 * a single core busy while the others have nothing left.
 */
const longest: readonly string[] = [
  'e2e/portal-page',
  'e2e/download-page',
  'e2e/portal-sending',
  'e2e/renderer',
  'faults/many-parts',
  'faults/service-start',
  'faults/service-pair-kill',
  'faults/queue-kill',
  'contract/bad-input/bad-input',
  'integration/start-once',
  'integration/cli-crossing',
  'integration/bench',
  'integration/cli-admin',
  'integration/cli-control',
  'integration/engine-queue',
  'integration/service/zips',
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
