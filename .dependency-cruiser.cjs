/** Arrows point downwards only: see docs/architecture.md. */
const below = {
  domain: [],
  chains: ['domain'],
  rpc: ['domain'],
  forks: ['rpc', 'domain'],
  executor: ['rpc', 'domain'],
  mined: ['executor', 'forks', 'rpc', 'chains', 'domain'],
  protocols: ['chains', 'domain'],
  bridges: ['executor', 'chains', 'domain'],
  catalog: ['protocols', 'chains', 'domain'],
  pricing: ['protocols', 'chains', 'domain'],
  'pool-index': ['protocols', 'rpc', 'chains', 'domain'],
  routing: [
    'bridges',
    'forks',
    'protocols',
    'pricing',
    'catalog',
    'pool-index',
    'executor',
    'rpc',
    'chains',
    'domain',
  ],
  engine: [
    'routing',
    'bridges',
    'forks',
    'protocols',
    'catalog',
    'executor',
    'rpc',
    'chains',
    'domain',
  ],
  sandbox: ['bridges', 'executor', 'protocols', 'chains', 'rpc', 'domain', 'forks'],
  backtest: ['chains', 'domain'],
  cassette: ['protocols', 'catalog', 'chains', 'rpc', 'domain'],
  doctor: ['bridges', 'executor', 'protocols', 'forks', 'rpc', 'chains', 'domain'],
  operations: [
    'processes',
    'doctor',
    'check',
    'cassette',
    'catalog',
    'pool-index',
    'engine',
    'forks',
    'protocols',
    'rpc',
    'chains',
    'domain',
  ],
  processes: ['domain'],
  api: ['processes', 'mcp', 'client', 'domain'],
  client: [],
  console: ['client'],
  mcp: ['client', 'domain'],
  testing: ['client', 'rpc', 'domain'],
  check: ['testing', 'api', 'domain'],
}
/**
 * Floors inside of a layer: what a folder may use of its own layer. Files of the layer itself, below which folders
 * stand, are named with their extension.
 */
const floors = {
  'rpc/node': [],
  'rpc/disk': [],
  'rpc/hints': ['node', 'disk'],
  'rpc/cassette': ['node'],
  'rpc/archive': ['node', 'disk', 'hints', 'cassette'],
  'routing/market': [],
  'routing/search': ['market'],
  'routing/context': ['market', 'messages.ts'],
  'routing/proof': ['context', 'search', 'market', 'messages.ts'],
  'routing/tasks': ['proof', 'context', 'search', 'market', 'messages.ts'],
  'routing/bundle': ['tasks', 'proof', 'context', 'search', 'market', 'messages.ts'],
  'backtest/stores': ['plan-json.ts', 'job-id.ts'],
  'backtest/engines': ['stores', 'plan-json.ts', 'retry.ts'],
  'backtest/outputs': [
    'summary.ts',
    'summary-cell.ts',
    'summary-deliveries.ts',
    'comparison.ts',
    'sample.ts',
  ],
  'backtest/files': ['stores', 'outputs'],
  'sandbox/contracts': ['venues/aave-v3-packages.ts'],
  'sandbox/chain': ['accounts.ts'],
  'sandbox/venues': ['market', 'chain', 'contracts', 'generated', '*.ts'],
  'sandbox/bridges': ['market', 'chain', 'contracts', 'generated', '*.ts'],
  'sandbox/relayer': ['bridges', '*.ts'],
  'sandbox/market': ['chain', 'contracts', 'generated', '*.ts'],
  'api/records': ['errors.ts'],
  'protocols/shared': ['pool.ts', 'pool-events.ts', 'positions.ts', 'protocol.ts'],
}
/** Small files of src/ itself that several layers may use. */
const shared = [
  'src/threads.ts',
  'src/package-folder.ts',
  'src/priority.ts',
  'src/log.ts',
  'src/metrics.ts',
  'src/tracing.ts',
  'src/tracer.ts',
  'src/config.ts',
  'src/config-chains.ts',
  'src/config-values.ts',
  'src/config-traces.ts',
  'src/config-backtests.ts',
  'src/yaml-file.ts',
  'src/sqlite.ts',
]
const sharedBy = {
  rpc: 'threads|log|sqlite|tracing|tracer',
  routing: 'tracing|tracer',
  engine: 'threads|metrics|tracing|tracer',
  api: 'config|log|metrics|package-folder|sqlite|tracing|tracer',
  mcp: 'package-folder',
  processes: 'log|metrics|priority|threads',
  forks: 'log|priority',
  sandbox: 'threads|package-folder',
  backtest: 'config|log|metrics|sqlite|threads|tracing|tracer',
  catalog: 'sqlite',
  'pool-index': 'sqlite|threads|log',
  cassette: 'config|log|yaml-file',
  doctor: 'config|log|sqlite',
  operations: 'config|log|package-folder',
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
    ...Object.entries(floors).map(([folder, allowed]) => {
      const [layer] = folder.split('/')
      const patterns = allowed.map((name) =>
        name.endsWith('.ts')
          ? `^src/${layer}/${name.replace('.', '\\.').replace('*', '[^/]+')}$`
          : `^src/${layer}/${name}/`,
      )
      return {
        name: `floor-${folder.replace('/', '-')}`,
        severity: 'error',
        from: { path: `^src/${folder}/`, pathNot: '\\.test\\.ts$' },
        to: { path: `^src/${layer}/`, pathNot: [`^src/${folder}/`, ...patterns] },
      }
    }),
    {
      name: 'protocols-know-nothing-of-each-other',
      severity: 'error',
      from: { path: '^src/protocols/([^/]+)/', pathNot: '^src/protocols/shared/' },
      to: {
        path: '^src/protocols/[^/]+/',
        pathNot: ['^src/protocols/$1/', '^src/protocols/shared/'],
      },
    },
    {
      name: 'bridges-know-nothing-of-each-other',
      severity: 'error',
      from: { path: '^src/bridges/([^/]+)/' },
      to: { path: '^src/bridges/[^/]+/', pathNot: '^src/bridges/$1/' },
    },
    {
      name: 'only-routing-forks-and-rpc-in-threads',
      severity: 'error',
      from: { path: '^workers/', pathNot: '^workers/(sandbox|reading)\\.ts$' },
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
      to: {
        path: '^(src|workers)/',
        pathNot:
          '^src/((domain|chains)/|(package-folder|config-chains|config-values|config-traces|config-backtests|opentelemetry|tracer)\\.ts$)',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.json'] },
  },
}
