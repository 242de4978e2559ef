/** `forkroute tokens`, and the look-up of tokens that users name in other commands. */
import type { Command } from 'commander'
import { chainById } from '../chains/registry.js'
import type { ForkrouteClient } from '../client/client.js'
import { nativeToken } from '../domain/primitives.js'
import { type ConnectionOptions, withApi } from './client.js'
import { type OutputOptions, printJson, printTable } from './output.js'
import { parseChainId } from './process.js'

export interface NamedToken {
  readonly address: string
  /** Null for an address that no list knows. */
  readonly decimals: number | null
  readonly symbol: string
}

/**
 * @param text - an address, or a symbol that one listed token of the chain has.
 * @throws Error when the symbol is unknown, or several tokens have it.
 */
export async function resolveToken(
  client: ForkrouteClient,
  chainId: number,
  text: string,
): Promise<NamedToken> {
  const native = chainById(chainId)?.nativeCurrency
  const lower = text.toLowerCase()
  if (native && (lower === nativeToken || lower === native.symbol.toLowerCase())) {
    return { address: nativeToken, decimals: native.decimals, symbol: native.symbol }
  }
  const isAddress = /^0x[0-9a-f]{40}$/.test(lower)
  const query = {
    chainId,
    includeMetadata: true,
    ...(isAddress ? { address: [text] } : { symbol: [text] }),
  }
  const base = await client.tokens({ ...query, type: 'base' })
  // The first request for positions may take long, so it is made only when no base token matches.
  const page =
    base.data.length || isAddress ? base : await client.tokens({ ...query, type: 'defi' })
  const [token] = page.data
  if (page.data.length > 1) {
    const choices = page.data.map((entry) => `  ${entry.address} ${entry.name ?? ''}`).join('\n')
    throw new Error(`Several tokens are called ${text}; name one by its address:\n${choices}`)
  }
  if (token) {
    return { address: token.address, decimals: token.decimals, symbol: token.symbol ?? '?' }
  }
  if (isAddress) return { address: lower, decimals: null, symbol: lower.slice(0, 8) }
  throw new Error(`No listed token of chain ${chainId} is called ${text}; name it by its address.`)
}

export function addTokens(program: Command): void {
  program
    .command('tokens')
    .description('list the base tokens that the service knows')
    .argument('[symbols...]', 'only these')
    .option('--chain <id>', 'only this chain')
    .action(async (symbols: string[], _local, command: Command) => {
      const options = command.optsWithGlobals<
        ConnectionOptions & OutputOptions & { chain?: string }
      >()
      await withApi(options, async (client) => {
        const page = await client.tokens({
          includeMetadata: true,
          type: 'base',
          symbol: symbols,
          ...(options.chain !== undefined && { chainId: parseChainId('--chain', options.chain) }),
        })
        if (options.json) printJson(page)
        else {
          printTable(
            ['chain', 'symbol', 'decimals', 'address', 'name'],
            page.data.map((t) => [t.chainId, t.symbol, t.decimals, t.address, t.name]),
          )
        }
        const missing = symbols.filter(
          (name) => !page.data.some(({ symbol }) => symbol?.toLowerCase() === name.toLowerCase()),
        )
        if (missing.length) {
          const where = options.chain === undefined ? '' : ` of chain ${options.chain}`
          console.error(`No listed token${where} is called ${missing.join(', ')}.`)
          process.exitCode = 1
        }
        if (page.data.length < page.meta.total) {
          console.error(
            `${page.data.length} of ${page.meta.total}; narrow it by symbol or --chain.`,
          )
        }
      })
    })
}
