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
    by: ['integration/service/crossing-s3', 'integration/service/connections-storage'],
  },
  {
    file: 'integration/image',
    provedBy: 'What the image holds, and that service and agent start by the commands that it has.',
    by: ['unit/resources/headless', 'integration/cli-crossing', 'integration/cli-commands'],
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
    file: 'integration/start-once',
    provedBy: 'The same crossing by the commands that it calls, and the parts of the start.',
    by: ['integration/cli-crossing', 'faults/service-start', 'unit/main/start/compare', 'unit/main/start/report'],
  },
  {
    file: 'integration/sdk',
    provedBy: 'The clients that it is made of, and how it checks signatures; whoever releases packs it.',
    by: ['unit/client/hosted', 'unit/client/agent', 'unit/sdk/webhooks', 'integration/service/webhook-deliveries'],
  },
  {
    file: 'integration/conformance',
    provedBy: 'Crossings and receipts between our own agents and service.',
    by: ['integration/engine-crossing', 'integration/receipts', 'integration/service/file-downloads'],
  },
  {
    file: 'integration/service/api-docs',
    provedBy: 'The calls that its pages show, by tests of these calls.',
    by: ['contract/openapi', 'integration/service/crossing', 'integration/service/portal-packages', 'unit/docs/docs'],
  },
  {
    file: 'integration/agent-api-keychain',
    provedBy: 'Where secrets are kept, by a keychain in memory; an agent without one.',
    by: ['unit/engine/secrets/secrets', 'integration/agent-api-secrets'],
  },
  {
    file: 'integration/service/objects-disk',
    provedBy: 'The first start in a folder and in a database that are there already.',
    by: ['unit/service/data-folder', 'integration/service/private-postgres', 'integration/service/s3'],
  },
  {
    file: 'integration/service/transfer-copies',
    provedBy: 'Copies at the server against its answers, and transfers without them.',
    by: ['unit/service/transfers/server-copies', 'unit/providers/s3/copies', 'integration/service/transfers'],
  },
  {
    file: 'integration/service/imports-rgw',
    provedBy: 'The same imports from a cloud in memory.',
    by: ['integration/service/imports', 'faults/import-kills'],
  },
  {
    file: 'integration/service/transfer-delivery',
    provedBy: 'The same delivery to a cloud in memory, and a crossing to a real S3.',
    by: ['unit/service/transfers/deliver', 'integration/service/transfers', 'integration/service/crossing-s3'],
  },
  {
    file: 'integration/service/transfers-role',
    provedBy: 'Sessions of a role against their answers, and credentials that end.',
    by: ['unit/providers/s3/role', 'integration/service/transfers-credentials'],
  },
  {
    file: 'faults/cloud-transfers',
    provedBy: 'Deliveries that are killed at each step in one process, and by two services at a real S3.',
    by: ['unit/service/transfers/kills', 'faults/transfer-kill'],
  },
  {
    file: 'faults/cloud-imports',
    provedBy: 'Imports that are killed at any step, from a cloud in memory.',
    by: ['faults/import-kills', 'integration/service/imports'],
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
    file: 'e2e/console/first-day',
    provedBy: 'Each of its steps on its own page: Team, storage, Portal, members, packages; and a crossing over a real S3.',
    by: [
      'e2e/console/team',
      'e2e/console/integrations',
      'e2e/console/portals',
      'e2e/console/members',
      'e2e/console/send',
      'e2e/account-pages',
      'e2e/portal-page',
      'e2e/download-page',
      'integration/service/crossing-s3',
    ],
  },
  {
    file: 'e2e/put-away-notices',
    provedBy: 'A notice that is put away on the page, and what the agent keeps of it.',
    by: ['e2e/settings-page', 'unit/engine/put-away'],
  },
  {
    file: 'e2e/portal-s3',
    provedBy: 'The same page over local storage, and a crossing over a real S3.',
    by: ['e2e/portal-page', 'integration/service/crossing-s3', 'integration/service/s3'],
  },
  {
    file: 'e2e/readable',
    provedBy: 'How the tests judge contrast, against axe; whoever changes that runs it.',
    by: ['e2e/renderer-scenes', 'e2e/account-pages'],
  },
  {
    file: 'e2e/looks',
    provedBy: 'How the tests look at a page; whoever changes that runs it.',
    by: ['e2e/renderer-scenes', 'unit/test-command/level'],
  },
  {
    file: 'e2e/profile',
    provedBy: 'How the tests share a browser; whoever changes that runs it.',
    by: ['e2e/renderer', 'e2e/attacker'],
  },
  {
    file: 'faults/growing-kill',
    provedBy: 'Agent and service that are killed under an upload, and files that grow under one.',
    by: ['faults/kills', 'faults/automation-kill', 'integration/growing-files'],
  },
  {
    file: 'faults/download-automation-kill',
    provedBy: 'The same of a watched folder, and automations that download without a kill.',
    by: ['faults/automation-kill', 'integration/engine-download-automations'],
  },
  {
    file: 'e2e/desktop-page',
    provedBy: 'What the app asks its page and is asked by it, and the forms of the page in a browser.',
    by: ['unit/electron/desktop', 'unit/electron/ipc', 'e2e/send-form', 'e2e/dropped-files'],
  },
  {
    file: 'e2e/docs',
    provedBy: 'The calls that the page of the API shows; whoever changes that page runs it.',
    by: ['contract/openapi', 'unit/docs/docs'],
  },
  {
    file: 'e2e/sso-sign-in',
    provedBy: 'The same sign-in of an agent without a page, of the console in a browser, and the page that signs in.',
    by: ['integration/engine-sso', 'e2e/console/sso', 'e2e/sign-in-page'],
  },
];
