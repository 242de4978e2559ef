/** The configuration in force, by its variables: for people with what is secret left out, and for a process like this one. */
import { type Config, environment, loadConfig } from '../config/config.js'
import type { Setting } from '../domain/operations/system.js'
import { withoutAddresses } from './masked.js'

type Variable = keyof typeof environment.shape
type Value = string | number | boolean | null | readonly (string | number)[]

const values: Readonly<Record<Variable, (config: Config) => Value>> = {
  HOST: ({ host }) => host,
  PORT: ({ port }) => port,
  DATA_DIR: ({ dataDir }) => dataDir,
  CASSETTES_DIR: ({ cassettesDir }) => cassettesDir,
  AUTH_MODE: ({ authMode }) => authMode,
  FORKS_PER_BLOCK: ({ forksPerBlock }) => forksPerBlock,
  PROCESSES: ({ processes }) => processes,
  WORKERS: ({ workers }) => workers,
  CANDIDATES: ({ candidates }) => candidates,
  PROOF: ({ proof }) => proof,
  L1_DATA_FEE: ({ dataFee }) => dataFee,
  CAUTIONS: ({ cautions }) => cautions,
  MAX_HOPS: ({ maxHops }) => maxHops,
  TOKEN_LISTS: ({ tokenLists }) => tokenLists,
  SERVICE_NAME: ({ serviceName }) => serviceName,
  API_DIALECT: ({ apiDialect }) => apiDialect,
  LOG_LEVEL: ({ logLevel }) => logLevel,
  CORS_ORIGINS: ({ corsOrigins }) => corsOrigins,
  ALLOWED_HOSTS: ({ allowedHosts }) => allowedHosts,
  MCP_BACKTESTS: ({ mcp }) => (mcp.mayChange ? 'run' : 'read'),
  RATE_LIMIT_PER_MINUTE: ({ rateLimitPerMinute }) => rateLimitPerMinute,
  MAX_IN_FLIGHT: ({ maxInFlight }) => maxInFlight,
  MAX_STREAMS: ({ maxStreams }) => maxStreams,
  MAX_STREAMS_PER_KEY: ({ maxStreamsPerKey }) => maxStreamsPerKey,
  MAX_STREAM_SECONDS: ({ maxStreamSeconds }) => maxStreamSeconds,
  STREAM_BUFFER_BYTES: ({ streamBufferBytes }) => streamBufferBytes,
  BODY_LIMIT_BYTES: ({ bodyLimitBytes }) => bodyLimitBytes,
  REQUEST_TIMEOUT_MS: ({ requestTimeoutMs }) => requestTimeoutMs,
  SHUTDOWN_TIMEOUT_MS: ({ shutdownTimeoutMs }) => shutdownTimeoutMs,
  TRUST_PROXY_HOPS: ({ trustProxyHops }) => trustProxyHops,
  DISABLED_AGGREGATORS: ({ disabledAggregators }) => disabledAggregators,
  POOL_BLACKLIST: ({ poolBlacklist }) => poolBlacklist,
  V4_HOOKS: ({ v4Hooks }) => v4Hooks,
  V4_HOOKS_ALLOWLIST: ({ v4HooksAllowlist }) => v4HooksAllowlist,
  MAKERS: ({ makersFile }) => makersFile,
  MAKER_POLL_MS: ({ makerPollMs }) => makerPollMs,
  MAKER_SIGN_MS: ({ makerSignMs }) => makerSignMs,
  VENUES: ({ venuesFile }) => venuesFile,
  POOL_INDEX: ({ poolIndex }) => poolIndex,
  LIQUIDITY_FLOOR_USD: ({ liquidityFloorUsd }) => liquidityFloorUsd,
  ACROSS_FEE_BPS: ({ acrossFeeBps }) => acrossFeeBps,
  ACROSS_MAX_USD: ({ acrossMaxUsd }) => acrossMaxUsd,
  CCTP_ATTESTATION_URL: ({ cctpAttestationUrl }) => cctpAttestationUrl,
  POSITIONS_MAX_AGE_SECONDS: ({ positionsMaxAgeSeconds }) => positionsMaxAgeSeconds,
  OPPORTUNITIES: ({ opportunitiesMinTvlUsd }) => opportunitiesMinTvlUsd !== null,
  OPPORTUNITIES_MIN_TVL_USD: ({ opportunitiesMinTvlUsd }) => opportunitiesMinTvlUsd,
  BACKTESTS_MAX_BYTES: ({ backtests }) => backtests.maxBytes,
  BACKTESTS_MAX_OPEN: ({ backtests }) => backtests.limits.open,
  BACKTESTS_MAX_STORED: ({ backtests }) => backtests.limits.stored,
  BACKTESTS_PRIVATE: ({ backtests }) => (backtests.isPrivate ? 'on' : 'off'),
  OVERLAY_POLL_MS: ({ overlayPollMs }) => overlayPollMs,
  HEAD_POLL_MS: ({ headPollMs }) => headPollMs,
  UPSTREAM_TIMEOUT_MS: ({ upstreamTimeoutMs }) => upstreamTimeoutMs,
  VERIFY_STATE: ({ verifyState }) =>
    verifyState === null || verifyState === 'all' ? (verifyState ?? 'off') : 'sample',
  VERIFY_STATE_ONE_IN: ({ verifyState }) =>
    typeof verifyState === 'object' && verifyState !== null
      ? Math.round(1 / verifyState.share)
      : null,
  HEADER_HASH_CHECK: ({ checkHeaderHashes }) => checkHeaderHashes,
  FIRST_PIN_WAIT_MS: ({ firstPinWaitMs }) => firstPinWaitMs,
  MAX_HEAD_AGE_SECONDS: ({ maxHeadAgeSeconds }) => maxHeadAgeSeconds,
  SANDBOX_CHAINS: ({ sandboxChains }) => sandboxChains,
  REDIS_URL: ({ redisUrl }) => redisUrl,
  WORKER_PORT: ({ workerPort }) => workerPort,
  DATABASE_URL: ({ databaseUrl }) => databaseUrl,
  // Joined by the configuration: what is told is whether there is one.
  OTEL_EXPORTER_OTLP_ENDPOINT: () => null,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ({ traces }) => traces?.url ?? null,
  OTEL_EXPORTER_OTLP_HEADERS: ({ traces }) => Object.keys(traces?.headers ?? {}),
  OTEL_SERVICE_NAME: ({ traces }) => traces?.serviceName ?? 'forkroute',
}

const secrets: readonly Variable[] = [
  'REDIS_URL',
  'DATABASE_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
]
const variables = Object.keys(environment.shape) as Variable[]

function textOf(config: Config, name: Variable): string | null {
  const value = values[name](config)
  if (value === null || (Array.isArray(value) && value.length === 0)) return null
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return String(value)
}

/** Every variable, and those of each chain that has one; no URL of a node, no password. */
export function settingsOf(config: Config): Setting[] {
  const plain = loadConfig({})
  const ofChains = [
    ...Object.entries(config.rpcUrls).map(([chainId, urls]) => ({
      name: `RPC_URL_${chainId}`,
      value: null,
      isSecret: true,
      isChanged: true,
      description: `Nodes of the chain: ${urls.length}.`,
    })),
    ...Object.keys(config.overlays).map((chainId) => ({
      name: `STATE_OVERLAY_${chainId}`,
      value: null,
      isSecret: true,
      isChanged: true,
      description: 'Where makers publish the state of the next block.',
    })),
    ...Object.entries(config.trustedBlocks).map(([chainId, { number, hash }]) => ({
      name: `TRUSTED_BLOCK_${chainId}`,
      value: `${number}:${hash}`,
      isSecret: false,
      isChanged: true,
      description: 'The block that all others are tied to.',
    })),
    ...Object.entries(config.priorityFeePerGas).map(([chainId, wei]) => ({
      name: `PRIORITY_FEE_WEI_${chainId}`,
      value: wei.toString(),
      isSecret: false,
      isChanged: true,
      description: 'Wei per gas that a sender adds to the base fee.',
    })),
  ]
  const fixed = variables.map((name) => {
    const text = textOf(config, name)
    const isSecret = secrets.includes(name)
    return {
      name,
      value: isSecret || text === null ? null : withoutAddresses(text),
      isSecret,
      isChanged: text !== textOf(plain, name),
      description: environment.shape[name].description ?? '',
    }
  })
  return [...ofChains, ...fixed]
}

/** Variables for another process whose answers are those of this service, without what it shares with others. */
export function environmentOf(config: Config): Record<string, string> {
  const shared: readonly Variable[] = [...secrets, 'DATA_DIR', 'PORT', 'PROCESSES', 'WORKER_PORT']
  const given = variables.flatMap((name) => {
    const text = shared.includes(name) ? null : textOf(config, name)
    return text === null ? [] : [[name, text] as const]
  })
  const fees = Object.entries(config.priorityFeePerGas).map(
    ([chainId, wei]) => [`PRIORITY_FEE_WEI_${chainId}`, wei.toString()] as const,
  )
  return Object.fromEntries([...given, ...fees])
}
