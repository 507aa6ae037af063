// The layer rule of the project as data for dependency-cruiser: who may import whom. Everything not named is forbidden.
const stage = ['admission', 'kinds', 'plan', 'source', 'bundle', 'dispatch', 'record'];

/** Folder of `src/` -> folders of `src/` it may import, itself aside. */
const mayImport = {
  contract: [],
  rules: ['contract'],
  views: ['contract'],
  engine: ['contract', 'rules', 'views'],
  pool: ['contract', 'engine'],
  config: ['contract'],
  git: ['contract'],
  telemetry: ['contract'],
  sandbox: ['contract'],
  ...Object.fromEntries(stage.map((name) => [name, ['contract']])),
  // The bundle's makers are pure and the order is about them; every other stage is a port to it.
  pipeline: ['contract', 'bundle'],
  app: ['contract', 'rules', 'engine', 'pool', 'config', 'git', 'telemetry', 'sandbox', ...stage, 'gate', 'pipeline'],
  // Reads a client's chat request as texts and writes it back blanked; app scans, judges and forwards.
  gate: ['contract'],
  // The browser's code: built for itself, shares the vocabulary's types.
  page: ['contract'],
  cli: ['contract', 'app', 'http', 'queue'],
  http: ['contract', 'app', 'queue'],
  queue: ['contract', 'app'],
};

const own = Object.entries(mayImport).map(([folder, others]) => ({
  name: `${folder}-imports-only-${['itself', ...others].join('-')}`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^(src|workers|bench|test)/', pathNot: `^src/(${[folder, ...others].join('|')})/` },
}));

export const layerRules = {
  forbidden: [
    ...own,
    {
      name: 'every-folder-of-src-is-named',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${Object.keys(mayImport).join('|')})/` },
      to: {},
    },
    {
      name: 'thread-imports-only-contract-rules-views-engine',
      severity: 'error',
      from: { path: '^workers/' },
      to: { path: '^(src|bench|test)/', pathNot: '^src/(contract|rules|views|engine)/' },
    },
    { name: 'nobody-imports-the-thread', severity: 'error', from: { path: '^src/' }, to: { path: '^workers/' } },
    {
      name: 'no-network-log-or-metrics-in-a-thread',
      severity: 'error',
      from: { path: '^workers/' },
      to: { path: 'node_modules/(undici|pino|prom-client)/', reachable: true },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
};

/** Fewer modules than this means that the check looked at nothing. */
export const fewestModules = 60;
