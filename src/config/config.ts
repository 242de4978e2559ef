/**
 * Configuration from the environment: one schema, read once at start, every mistake listed at once.
 * An empty variable counts as not set.
 */
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { chainById } from '../chains/registry.js'
import type { DeclaredVenue } from '../domain/declared-venue.js'
import type { DataFeeUse, ProofMode, V4HooksUse } from '../domain/router-settings.js'
import { type BacktestsConfig, backtestsOf, backtestsVariables } from './backtests.js'
import { perChain } from './chains.js'
import { type MakerSource, readMakersFile } from './makers.js'
import {
  type NodesConfig,
  nodesProblem,
  nodesVariables,
  trustedBlocksOf,
  verifyStateOf,
} from './nodes.js'
import { type TracesConfig, tracesOf, tracesVariables } from './traces.js'
import { integer, isHttpUrl, isOrigin, isOverlayUrl, list, oneOf, urlOf, usd } from './values.js'
import { readVenuesFile } from './venues.js'

const apiDialects = ['specification', 'family'] as const
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export interface Config extends NodesConfig {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Absolute path. */
  readonly dataDir: string
  /** Absolute path of the folder whose cassettes the interface shows and checks. */
  readonly cassettesDir: string
  readonly authMode: 'key' | 'open'
  /** Node URLs by chain id, in order of preference; they may carry secrets. Empty: the sandbox plays the chains. */
  readonly rpcUrls: Readonly<Record<number, readonly string[]>>
  /** Where overlays of each chain's next block come from: a path or a URL, which may carry a secret. */
  readonly overlays: Readonly<Record<number, { readonly source: string }>>
  /** Time between two questions for an overlay by HTTP. */
  readonly overlayPollMs: number
  /** Chains that the sandbox plays where no node is given; null: as each command needs them. */
  readonly sandboxChains: readonly number[] | null
  readonly forksPerBlock: number
  /** That serve the port, each with its own threads and forks. */
  readonly processes: number
  /** Worker threads of a process. */
  readonly workers: number
  /** Candidates that are simulated per request. */
  readonly candidates: number
  readonly maxHops: number
  readonly proof: ProofMode
  /** Whether routes are compared after what rollups charge for their bytes. */
  readonly dataFee: DataFeeUse
  /** Whether answers say what may move in their pools although nobody trades. */
  readonly cautions: boolean
  /** Files or http(s) URLs in the token-lists standard; empty: the list of the npm package. */
  readonly tokenLists: readonly string[]
  /** Prefix of wire identifiers, such as svc in svcwallet-v2. */
  readonly serviceName: string
  /** Whose reading answers have where the specification and published clients differ. */
  readonly apiDialect: (typeof apiDialects)[number]
  /** Whether answers say where they were simulated and how long they hold: not in replays of cassettes without that. */
  readonly marksAnswers: boolean
  /**
   * Whether more of a pool's state is read where an amount goes beyond what is known: not in replays of cassettes that do not
   * hold it.
   */
  readonly widensPools: boolean
  /**
   * Whether pairs with a token whose balances change by themselves are quoted by what they hold: not in replays of cassettes
   * that do not hold it.
   */
  readonly countsHoldings: boolean
  /**
   * Whether a pool of which a part cannot be read is used up to it: not in replays of cassettes that do not hold what finds
   * that amount.
   */
  readonly boundsPools: boolean
  /** Whether swaps that several inputs share are made once: not in replays of cassettes recorded before. */
  readonly mergesInputs: boolean
  /** Whether a stated output is searched again without pools that broke their promise: not in replays of cassettes recorded before. */
  readonly narrowsSearches: boolean
  /** Whether tokens of positions are known to rebase in pools of others: not in replays of cassettes recorded before. */
  readonly findsRebases: boolean
  /** Whether V4_HOOKS counts for hooks of Balancer V3, too: not in replays of cassettes recorded before. */
  readonly runsBalancerHooks: boolean
  /** False: pools of Balancer V3 with hooks and more than four tokens are left out. */
  readonly runsHooksOfMany: boolean
  /** Whether fees that depend on the order in a block are quoted as the dearer: not in replays of cassettes recorded before. */
  readonly countsFeeOrder: boolean
  readonly logLevel: (typeof logLevels)[number]
  /** Allowed browser origins, `*` for all; empty: CORS is off. */
  readonly corsOrigins: readonly string[]
  /**
   * Hosts besides this machine's under which the Model Context Protocol is served, and whether it starts and cancels
   * backtests.
   */
  readonly allowedHosts: readonly string[]
  readonly mcp: { readonly mayChange: boolean }
  readonly rateLimitPerMinute: number
  /** Calculations at the same time; requests beyond that get a 503. */
  readonly maxInFlight: number
  /** Streams open at the same time, in total and per caller. */
  readonly maxStreams: number
  readonly maxStreamsPerKey: number
  /** A stream of transfers is closed after so long. */
  readonly maxStreamSeconds: number
  /** A stream is closed when its client leaves more than this unread. */
  readonly streamBufferBytes: number
  readonly bodyLimitBytes: number
  /** A request that takes longer gets a 504. */
  readonly requestTimeoutMs: number
  /** How long a shutdown waits for requests in flight. */
  readonly shutdownTimeoutMs: number
  /** Number of reverse proxies in front whose x-forwarded-for is trusted. */
  readonly trustProxyHops: number
  /** Slugs of exchanges that no route uses, lower-case. */
  readonly disabledAggregators: readonly string[]
  /** Pool ids or addresses that are never used, lower-case. */
  readonly poolBlacklist: readonly string[]
  /** Whether pools of Uniswap V4 with other hooks than those of the list are run and used. */
  readonly v4Hooks: V4HooksUse
  /** Hooks of Uniswap V4 whose pools are used, lower-case. */
  readonly v4HooksAllowlist: readonly string[]
  /** Absolute path of the file that names makers, and the makers, with secrets; null: there is none. */
  readonly makersFile: string | null
  readonly makers: readonly MakerSource[]
  /** Time between two questions for levels by HTTP. */
  readonly makerPollMs: number
  /** How long a maker may take to sign. */
  readonly makerSignMs: number
  /** Absolute path of the file that declares venues, and what it declares; null: there is none. */
  readonly venuesFile: string | null
  readonly venues: readonly DeclaredVenue[]
  /** Whether routes use the index of all pools, which the service keeps up to date. */
  readonly poolIndex: boolean
  /** USD that a pool must trade before its price moves 2 %; 0: every pool is used. */
  readonly liquidityFloorUsd: number
  /** A snapshot of positions older than this is renewed. */
  readonly positionsMaxAgeSeconds: number
  /** USD that a position must hold to be an opportunity; null: opportunities are off. */
  readonly opportunitiesMinTvlUsd: number | null
  readonly backtests: BacktestsConfig
  /** Redis with the queue that workers share; null: backtests run in this process. May carry a password. */
  readonly redisUrl: string | null
  /** Port of a worker for probes and metrics; null: it opens none. */
  readonly workerPort: number | null
  /** Postgres that stores backtests; null: SQLite in the data folder. May carry a password. */
  readonly databaseUrl: string | null
  /** 1/10_000 of a deposit that a relayer of Across is left, besides what the delivery costs. */
  readonly acrossFeeBps: number
  /** USD that one deposit to Across may be worth; null: no limit. */
  readonly acrossMaxUsd: number | null
  /** Where CCTP's attestations are read, without a slash at its end; null: nowhere but at the own sandbox. */
  readonly cctpAttestationUrl: string | null
  /** Wei per gas that senders add to the base fee, by chain id; absent: the chain's own figure. */
  readonly priorityFeePerGas: Readonly<Record<number, bigint>>
  /** Null: nothing is traced. */
  readonly traces: TracesConfig | null
}

/** The user's input is not usable. `problems` are sentences that leave out values which may be secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** @param what - where the mistakes are: the environment, a file, or an option of a command. */
  constructor(
    readonly problems: readonly string[],
    what: 'configuration' | 'command line' | 'file' = 'configuration',
  ) {
    const list = problems.map((text) => `\n  - ${text}`).join('')
    super(`The ${what} is not valid:${problems.length === 1 ? ` ${problems[0]}` : list}`)
  }
}

/**
 * Twice what a thread works on at a time: under any load an answer then takes about twice as long as at full capacity.
 */
const inFlightPerWorker = 16

const mostThreads = 8

function threadsOf(processes: number): number {
  return Math.max(1, Math.min(mostThreads, Math.floor(availableParallelism() / processes)))
}

/** Variables by name; docs/reference/configuration.md is generated from it. */
export const environment = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: integer(3000, 0, 65_535).describe('Port to listen on; 0: any free one, printed at start.'),
  DATA_DIR: z
    .string()
    .default('./data')
    .describe(
      'Folder of keys, catalog, backtests and cached chain state; nothing else is written.',
    ),
  CASSETTES_DIR: z
    .string()
    .optional()
    .describe(
      'Folder of the cassettes that the interface lists, checks and runs suites on; nothing is written there. Default: `cassettes` in DATA_DIR.',
    ),
  AUTH_MODE: oneOf(['key', 'open'], 'key').describe('`key`: an API key is needed; `open`: none.'),
  FORKS_PER_BLOCK: integer(2, 1, 64).describe('Anvil forks per chain and block.'),
  PROCESSES: integer(1, 1, 64).describe(
    'Processes that serve the port, each with WORKERS threads and forks of its own (docs/how-to/scaling.md).',
  ),
  WORKERS: integer(1, 1, 256)
    .removeDefault()
    .optional()
    .describe(
      'Threads of a process that search and simulate. Default: one per core, shared among PROCESSES, 8 at most.',
    ),
  CANDIDATES: integer(24, 1, 512).describe('Candidates that are simulated per request.'),
  PROOF: oneOf(['all', 'adaptive'], 'all').describe(
    '`all`: every candidate is simulated; `adaptive`: only those that could become the answer, where a request says nothing else.',
  ),
  L1_DATA_FEE: oneOf(['ranked', 'shown'], 'ranked').describe(
    '`ranked`: on rollups routes are compared after what L1 charges for their bytes, too; `shown`: that stands in gasCost alone.',
  ),
  CAUTIONS: oneOf(['on', 'off'], 'on').describe(
    '`on`: answers say what may move in their pools although nobody trades there; `off`: they do not.',
  ),
  MAX_HOPS: integer(3, 1, 4).describe('Swaps in a row at most.'),
  TOKEN_LISTS: list.describe(
    'Files or URLs in the token-lists standard. Default: the list of @uniswap/default-token-list, which is under GPL-3.0-or-later.',
  ),
  SERVICE_NAME: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, 'must be 1 to 16 lower-case letters or digits, a letter first')
    .default('svc')
    .describe('The word inside wire identifiers, such as svc in svcwallet-v2.'),
  API_DIALECT: oneOf(apiDialects, 'specification').describe(
    '`specification`: answers as docs/reference/api.md has them; `family`: as published clients of this family of APIs read them, where those differ (docs/reference/api.md#dialects).',
  ),
  LOG_LEVEL: oneOf(logLevels, 'info').describe(`One of ${logLevels.join(', ')}.`),
  CORS_ORIGINS: list
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins such as https://app.example.org (scheme, host, port; no path), or *',
    )
    .describe('Browser origins that may call the API, or `*`. Default: none.'),
  ALLOWED_HOSTS: list.describe(
    'Host names by which /mcp and, in open mode, everything may be asked, and from whose pages, besides this machine and addresses. Default: none.',
  ),
  MCP_BACKTESTS: oneOf(['read', 'run'], 'read').describe(
    '`run`: tools of the Model Context Protocol start and cancel backtests, too.',
  ),
  RATE_LIMIT_PER_MINUTE: integer(600, 1, 10_000_000).describe(
    'Requests per minute and key; per client address in open mode.',
  ),
  MAX_IN_FLIGHT: integer(1, 1, 10_000)
    .removeDefault()
    .optional()
    .describe(
      `Calculations at the same time, at most; more are answered 503. Under load fewer are let in (docs/explanation/reliability.md). Default: ${inFlightPerWorker} for each of WORKERS.`,
    ),
  MAX_STREAMS: integer(64, 0, 10_000).describe('Streams at the same time; more are answered 503.'),
  MAX_STREAMS_PER_KEY: integer(8, 0, 10_000).describe(
    'Streams of one key at the same time (of one address in open mode); more are answered 429.',
  ),
  MAX_STREAM_SECONDS: integer(3_600, 1, 604_800).describe(
    'A stream of transfers over bridges is closed after so long; clients open it again.',
  ),
  STREAM_BUFFER_BYTES: integer(1_048_576, 1_024, 1_073_741_824).describe(
    'A stream whose client leaves more than this unread is closed.',
  ),
  BODY_LIMIT_BYTES: integer(262_144, 1_024, 16_777_216).describe('Longest request body.'),
  REQUEST_TIMEOUT_MS: integer(65_000, 1_000, 600_000).describe(
    'An answer that is not ready by then is a 504.',
  ),
  SHUTDOWN_TIMEOUT_MS: integer(15_000, 0, 600_000).describe(
    'Time that a stop leaves to what is in flight.',
  ),
  TRUST_PROXY_HOPS: integer(0, 0, 16).describe(
    'Reverse proxies in front, whose x-forwarded-for is believed.',
  ),
  DISABLED_AGGREGATORS: list
    .transform((slugs) => [...new Set(slugs.map((slug) => slug.toLowerCase()))].sort())
    .describe('Exchanges that no route uses and /aggregators does not list, by their slugs there.'),
  POOL_BLACKLIST: list
    .transform((ids) => ids.map((id) => id.toLowerCase()))
    .refine(
      (ids) => ids.every((id) => /^0x([0-9a-f]{40}|[0-9a-f]{64})$/.test(id)),
      'must be pool addresses (20 bytes) or pool ids (32 bytes), comma-separated',
    )
    .describe('Pools (addresses or ids) that are never used.'),
  V4_HOOKS: oneOf(['run', 'listed'], 'run').describe(
    '`run`: pools of Uniswap V4 and Balancer V3 with hooks are run on the fork, and used where the hooks are steady. `listed`: only those of V4_HOOKS_ALLOWLIST are used.',
  ),
  V4_HOOKS_ALLOWLIST: list
    .transform((hooks) => hooks.map((each) => each.toLowerCase()))
    .refine(
      (hooks) => hooks.every((each) => /^0x[0-9a-f]{40}$/.test(each)),
      'must be addresses of hooks (20 bytes), comma-separated',
    )
    .describe(
      'Hooks of Uniswap V4 whose pools are used without running them before. Default: none.',
    ),
  MAKERS: z
    .string()
    .optional()
    .describe(
      'File in YAML or JSON that names makers who sign when they are asked (docs/how-to/makers.md). Default: none.',
    ),
  MAKER_POLL_MS: integer(250, 20, 60_000).describe(
    'Time between two questions for the levels of a maker by HTTP.',
  ),
  MAKER_SIGN_MS: integer(500, 10, 10_000).describe(
    'How long a maker may take to sign. One that takes longer is left out of the answer.',
  ),
  VENUES: z
    .string()
    .optional()
    .describe(
      'File in YAML or JSON that declares venues without code (docs/how-to/venues.md). Default: none.',
    ),
  POOL_INDEX: oneOf(['off', 'on'], 'off').describe(
    '`on`: routes use the index of all pools, which the service builds and keeps up to date by the events of its nodes.',
  ),
  LIQUIDITY_FLOOR_USD: usd(0).describe(
    'USD that a pool must trade before its price moves 2 %; 0: every pool is used.',
  ),
  ACROSS_FEE_BPS: integer(5, 0, 1_000).describe(
    'Basis points of a deposit that a relayer of Across is left, besides what the delivery costs: no chain says what they want.',
  ),
  ACROSS_MAX_USD: usd(0)
    .removeDefault()
    .refine((value) => value > 0, 'must be above 0')
    .optional()
    .describe(
      'USD that one deposit to Across may be worth: no chain says what relayers have. Default: no limit.',
    ),
  CCTP_ATTESTATION_URL: urlOf(
    ['https:', 'http:'],
    'must be an http(s) URL such as https://iris-api.circle.com',
  ).describe(
    'Service of Circle, or of its form, that is asked for attestations of CCTP, and for the allowance of fast transfers. Default: nobody is asked.',
  ),
  POSITIONS_MAX_AGE_SECONDS: integer(300, 1, 86_400).describe(
    'Positions, their TVL and APY that are older are read again, while the old ones are served.',
  ),
  OPPORTUNITIES: oneOf(['off', 'on'], 'off').describe(
    '`on`: /opportunities ranks the positions that an address or a token can enter; `off`: it answers 503.',
  ),
  OPPORTUNITIES_MIN_TVL_USD: usd(1_000_000).describe(
    'USD that a position must hold to be an opportunity.',
  ),
  ...backtestsVariables,
  OVERLAY_POLL_MS: integer(250, 20, 60_000).describe(
    'Time between two questions for an overlay, where STATE_OVERLAY_1, or that of another chain, is a URL of http(s).',
  ),
  ...nodesVariables,
  SANDBOX_CHAINS: list
    .refine(
      (ids) => ids.every((id) => chainById(Number(id))),
      'must be ids of known chains, comma-separated',
    )
    .describe(
      'Chains that the sandbox plays where no node is given. Default: all that it has for a service, and the one that it needs for any other command.',
    ),
  REDIS_URL: urlOf(
    ['redis:', 'rediss:'],
    'must be a URL such as redis://user:password@host:6379/0, or rediss:// for TLS',
  ).describe(
    'Redis whose queue hands backtests to `forkroute worker` processes. Default: they run in this process.',
  ),
  WORKER_PORT: integer(0, 0, 65_535)
    .removeDefault()
    .optional()
    .describe(
      'Port at which `forkroute worker` answers /health, /ready and /metrics, on HOST; 0: any free one, printed at start. Default: it opens none.',
    ),
  DATABASE_URL: urlOf(
    ['postgres:', 'postgresql:'],
    'must be a URL such as postgresql://user:password@host:5432/database?sslmode=verify-full',
  ).describe('Postgres that keeps backtests. Default: SQLite in the data folder.'),
  ...tracesVariables,
})

/**
 * Reads and checks the environment; opens nothing but the files of VENUES and MAKERS.
 * @throws ConfigError that names every wrong variable.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : [])),
  )
  const problems: string[] = []
  const parsed = environment.safeParse(given)
  for (const issue of parsed.error?.issues ?? []) {
    problems.push(`${issue.path.join('.')}: ${issue.message}.`)
  }
  const rpcUrls = perChain(given, 'RPC_URL_', problems, (text) => {
    const urls = text.split(',').map((part) => part.trim())
    return urls.every(isHttpUrl) ? urls : 'must be one or more http(s) URLs, comma-separated'
  })
  const overlays = perChain(given, 'STATE_OVERLAY_', problems, (text) =>
    isOverlayUrl(text) || !text.includes('://')
      ? { source: isOverlayUrl(text) ? text : resolve(text) }
      : 'must be a path, or a URL of http(s) or ws(s)',
  )
  const trustedBlocks = trustedBlocksOf(given, problems)
  const priorityFeePerGas = perChain(given, 'PRIORITY_FEE_WEI_', problems, (text) =>
    /^\d{1,20}$/.test(text) ? BigInt(text) : 'must be an amount of wei per gas, an integer',
  )
  const venuesFile = given.VENUES === undefined ? null : resolve(given.VENUES)
  const declared = venuesFile === null ? null : readVenuesFile(venuesFile)
  problems.push(...(declared?.problems.map((problem) => `VENUES: ${problem}`) ?? []))
  const makersFile = given.MAKERS === undefined ? null : resolve(given.MAKERS)
  const makers = makersFile === null ? null : readMakersFile(makersFile)
  problems.push(...(makers?.problems.map((problem) => `MAKERS: ${problem}`) ?? []))
  const unprovable = parsed.data && nodesProblem(parsed.data)
  if (unprovable) problems.push(unprovable)
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems)
  const read = parsed.data
  const processes = read.PROCESSES
  const workers = read.WORKERS ?? threadsOf(processes)
  return {
    host: read.HOST,
    workerPort: read.WORKER_PORT ?? null,
    port: read.PORT,
    dataDir: resolve(read.DATA_DIR),
    cassettesDir: resolve(read.CASSETTES_DIR ?? join(read.DATA_DIR, 'cassettes')),
    authMode: read.AUTH_MODE,
    rpcUrls,
    overlays,
    overlayPollMs: read.OVERLAY_POLL_MS,
    sandboxChains: read.SANDBOX_CHAINS.length ? read.SANDBOX_CHAINS.map(Number) : null,
    forksPerBlock: read.FORKS_PER_BLOCK,
    processes,
    workers,
    candidates: read.CANDIDATES,
    maxHops: read.MAX_HOPS,
    proof: read.PROOF,
    dataFee: read.L1_DATA_FEE,
    cautions: read.CAUTIONS === 'on',
    tokenLists: read.TOKEN_LISTS,
    serviceName: read.SERVICE_NAME,
    apiDialect: read.API_DIALECT,
    marksAnswers: true,
    widensPools: true,
    countsHoldings: true,
    boundsPools: true,
    mergesInputs: true,
    narrowsSearches: true,
    findsRebases: true,
    runsBalancerHooks: true,
    runsHooksOfMany: true,
    countsFeeOrder: true,
    logLevel: read.LOG_LEVEL,
    corsOrigins: read.CORS_ORIGINS,
    allowedHosts: read.ALLOWED_HOSTS,
    mcp: { mayChange: read.MCP_BACKTESTS === 'run' },
    rateLimitPerMinute: read.RATE_LIMIT_PER_MINUTE,
    maxInFlight: read.MAX_IN_FLIGHT ?? inFlightPerWorker * workers,
    maxStreams: read.MAX_STREAMS,
    maxStreamsPerKey: read.MAX_STREAMS_PER_KEY,
    maxStreamSeconds: read.MAX_STREAM_SECONDS,
    streamBufferBytes: read.STREAM_BUFFER_BYTES,
    bodyLimitBytes: read.BODY_LIMIT_BYTES,
    requestTimeoutMs: read.REQUEST_TIMEOUT_MS,
    shutdownTimeoutMs: read.SHUTDOWN_TIMEOUT_MS,
    trustProxyHops: read.TRUST_PROXY_HOPS,
    disabledAggregators: read.DISABLED_AGGREGATORS,
    poolBlacklist: read.POOL_BLACKLIST,
    v4Hooks: read.V4_HOOKS,
    v4HooksAllowlist: read.V4_HOOKS_ALLOWLIST,
    makersFile,
    makers: makers?.makers ?? [],
    makerPollMs: read.MAKER_POLL_MS,
    makerSignMs: read.MAKER_SIGN_MS,
    venuesFile,
    venues: declared?.venues ?? [],
    poolIndex: read.POOL_INDEX === 'on',
    liquidityFloorUsd: read.LIQUIDITY_FLOOR_USD,
    positionsMaxAgeSeconds: read.POSITIONS_MAX_AGE_SECONDS,
    opportunitiesMinTvlUsd: read.OPPORTUNITIES === 'on' ? read.OPPORTUNITIES_MIN_TVL_USD : null,
    backtests: backtestsOf(read),
    headPollMs: read.HEAD_POLL_MS,
    upstreamTimeoutMs: read.UPSTREAM_TIMEOUT_MS,
    checkHeaderHashes: read.HEADER_HASH_CHECK === 'on',
    verifyState: verifyStateOf(read),
    trustedBlocks,
    firstPinWaitMs: read.FIRST_PIN_WAIT_MS,
    maxHeadAgeSeconds: read.MAX_HEAD_AGE_SECONDS ?? null,
    redisUrl: read.REDIS_URL ?? null,
    databaseUrl: read.DATABASE_URL ?? null,
    acrossFeeBps: read.ACROSS_FEE_BPS,
    acrossMaxUsd: read.ACROSS_MAX_USD ?? null,
    cctpAttestationUrl: read.CCTP_ATTESTATION_URL?.replace(/\/+$/, '') ?? null,
    priorityFeePerGas,
    traces: tracesOf(read),
  }
}
