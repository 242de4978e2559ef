/**
 * The state and the events that a market adds to a chain. Its pairs and tokens run the code of a pair and of a token
 * that the chain has; a token keeps everything but the balances of pairs as the token does whose code it runs.
 */
import {
  encodeAbiParameters,
  numberToHex,
  parseAbiParameters,
  toEventSelector,
  zeroHash,
} from 'viem'
import { ethereum } from '../../src/chains/ethereum.js'
import type { Address, Hex } from '../../src/domain/primitives.js'
import { mappingSlot, nestedMappingSlot, toWord } from '../../src/protocols/shared/storage-slots.js'
import type { RpcClient } from '../../src/rpc/node/json-rpc.js'
import { contractAddresses, pairAddress } from '../../src/sandbox/addresses.js'
import { sandboxToken } from '../../src/sandbox/tokens.js'
import type { LargeMarket, LargePair } from './market.js'

export interface AddedState {
  /** The account of the chain whose code and other state this one shares; absent: it is the chain's own account. */
  templateOf(address: Address): Address | undefined
  /** Absent: the word is the template's, or the chain's. */
  wordOf(address: Address, slot: bigint): Hex | undefined
  /** Events of new pairs in these blocks, both ends included; null: more than one answer holds. */
  events(from: number, to: number): readonly AddedEvent[] | null
}

export interface AddedEvent {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly transactionHash: Hex
}

export const pairCreated = toEventSelector('PairCreated(address,address,address,uint256)')
const weth = ethereum.wrappedNative
const usdc = sandboxToken('USDC').address
/** A token of the sandbox without behaviour of its own, and a pair that holds it. */
const plainToken = sandboxToken('LINK').address
const plainPair = pairAddress(contractAddresses.v2Factory, plainToken, weth)
const usdcPair = pairAddress(contractAddresses.v2Factory, usdc, weth)
/** Storage of pairs and of their factory. */
const pairSlot = { factory: 5n, token0: 6n, token1: 7n, reserves: 8n, unlocked: 12n }
const getPairBase = 2n
/** Slots that are looked through for a mapping of balances. */
const mostBases = 64
/** The last blocks, which are read by their hashes, have no new pairs. */
const quietBlocks = 64
/** Events of one answer, as providers bound them. */
const mostEvents = 10_000

/** @param client - of the chain's own node. @param head - its newest block. */
export async function addedState(
  market: LargeMarket,
  client: RpcClient,
  head: number,
): Promise<AddedState> {
  const bases = {
    [weth]: await balanceBase(client, weth, plainPair),
    [usdc]: await balanceBase(client, usdc, usdcPair),
  }
  const plainBase = await balanceBase(client, plainToken, plainPair)
  const tokens = new Set(market.tokens)
  const pairs = new Map(market.pairs.map((pair) => [pair.address, pair]))
  const words = new Map<string, bigint>()
  for (const { address, tokens: own, reserves } of market.pairs) {
    const [token0, token1] = own
    const entry = nestedMappingSlot([BigInt(token0), BigInt(token1)], getPairBase)
    words.set(wordKey(contractAddresses.v2Factory, entry), BigInt(address))
    for (const [side, token] of own.entries()) {
      const slot = mappingSlot(BigInt(address), bases[token] ?? plainBase)
      words.set(wordKey(token, slot), reserves[side] ?? 0n)
    }
  }
  const perBlock = Math.ceil(market.pairs.length / (head - quietBlocks))
  return {
    templateOf: (address) =>
      pairs.has(address) ? usdcPair : tokens.has(address) ? plainToken : undefined,
    wordOf(address, slot) {
      const pair = pairs.get(address)
      const word = pair ? pairWord(pair, slot) : words.get(wordKey(address, slot))
      return word === undefined ? undefined : toWord(word)
    },
    events(from, to) {
      const first = Math.max(0, from - 1) * perBlock
      const created = market.pairs.slice(first, to * perBlock)
      if (created.length > mostEvents) return null
      return created.map((pair, index) => toEvent(pair, first + index, perBlock))
    },
  }
}

function pairWord({ tokens, reserves }: LargePair, slot: bigint): bigint {
  switch (slot) {
    case pairSlot.factory:
      return BigInt(contractAddresses.v2Factory)
    case pairSlot.token0:
      return BigInt(tokens[0])
    case pairSlot.token1:
      return BigInt(tokens[1])
    case pairSlot.reserves:
      return (reserves[1] << 112n) | reserves[0]
    case pairSlot.unlocked:
      return 1n
    default:
      return 0n
  }
}

function toEvent({ address, tokens }: LargePair, index: number, perBlock: number): AddedEvent {
  const values = [address, BigInt(index + 1)] as const
  return {
    address: contractAddresses.v2Factory,
    topics: [pairCreated, ...tokens.map((token) => toWord(BigInt(token)))],
    data: encodeAbiParameters(parseAbiParameters('address, uint256'), values),
    blockNumber: numberToHex(1 + Math.floor(index / perBlock)),
    transactionHash: zeroHash,
  }
}

function wordKey(address: Address, slot: bigint): string {
  return `${address}${slot.toString(16)}`
}

/** The slot of the token's mapping of balances. @throws RangeError where none holds what the holder has. */
async function balanceBase(client: RpcClient, token: Address, holder: Address): Promise<bigint> {
  for (let base = 0n; base < mostBases; base++) {
    const slot = toWord(mappingSlot(BigInt(holder), base))
    const word = await client.request<Hex>('eth_getStorageAt', [token, slot, 'latest'])
    if (BigInt(word) !== 0n) return base
  }
  throw new RangeError(`The balances of ${token} are not found.`)
}
