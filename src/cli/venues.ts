/** `forkroute venues`: the venues that the file of VENUES declares, and whether they pay what they quote. */
import type { Command } from 'commander'
import { numberToHex } from 'viem'
import type { ChainDefinition } from '../chains/chain.js'
import { chainById } from '../chains/registry.js'
import { type Config, ConfigError, loadConfig } from '../config/config.js'
import { checkVenues, type VenueFinding, type VenueSource } from '../doctor/venue-checks.js'
import type { DeclaredVenue } from '../domain/declared-venue.js'
import type { Hex } from '../domain/primitives.js'
import type { ReadCall } from '../domain/state.js'
import { withPoolsOfFactory } from '../pool-index/factory-pools.js'
import { declaredSlug } from '../protocols/declared/venue.js'
import { createRpcClient } from '../rpc/node/json-rpc.js'
import { type SandboxNode, servedChains, startOwnSandbox } from '../service/chosen-chains.js'
import type { LocalService } from '../service/local-service.js'
import { createLogger } from '../telemetry/log.js'
import { upstreamOf } from './chains.js'
import { type ConnectionOptions, refuseUrl } from './client.js'
import { type OutputOptions, printJson, printTable, shortHex, withProgress } from './output.js'

type Options = OutputOptions & ConnectionOptions
/** Nodes of the sandbox; null: those of the configuration are asked. */
type Sandbox = readonly SandboxNode[] | null

function chainIdsOf({ venues }: Config): number[] {
  return [...new Set(venues.map(({ chainId }) => chainId))]
}

/** @throws ConfigError where no file declares venues, or it has mistakes. */
function declaringConfig(options: Options): Config {
  refuseUrl(options, 'venues are declared in the file that VENUES names')
  const config = loadConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL ?? 'error' })
  if (config.venuesFile !== null) return config
  throw new ConfigError(['VENUES is not set: it names the file that declares venues.'])
}

function list(options: Options): void {
  const { venues } = declaringConfig(options)
  if (options.json) {
    printJson(venues)
    return
  }
  printTable(
    ['venue', 'chain', 'trust', 'pool', 'tokens'],
    venues.flatMap(({ name, chainId, trust, pools, factory }) => [
      ...pools.map(({ id, tokens }) => [name, chainId, trust, id, tokens.join('\n')]),
      ...(factory
        ? [[name, chainId, trust, `of factory ${factory.address}`, 'as its events tell']]
        : []),
    ]),
  )
}

/** @throws ConfigError where the chain has no node. */
function urlsOf(
  { id, name }: ChainDefinition,
  config: Config,
  sandbox: Sandbox,
): readonly string[] {
  const urls = sandbox ? sandbox.flatMap(([chainId, url]) => (chainId === id ? url : [])) : []
  const all = sandbox ? urls : (config.rpcUrls[id] ?? [])
  if (all.length > 0) return all
  throw new ConfigError([`RPC_URL_${id} is not set: it names the node of ${name}.`])
}

/** The venues with a few pools of their factories, as pools of the file. */
async function withFactoryPools(config: Config, sandbox: Sandbox): Promise<DeclaredVenue[]> {
  const problems: string[] = []
  const venues: DeclaredVenue[] = []
  for (const venue of config.venues) {
    const chain = chainById(venue.chainId)
    if (!chain || !venue.factory) {
      venues.push(venue)
      continue
    }
    const urls = urlsOf(chain, config, sandbox)
    const upstream = upstreamOf(chain, config, urls)
    const client = createRpcClient(urls[0] ?? '')
    try {
      const head = BigInt(await client.request<string>('eth_blockNumber', []))
      const call = ({ to, data }: ReadCall) =>
        client.request<Hex>('eth_call', [{ to, data }, numberToHex(head)])
      const found = await withPoolsOfFactory(chain, venue, { upstream, head, call })
      if (typeof found === 'string') problems.push(found)
      else venues.push(found)
    } finally {
      await Promise.all([client.close(), upstream.close()])
    }
  }
  if (problems.length > 0) throw new ConfigError(problems, 'file')
  return venues
}

/** Quotes and swaps at the newest block of each chain that has a venue. */
async function findingsOf(
  config: Config,
  local: LocalService,
  sandbox: Sandbox,
): Promise<VenueFinding[]> {
  const findings: VenueFinding[] = []
  for (const chain of servedChains(chainIdsOf(config), config)) {
    const [url = ''] = urlsOf(chain, config, sandbox)
    const client = createRpcClient(url)
    try {
      const blockNumber = Number(await client.request<string>('eth_blockNumber', []))
      const others = await othersThanDeclared(local, chain.id)
      const source: VenueSource = {
        call: (_chainId, { to, data, gas }) =>
          client.request('eth_call', [
            { to, data, ...(gas !== undefined && { gas: numberToHex(gas) }) },
            numberToHex(blockNumber),
          ]),
        async swap({ pool, amountIn, ...asked }) {
          const query = { ...asked, amountIn: amountIn.toString(), onlyPools: pool, blockNumber }
          const { status, text } = await local.ask({
            path: '/shortcuts/quote',
            query: { ...query, ignoreAggregators: others },
          })
          const body = JSON.parse(text)
          return status === 200 ? BigInt(body.amountOut) : String(body.message)
        },
      }
      findings.push(...(await checkVenues(chain, source)))
    } finally {
      await client.close()
    }
  }
  return findings
}

/** Adapters may know a declared pool as well. */
async function othersThanDeclared(local: LocalService, chainId: number): Promise<string[]> {
  const { text } = await local.ask({ path: '/aggregators', query: { chainId } })
  const slugs: string[] = JSON.parse(text)
  return slugs.filter((slug) => slug !== declaredSlug)
}

async function check(options: Options): Promise<void> {
  const stated = declaringConfig(options)
  const { openLocalService } = await import('../service/local-service.js')
  const findings = await withProgress('Checking', async (onProgress) => {
    const closers: (() => unknown)[] = []
    const sandboxChains = chainIdsOf(stated)
    const sandbox =
      Object.keys(stated.rpcUrls).length > 0
        ? null
        : await startOwnSandbox(stated, { sandboxChains, onProgress }, closers)
    try {
      const config = { ...stated, venues: await withFactoryPools(stated, sandbox) }
      const logger = createLogger(config.logLevel)
      const local = await openLocalService(config, { logger, sandbox, onProgress })
      closers.unshift(() => local.close())
      return await findingsOf(config, local, sandbox)
    } finally {
      for (const close of closers) await close()
    }
  })
  const wrong = findings.filter(({ problem }) => problem !== null)
  if (options.json) printJson(findings)
  else {
    if (wrong.length > 0) {
      printTable(
        ['venue', 'pool', 'in', 'out', 'amount in', 'quoted', 'swapped', 'problem'],
        wrong.map(({ venue, pool, tokenIn, tokenOut, amountIn, quoted, swapped, problem }) => [
          venue,
          ...[pool, tokenIn, tokenOut].map(shortHex),
          ...[amountIn, quoted, swapped].map((amount) => amount?.toString()),
          problem,
        ]),
      )
    }
    console.log(
      `${findings.length - wrong.length} of ${findings.length} directions pay what they quote.`,
    )
  }
  if (wrong.length > 0) process.exitCode = 1
}

export function addVenues(program: Command): void {
  const group = program
    .command('venues')
    .description('venues that are declared in the file of the variable VENUES')
  group
    .command('list')
    .description('list the venues with their pools, without asking a node')
    .action((_local, command: Command) => list(command.optsWithGlobals<Options>()))
  group
    .command('check')
    .description(
      'quote and swap once in each direction of each pool at the newest block; exit code 1: a swap fails or does not pay its quote',
    )
    .action((_local, command: Command) => check(command.optsWithGlobals<Options>()))
}
