/** Arrows point downwards only: see docs/architecture.md. */
const below = {
  domain: [],
  chains: ['domain'],
  rpc: ['domain'],
  forks: ['rpc', 'domain'],
  executor: ['rpc', 'domain'],
  protocols: ['chains', 'domain'],
  catalog: ['protocols', 'chains', 'domain'],
  pricing: ['protocols', 'chains', 'domain'],
  routing: ['forks', 'protocols', 'pricing', 'catalog', 'executor', 'rpc', 'chains', 'domain'],
  sandbox: ['executor', 'protocols', 'chains', 'rpc', 'domain', 'forks'],
  backtest: ['chains', 'domain'],
  cassette: ['protocols', 'catalog', 'chains', 'rpc', 'domain'],
  api: ['domain'],
  testing: ['api', 'rpc', 'domain'],
  check: ['testing', 'api', 'domain'],
}
/** Small files of src/ itself that several layers may use. */
const shared = [
  'src/threads.ts',
  'src/package-folder.ts',
  'src/priority.ts',
  'src/log.ts',
  'src/metrics.ts',
  'src/config.ts',
  'src/yaml-file.ts',
]
const sharedBy = {
  rpc: 'threads|log',
  routing: 'threads|metrics',
  api: 'config|log|metrics|package-folder',
  forks: 'log|priority',
  sandbox: 'threads|package-folder',
  backtest: 'config|log|metrics',
  cassette: 'config|log|yaml-file',
  testing: 'local-service|config|log',
  check: 'config|yaml-file',
}

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '\\.test\\.ts$' },
      to: {},
    },
    ...Object.entries(below).map(([layer, allowed]) => ({
      name: `layer-${layer}`,
      severity: 'error',
      from: { path: `^src/${layer}/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(src|workers)/',
        pathNot: [
          `^src/${layer}/`,
          ...allowed.map((name) => `^src/${name}/`),
          ...(sharedBy[layer] ? [`^src/(${sharedBy[layer]})\\.ts$`] : []),
        ],
      },
    })),
    {
      name: 'protocols-know-nothing-of-each-other',
      severity: 'error',
      from: { path: '^src/protocols/([^/]+)/' },
      to: {
        path: '^src/protocols/[^/]+/',
        pathNot: ['^src/protocols/$1/', '^src/protocols/concentrated/'],
      },
    },
    {
      name: 'only-routing-forks-and-rpc-in-threads',
      severity: 'error',
      from: { path: '^workers/', pathNot: '^workers/sandbox\\.ts$' },
      to: { path: '^src/(api|cli|sandbox)/' },
    },
    {
      name: 'only-the-sandbox-in-its-thread',
      severity: 'error',
      from: { path: '^workers/sandbox\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(sandbox|domain)/' },
    },
    {
      name: 'shared-files-stay-leaves',
      severity: 'error',
      from: { path: shared.map((file) => `^${file.replace('.', '\\.')}$`) },
      to: { path: '^(src|workers)/', pathNot: '^src/((domain|chains)/|package-folder\\.ts$)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
  },
}
