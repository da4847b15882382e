/** Every limit of the contract (contract/conventions.md §11), in bytes unless noted otherwise. */
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
  /** Files in one batch call that creates or finalizes files. */
  filesPerBatch: 1_000,
  /** Batches of small files that one call gives blueprints for. */
  batchBlueprintsPerCall: 100,
  /** Ranges of the list of files in one zip. */
  rangesPerZip: 1_000,
  pageSize: 50,
  membersPageSize: 200,
  auditPageSize: 200,
  teamspacePackagesPageSize: 100,
  rulesPerFilter: 20,
  /** Values in one rule; each is a regular expression. */
  valuesPerRule: 100,
  filterPatternLength: 1_000,
  /** Names in one test of a filter. */
  filterTestNames: 1_000,
  /** Total size of a filter's patterns, with repetitions expanded. Keeps compiling and matching fast. */
  filterSteps: 10_000,
  /** Steps of the rules times characters of all names, in one test of a filter: some two seconds. */
  filterTestWork: 25_000_000,
  filtersPerTeam: 1_000,
  connectionsPerTeam: 1_000,
  webhooksPerTeam: 1_000,
  apiKeysPerTeam: 1_000,
  /** Of one package, disabled or not: this list has no pages. */
  linksPerPackage: 10_000,
  formFields: 100,
  formOptions: 200,
  /** Of the fields of a form, and of the answers to one, as JSON: each response keeps both. */
  formBytes: 256 * 1024,
  webhookHeaders: 50,
  webhookExtras: 50,
  portalConnections: 50,
  /** Transfers of one package, over or not. */
  transfersPerPackage: 100,
  /** Of these, those with single-use credentials: who has a link cannot use up all. */
  singleUseTransfersPerPackage: 20,
  /** The longest value is a private key in PEM. */
  authorizationValueLength: 16_384,
  /** Duration of a wait for packages. */
  packageWaitSeconds: 60,
  /** Duration of a gateway's long poll. */
  gatewayPollSeconds: 60,
  gatewaysPerTeam: 100,
  /** Tasks that a gateway may hold at once. */
  gatewayTasks: 1_000,
  /** A task that is not renewed for this long is handed out again. */
  gatewayLeaseSeconds: 15,
  /** A gateway that has not asked again so long after a poll's end is offline. */
  gatewayGraceSeconds: 7,
  portalExpiryDays: { min: -1, max: 65_535 },
  webhookAttempts: 5,
  /** Attempts in the list of a webhook's deliveries. */
  webhookDeliveriesListed: 100,
  downloadUrlSeconds: 7 * 24 * 3600,
  /** A blueprint must outlive a slow chunk: 5 GiB at 1 Mbit/s takes 12 hours. */
  blueprintSeconds: 24 * 3600,
  /** Default lifetime of a download address. */
  downloadUrlDefaultSeconds: 3600,
  userTokenSeconds: 30 * 24 * 3600,
  /** A browser's session ends this long after the sign-in, and after this long without a request. */
  browserSessionSeconds: { total: 30 * 24 * 3600, idle: 7 * 24 * 3600 },
  /** Sessions of one user; a further sign-in ends the one that was not used for the longest time. */
  sessionsPerUser: 200,
  defaultExpiryDays: 10,
  bodyBytes: 4 * MiB,
  /** Uploaded images; in a body they take a third more. */
  imageBytes: 2 * MiB,
  svgBytes: 256 * 1024,
  /** Of uploaded images, in pixels: on a side, and in all. */
  imageSide: 8_000,
  imagePixels: 16_000_000,
  imagesPerTeam: 500,
  nameLength: 255,
  emailLength: 254,
  pathLength: 4_096,
  textLength: 10_000,
  recipients: 500,
  /** Of a Team's policy. */
  recipientDomains: 500,
  teamMembers: 20_000,
  /** This list has no pages. */
  teamspaceMembers: 1_000,
  invitationSeconds: 7 * 24 * 3600,
  /** Mails with invitations in 24 hours. Two limits per address: from one Team, and from all. */
  invitationsPerTeamAndDay: 500,
  invitationsPerAddressAndDay: { fromOneTeam: 5, fromAll: 20 },
  /** Addresses in one call that asks for files, and such mails in 24 hours. */
  portalRequestRecipients: 50,
  portalRequestsPerTeamAndDay: 500,
  portalRequestsPerAddressAndDay: { fromOneTeam: 5, fromAll: 20 },
  passwordResetSeconds: 3600,
  /** Mails for a password reset that an account gets in an hour, whatever the number of requests. */
  passwordResetsPerHour: 3,
  emailChangeSeconds: 24 * 3600,
  /** Mails to new addresses that a user causes in an hour. */
  emailConfirmationsPerHour: 5,
  /** The code that proves a link's recipient: how long it is good, how many answers it takes, and the least pause between two. */
  linkCodeSeconds: 10 * 60,
  linkCodeDigits: 8,
  linkCodeGuesses: 5,
  linkCodePauseSeconds: 60,
  /** How long a link opens without another code for whoever gave one. */
  linkProofSeconds: 12 * 3600,
  /** Length of mailed tokens; ours have 43. */
  mailedTokenLength: 128,
  /** Length of X-Sender-Secret in characters: 16 random ones cannot be guessed. */
  senderSecretMinLength: 16,
  /** A code of an authenticator app is good for so many seconds, and for one step before and after. */
  totpStepSeconds: 30,
  /** How long a secret of an authenticator app waits to be confirmed. */
  totpEnrolmentSeconds: 15 * 60,
  passkeyChallengeSeconds: 5 * 60,
  passkeysPerUser: 20,
  /** How long a sign-in through a company may take, from its start to the provider's answer. */
  ssoFlowSeconds: 10 * 60,
  /** How long a program has to take its one-time code to the service. */
  ssoCodeSeconds: 60,
  ssoDomains: 100,
  ssoGroups: 200,
  /** How long a code stands by which an app goes on with what a page has begun. */
  handoverSeconds: 10 * 60,
  filesPerHandoverPart: 1_000,
  handoverParts: 1_000,
  /** Of all parts together: some 300,000 files. Whoever has a Portal's address can make the service keep them for an hour. */
  handoverBytes: 64 * 1024 * 1024,
  recoveryCodes: 10,
  passwordLength: { min: 8, max: 1_024 },
} as const;

/**
 * Files, parts and ranges of at most this many bytes are small: they are read, sent, received and written whole, and several
 * of them go in one batch request.
 */
export const smallFileSize = 256 * 1024;
