/** `forkroute pools`: the catalog's pools in DATA_DIR, and an operator's own. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { PoolRow } from '../api/inputs/pool-row.js'
import { type Catalog, openCatalog } from '../catalog/store.js'
import { ConfigError, loadConfig } from '../config/config.js'
import type { HooksSeen } from '../domain/hooks.js'
import { openIndexStore } from '../pool-index/store.js'
import type { Pool } from '../protocols/pool.js'
import { protocolBySlug } from '../protocols/registry.js'
import { chainOrEthereum, knownChain } from './chains.js'
import { type ConnectionOptions, refuseUrl } from './client.js'
import { type OutputOptions, printJson, printTable } from './output.js'
import { addPoolsSync } from './pool-sync.js'
import { jsonListIn } from './text-file.js'

/** Most problems that are printed; the rest is only counted. */
const maxProblems = 100

const KnownRow = PoolRow.refine(({ protocol }) => protocolBySlug(protocol) !== null, {
  path: ['protocol'],
  message: 'is not the slug of a known protocol',
})

function shortened(problems: readonly string[]): string[] {
  const more = problems.length - maxProblems
  return [...problems.slice(0, maxProblems), ...(more > 0 ? [`and ${more} more.`] : [])]
}

/** @throws ConfigError that names every wrong row, of the first hundred findings. */
function parsePools(text: string): Pool[] {
  const problems: string[] = []
  const pools = jsonListIn(text, 'pools').flatMap((row, index) => {
    const parsed = KnownRow.safeParse(row)
    if (parsed.success) return parsed.data
    for (const { path, message } of parsed.error.issues) {
      problems.push(
        [`row ${index + 1}:`, ...(path.length ? [path.join('.')] : []), message].join(' '),
      )
    }
    return []
  })
  if (problems.length > 0) throw new ConfigError(shortened(problems), 'file')
  return pools
}

interface Options extends OutputOptions, ConnectionOptions {
  readonly chain: number
}

/** @throws ConfigError for a service's address, and for an unknown chain. */
function chainOf(options: Options): number {
  refuseUrl(options, 'pools are kept in the folder DATA_DIR')
  return knownChain(options.chain).id
}

function withCatalog<T>(work: (catalog: Catalog) => T): T {
  const catalog = openCatalog(loadConfig(process.env).dataDir)
  try {
    return work(catalog)
  } finally {
    catalog.close()
  }
}

/** In the form of the catalog's. */
function indexedPools(chainId: number) {
  const store = openIndexStore(loadConfig(process.env).dataDir)
  try {
    return store.list(chainId).map(({ block, gate: _gate, ...pool }) => {
      return { ...pool, chainId, source: 'indexed', firstSeenBlock: block.toString() }
    })
  } finally {
    store.close()
  }
}

function hooksText({ class: name, reason, blockNumber }: HooksSeen): string {
  return [`${name} at ${blockNumber}`, ...(reason === null ? [] : [reason])].join(': ')
}

export function addPools(program: Command): void {
  const group = program.command('pools').description('pools that the service knows')
  addPoolsSync(group)

  group
    .command('list')
    .description('list discovered and imported pools')
    .addOption(chainOrEthereum())
    .option('--indexed', 'those of the index instead, the oldest first, with the block of creation')
    .action((_local, command: Command) => {
      const options = command.optsWithGlobals<Options & { indexed?: boolean }>()
      const chainId = chainOf(options)
      const pools = withCatalog((catalog) => {
        const listed = options.indexed ? indexedPools(chainId) : catalog.listPools(chainId)
        return listed.map((pool) => {
          const hooks = catalog.hooksOf(chainId, pool)
          return { ...pool, ...(hooks && { hooks }) }
        })
      })
      if (options.json) printJson(pools)
      else {
        printTable(
          ['protocol', 'id', 'tokens', 'source', 'first seen', 'hooks'],
          pools.map((p) => [
            p.protocol,
            p.id,
            p.tokens.join('\n'),
            p.source,
            p.firstSeenBlock,
            p.hooks ? hooksText(p.hooks) : null,
          ]),
        )
      }
    })

  group
    .command('export')
    .description('write pools as JSON that import understands')
    .addOption(chainOrEthereum())
    .option('--out <file>', 'default: standard output')
    .action(async (_local, command: Command) => {
      const options = command.optsWithGlobals<Options & { out?: string }>()
      const chainId = chainOf(options)
      const pools = withCatalog((catalog) => catalog.listPools(chainId)).map(
        ({ protocol, id, address, tokens, parameters }) => ({
          protocol,
          id,
          address,
          tokens,
          parameters,
        }),
      )
      if (options.out) await writeFile(options.out, `${JSON.stringify(pools, null, 2)}\n`)
      else printJson(pools)
    })

  group
    .command('import')
    .description('add pools from a JSON file; a running service takes them in at its next block')
    .argument('<file>', 'JSON array of {protocol, id, address, tokens, parameters}')
    .addOption(chainOrEthereum())
    .action(async (file: string, _local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const chainId = chainOf(options)
      const pools = parsePools(await readFile(file, 'utf8'))
      const result = withCatalog((catalog) => catalog.importPools(chainId, pools))
      if (options.json) printJson(result)
      else console.log(`${result.added} pools added, ${result.updated} updated.`)
    })
}
