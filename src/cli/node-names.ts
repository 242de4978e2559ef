/**
 * Names of tokens for commands that ask a node and no service: the token lists come first, as for a service, and a token
 * that no list has is asked itself.
 */
import { readTokenFacts } from '../catalog/token-facts.js'
import { loadTokenLists } from '../catalog/token-lists.js'
import { type Address, type Hex, isNative } from '../domain/primitives.js'
import type { ReadCall, ReadResult } from '../domain/state.js'
import { quietly } from '../telemetry/quietly.js'
import { shortHex } from './output.js'
import { namerOf, type TokenNamer } from './token-names.js'

/** A JSON-RPC client, of which calls are asked. */
interface CallingNode {
  request(method: string, params: readonly unknown[]): Promise<Hex>
}

/**
 * @param args.tokenLists - as TOKEN_LISTS has them. A list that cannot be read names nothing.
 * @returns a token that neither knows is named by its shortened address.
 */
export async function namerAtNode(args: {
  readonly chainId: number
  readonly node: CallingNode
  readonly tokenLists: readonly string[]
  readonly tokens: readonly Address[]
}): Promise<TokenNamer> {
  const { chainId, node, tokenLists } = args
  const tokens = [...new Set(args.tokens)].filter((token) => !isNative(token))
  const lists = (await quietly(loadTokenLists(tokenLists), 'tokens then name themselves')) ?? []
  const ofChain = lists.filter((token) => token.chainId === chainId)
  const byAddress = new Map(ofChain.map((token) => [token.address, token]))
  const unlisted = tokens.filter((token) => !byAddress.has(token))
  const read = await readTokenFacts(readerOf(chainId, node), unlisted)
  const listed = tokens.map((token) => byAddress.get(token) ?? null)
  const known = [...listed, ...read].filter((token) => token !== null)
  return namerOf(
    known.map(({ address, decimals, symbol }) => ({
      chainId,
      address,
      decimals,
      symbol: symbol ?? shortHex(address),
    })),
  )
}

/** Calls at the newest block of the node. One that fails is unreadable. */
function readerOf(chainId: number, node: CallingNode) {
  const read = async ({ to, data }: ReadCall): Promise<ReadResult> => {
    try {
      return { ok: true, value: await node.request('eth_call', [{ to, data }, 'latest']) }
    } catch (error) {
      return { ok: false, reason: 'unreadable', message: String(error) }
    }
  }
  return {
    block: { chainId },
    call: (calls: readonly ReadCall[]) => Promise.all(calls.map(read)),
  }
}
