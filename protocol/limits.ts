/** Numbers of interface §8 and decisions, in bytes where not said otherwise. */
const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

export const limits = {
  defaultChunkSize: 100 * MiB,
  minChunkSize: 5 * MiB,
  maxChunkSize: 5 * GiB,
  maxChunkCount: 10_000,
  /** 10,000 chunks of 5 GiB. */
  maxFileSize: 10_000 * 5 * GiB,
  blueprintsPerCall: 1_000,
  /** Files that one batch call creates or finalizes. */
  filesPerBatch: 1_000,
  pageSize: 50,
  teamspacePackagesPageSize: 100,
  rulesPerFilter: 20,
  /** Values of one rule, each a regular expression. */
  valuesPerRule: 100,
  filterPatternLength: 1_000,
  /** Size of all of a filter's patterns together, repetitions multiplied out: keeps compiling and matching quick. */
  filterSteps: 10_000,
  filtersPerTeam: 1_000,
  connectionsPerTeam: 1_000,
  webhooksPerTeam: 1_000,
  formFields: 100,
  formOptions: 200,
  webhookHeaders: 50,
  webhookExtras: 50,
  portalConnections: 50,
  /** A private key in PEM is the longest. */
  authorizationValueLength: 16_384,
  /** How long a gateway waits for work in one poll. */
  gatewayPollSeconds: 60,
  portalExpiryDays: { min: -1, max: 65_535 },
  webhookAttempts: 5,
  /** How many attempts the list of a webhook's deliveries shows. */
  webhookDeliveriesListed: 100,
  downloadUrlSeconds: 7 * 24 * 3600,
  /** A blueprint must outlive a slow chunk: 5 GiB at 1 Mbit/s takes 12 hours. */
  blueprintSeconds: 24 * 3600,
  /** How long a download address stands when no expiry is asked for. */
  downloadUrlDefaultSeconds: 3600,
  userTokenSeconds: 30 * 24 * 3600,
  defaultExpiryDays: 10,
  bodyBytes: 4 * MiB,
  nameLength: 255,
  pathLength: 4_096,
  textLength: 10_000,
  recipients: 500,
  /** Their lists are not paged. */
  teamMembers: 5_000,
  teamspaceMembers: 1_000,
  passwordLength: { min: 8, max: 1_024 },
} as const;

/** Stands for an unset date-time (interface, opening). */
export const unsetDateTime = '0001-01-01T00:00:00.000Z';
