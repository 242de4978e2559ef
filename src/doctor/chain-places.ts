/** Asks a node whether the addresses of a chain's definition are what they are taken for: `forkroute doctor --chain`. */
import pLimit from 'p-limit'
import { decodeAbiParameters, hexToBigInt, parseAbiParameters } from 'viem'
import { bridges } from '../bridges/registry.js'
import type { ChainDefinition } from '../chains/chain.js'
import { missed, type Probe, probe } from '../chains/probe.js'
import { chains } from '../chains/registry.js'
import { type Address, type Hex, isNative, type Token } from '../domain/primitives.js'
import { protocolBySlug } from '../protocols/registry.js'
import { JsonRpcError, type RpcClient } from '../rpc/node/json-rpc.js'

export interface Finding {
  /** Contract and call. */
  readonly check: string
  readonly address: Address
  /** `absent`: no code at the address; `wrong`: another contract, or other numbers; `unread`: the node does not say. */
  readonly state: 'ok' | 'absent' | 'wrong' | 'unread'
  /** What was found, or what it answers in place of what. */
  readonly found: string
}

const feedName = 'Chainlink feed'

/** Requests on their way at the same time: few enough for providers that count them. */
const parallelRequests = 16

/** @param listed - tokens with decimals, by lists; those of others must only have some. */
export async function examinePlaces(
  chain: ChainDefinition,
  client: RpcClient,
  listed: readonly Token[],
): Promise<Finding[]> {
  const limit = pLimit(parallelRequests)
  const ask = (method: string, params: readonly unknown[]) =>
    limit(() => client.request<Hex>(method, params))
  const probes = probesOf(chain, listed)
  const addresses = [...new Set(probes.map(({ to }) => to))]
  const codes = new Map(
    await Promise.all(
      addresses.map(async (to) => [to, await settle(ask('eth_getCode', [to, 'latest']))] as const),
    ),
  )
  return Promise.all(
    probes.map(async (one): Promise<Finding> => {
      const at = { check: one.title, address: one.to }
      const code = codes.get(one.to)
      if (!code?.ok) return { ...at, state: 'unread', found: code?.message ?? '' }
      if (code.value === '0x') return { ...at, state: 'absent', found: 'no code' }
      const answer = await settle(ask('eth_call', [{ to: one.to, data: one.data }, 'latest']))
      if (!answer.ok) return { ...at, ...refused(answer) }
      const expected = missed(one, answer.value) ?? notInDollars(one, answer.value)
      if (expected === null) return { ...at, state: 'ok', found: shown(answer.value) }
      const found = `answers ${shown(answer.value)} in place of ${shown(expected)}`
      return { ...at, state: 'wrong', found }
    }),
  )
}

/** Every address of the definition has one at least. */
export function probesOf(chain: ChainDefinition, listed: readonly Token[]): Probe[] {
  const known = new Map(
    listed.flatMap((one) => (one.chainId === chain.id ? [[one.address, one] as const] : [])),
  )
  return [
    ...tokenProbes(chain, known),
    ...chain.chainlinkFeeds.flatMap(({ token, feed }) => {
      const name = `${feedName} of ${known.get(token)?.symbol ?? token}`
      return [probe(name, feed, 'decimals()', 8n), probe(name, feed, 'description()', 'text')]
    }),
    ...Object.entries(chain.venues).flatMap(
      ([slug, venue]) => protocolBySlug(slug)?.trust?.probes?.(venue, chain) ?? [],
    ),
    ...bridges.flatMap((bridge) => bridge.probes(chain)),
  ]
}

function tokenProbes(chain: ChainDefinition, known: ReadonlyMap<Address, Token>): Probe[] {
  const { wrappedNative, connectorTokens, stableAnchors, chainlinkFeeds, nativeCurrency } = chain
  const ofFeeds = chainlinkFeeds.map(({ token }) => token)
  const ofBridges = chains
    .flatMap((other) => bridges.flatMap((bridge) => bridge.lanes(chain, other)))
    .flatMap(({ tokenIn }) => (isNative(tokenIn) ? [] : [tokenIn]))
  const named = [wrappedNative, ...connectorTokens, ...stableAnchors, ...ofFeeds, ...ofBridges]
  return [...new Set(named)].map((token) => {
    const entry = known.get(token)
    const isWrapped = token === wrappedNative
    const decimals = isWrapped ? nativeCurrency.decimals : entry?.decimals
    const name = isWrapped ? `wrapped ${nativeCurrency.symbol}` : `token ${entry?.symbol ?? ''}`
    const expected = decimals === undefined ? 'number' : BigInt(decimals)
    return probe(name.trim(), token, 'decimals()', expected)
  })
}

/** A feed of something else than dollars is another one. */
function notInDollars({ title, expected }: Probe, answer: Hex): string | null {
  if (expected !== 'text' || !title.startsWith(feedName)) return null
  return /\/\s*USD/i.test(textIn(answer) ?? '') ? null : 'a price in USD'
}

type Settled =
  | { readonly ok: true; readonly value: Hex }
  | { readonly ok: false; readonly isRevert: boolean; readonly message: string }

/** @throws TransportError where there is no node. */
async function settle(asked: Promise<Hex>): Promise<Settled> {
  try {
    return { ok: true, value: await asked }
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error
    const isRevert =
      error.code === 3 || /revert|invalid opcode|out of gas|stack/i.test(error.message)
    return { ok: false, isRevert, message: error.message }
  }
}

function refused({ isRevert, message }: Settled & { ok: false }): Pick<Finding, 'state' | 'found'> {
  return isRevert
    ? { state: 'wrong', found: 'reverts: it is another contract' }
    : { state: 'unread', found: `the node does not say: ${message}` }
}

/** Numbers and addresses as such, texts in quotes. */
function shown(answer: string): string {
  if (!/^0x/.test(answer)) return answer
  if (answer === '0x') return 'nothing'
  const text = textIn(answer as Hex)
  if (text !== null) return JSON.stringify(text)
  if (answer.length !== 66) return `${(answer.length - 2) / 2} bytes`
  const value = hexToBigInt(answer as Hex)
  const isAddress = value >> 96n > 0n && value >> 160n === 0n
  return isAddress ? `0x${answer.slice(26)}` : value.toString()
}

function textIn(answer: Hex): string | null {
  if (answer.length <= 66) return null
  try {
    return decodeAbiParameters(parseAbiParameters('string'), answer)[0]
  } catch {
    return null
  }
}
