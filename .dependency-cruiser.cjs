/** The import directions of the house: which room may look into which. Held by `npm run check`. */
const rooms = [
  'protocol',
  'filesystem',
  'net',
  'client',
  'storage',
  'providers',
  'service',
  'engine',
  'agent-api',
  'main',
  'ui',
  'renderer',
  'web',
  'sdk',
  'test',
  'bench',
];
const mayLookInto = {
  protocol: [],
  filesystem: [],
  net: [],
  client: ['protocol'],
  storage: ['protocol', 'filesystem', 'net'],
  providers: ['protocol', 'filesystem', 'net'],
  engine: ['protocol', 'client', 'filesystem'],
  'agent-api': ['protocol', 'engine', 'filesystem', 'net'],
  service: ['protocol', 'storage', 'providers', 'filesystem', 'net'],
  ui: ['protocol'],
  renderer: ['protocol', 'client', 'ui'],
  web: ['protocol', 'client', 'ui'],
  sdk: ['protocol', 'client'],
  main: ['protocol', 'client', 'filesystem', 'net', 'storage', 'providers', 'engine', 'agent-api', 'renderer'],
};
/** Composition roots that start the service, or open its database, too (docs/decisions/0001). */
const startsTheService = '^main/(cli/commands/(service|admin)|start/)';

/** What the port (filesystem/port.ts) has no calls for, each with its reason. */
const besideThePort = [
  // SQLite opens the state's files itself: what looks at them, moves them aside and restricts them stays beside it.
  '^engine/state/(change-log|damage|database)\\.ts$',
  // Keys: files of a few bytes with permissions, in the agent's own folder.
  '^engine/secrets/(open-secrets|vault)\\.ts$',
];

const directions = Object.entries(mayLookInto).map(([room, allowed]) => ({
  name: `${room}-looks-only-into-${allowed.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `^${room}/`, pathNot: room === 'main' ? startsTheService : '^$' },
  to: { path: rooms.filter((other) => other !== room && !allowed.includes(other)).map((other) => `^${other}/`) },
}));

const only = (name, packages, allowed) => ({
  name,
  severity: 'error',
  from: { pathNot: allowed },
  to: { path: packages.map((one) => `^node_modules/${one}/`) },
});

module.exports = {
  forbidden: [
    ...directions,
    only('electron-only-in-main-electron', ['electron'], ['^main/electron/', '^test/']),
    only('fastify-only-at-the-edges', ['fastify', '@fastify'], ['^service/', '^agent-api/', '^bench/', '^test/']),
    only('react-only-in-pages', ['react', 'react-dom'], ['^ui/', '^renderer/', '^web/', '^test/']),
    {
      name: 'protocol-without-node',
      severity: 'error',
      from: { path: ['^(protocol|client|ui)/', '^sdk/(?!examples/|build\\.ts)'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'faults-only-in-tests',
      severity: 'error',
      from: { pathNot: ['^test/', '^filesystem/breaking/'] },
      to: { path: '^filesystem/breaking/' },
    },
    {
      name: 'disks-only-through-the-port',
      severity: 'error',
      from: { path: '^(engine|storage)/', pathNot: besideThePort },
      to: { path: '^(node:)?fs(/promises)?$' },
    },
    only('chokidar-only-behind-the-port', ['chokidar'], ['^filesystem/', '^test/']),
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // What was built from the sources.
    exclude: { path: '/dist/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json', '.css'],
      conditionNames: ['@longshore/source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
};
