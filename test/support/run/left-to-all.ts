/** A file of tests that `npm test` leaves to `npm test -- --all`. */
interface LeftFile {
  /** Below `test/`, without its ending. */
  readonly file: string;
  /** What is proved by default in its place. */
  readonly provedBy: string;
  /** The files below `test/`, likewise, that prove it. */
  readonly by: readonly string[];
}

/**
 * Whole files that are further variants of what other files prove, or about what only whoever releases or measures does.
 * Single tests are left out where they stand (`inAll` in `support/level.ts`).
 */
export const leftToAll: readonly LeftFile[] = [
  {
    file: 'integration/bench',
    provedBy: 'What the bench reads, measures and writes; whoever measures runs it.',
    by: ['unit/bench/measure', 'unit/bench/report', 'unit/bench/gui-report', 'unit/bench/options'],
  },
  {
    file: 'integration/clouds',
    provedBy: 'A Portal upload lands in a real S3, and a connection is validated at each kind of server.',
    by: ['e2e/console/first-day', 'integration/service/connections-storage'],
  },
  {
    file: 'integration/image',
    provedBy: 'What the image holds, and that service and agent start by the commands that it has.',
    by: ['unit/resources/headless', 'integration/start-once', 'integration/cli-commands'],
  },
  {
    file: 'integration/desktop-bundle',
    provedBy: 'What is packed, and the parts of the app from their sources.',
    by: ['unit/electron/packaging', 'unit/electron/desktop', 'unit/electron/mount-process'],
  },
  {
    file: 'integration/release-installed',
    provedBy: 'What archives and packages hold; a soak alone installs them.',
    by: ['unit/main/release/contents', 'unit/resources/debian-scripts'],
  },
  {
    file: 'integration/providers-b2',
    provedBy: 'B2 by its own protocol against its answers, and S3 against a real server.',
    by: ['unit/providers/b2/conformance', 'integration/providers-s3'],
  },
  {
    file: 'integration/nginx-crossing',
    provedBy: 'Every answer of the storage through a real nginx, and crossings without one.',
    by: ['integration/storage-nginx', 'integration/engine-crossing'],
  },
  {
    file: 'integration/packed-s3',
    provedBy: 'Packed small files in a real S3, and those of a crossing on the local disk.',
    by: ['integration/storage-packed-s3', 'integration/packed-packages'],
  },
  {
    file: 'integration/engine-s3-small-files',
    provedBy: 'The same requests to local storage, and those of a crossing to a real S3.',
    by: ['faults/batch-put', 'integration/service/crossing-s3'],
  },
  {
    file: 'integration/service/package-list-large',
    provedBy: 'The same filters, sorts and pages of a short list.',
    by: ['integration/service/package-list'],
  },
  {
    file: 'integration/service/transfers-large',
    provedBy: 'The same transfer with a few files.',
    by: ['integration/service/transfers'],
  },
  {
    file: 'faults/gateway-agents',
    provedBy: 'Agents that are killed while files land in their mounts.',
    by: ['faults/gateway-kills', 'integration/gateway-flow'],
  },
  {
    file: 'e2e/workday',
    provedBy: 'A crossing by hand with a real agent, and each of its steps on its own page.',
    by: ['e2e/crossing', 'e2e/send-form', 'e2e/get-form', 'e2e/transfers-list', 'e2e/sign-in-page', 'e2e/settings-page'],
  },
  {
    file: 'e2e/long-transfer-list',
    provedBy: 'The same list of a few transfers, and which rows of a long one stand in the page.',
    by: ['e2e/transfers-list', 'e2e/transfer-rows'],
  },
  {
    file: 'e2e/portal-s3',
    provedBy: 'The same page over local storage, and a crossing over a real S3.',
    by: ['e2e/portal-page', 'integration/service/crossing-s3', 'integration/service/s3'],
  },
];
