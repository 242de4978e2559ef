/** `forkroute venues`: the venues that the file of VENUES declares, and whether they pay what they quote. */
import type { Command } from 'commander'
import { numberToHex } from 'viem'
import { type Config, ConfigError, loadConfig } from '../config/config.js'
import { checkVenues, type VenueFinding, type VenueSource } from '../doctor/venue-checks.js'
import { declaredSlug } from '../protocols/declared/venue.js'
import { createRpcClient } from '../rpc/node/json-rpc.js'
import { servedChains } from '../service/chosen-chains.js'
import type { LocalService } from '../service/local-service.js'
import { createLogger } from '../telemetry/log.js'
import { type ConnectionOptions, refuseUrl } from './client.js'
import { type OutputOptions, printJson, printTable, shortHex, withProgress } from './output.js'

type Options = OutputOptions & ConnectionOptions

/** @throws ConfigError where no file declares venues, or it has mistakes. */
function declaringConfig(options: Options): Config {
  refuseUrl(options, 'venues are declared by a file and not')
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
    venues.flatMap(({ name, chainId, trust, pools }) =>
      pools.map(({ id, tokens }) => [name, chainId, trust, id, tokens.join('\n')]),
    ),
  )
}

/** Quotes and swaps at the newest block of each chain that has a venue. */
async function findingsOf(config: Config, local: LocalService): Promise<VenueFinding[]> {
  const chainIds = [...new Set(config.venues.map(({ chainId }) => chainId))]
  const findings: VenueFinding[] = []
  for (const chain of servedChains(chainIds, config)) {
    const url = local.service.sandboxUrls?.[chain.id] ?? config.rpcUrls[chain.id]?.[0]
    if (url === undefined) {
      throw new ConfigError([`RPC_URL_${chain.id} is not set: it names the node of ${chain.name}.`])
    }
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
  const config = declaringConfig(options)
  const { openLocalService } = await import('../service/local-service.js')
  const findings = await withProgress('Checking', async (onProgress) => {
    const local = await openLocalService(config, {
      logger: createLogger(config.logLevel),
      sandboxChains: [...new Set(config.venues.map(({ chainId }) => chainId))],
      onProgress,
    })
    try {
      return await findingsOf(config, local)
    } finally {
      await local.close()
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
  const group = program.command('venues').description('venues that the file of VENUES declares')
  group
    .command('list')
    .description('list them with their pools')
    .action((_local, command: Command) => list(command.optsWithGlobals<Options>()))
  group
    .command('check')
    .description('quote and swap once in each direction; exit code 1: one does not pay its quote')
    .action((_local, command: Command) => check(command.optsWithGlobals<Options>()))
}
