/**
 * Puts the OP stack's standard bridges where mainnet has them, and what the one that locks has locked. By state alone, as
 * CCTP: no transaction of theirs moves a nonce or a price of what comes before and after them.
 */
import { encodeAbiParameters, keccak256, numberToHex, padHex, parseAbiParameters } from 'viem'
import {
  messenger,
  settlementOf,
  standardBridge,
  tokenBridgeOf,
} from '../../bridges/canonical/settlement.js'
import { chains } from '../../chains/registry.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { placeStateless } from '../chain/placement.js'
import { wholeSupply } from '../market/deploy-contracts.js'
import type { Market } from '../market/market-pools.js'
import { superchainConfig } from './canonical.js'

/** Of their storage. @see StandardBridge.sol and L1StandardBridge.sol */
const slots = {
  deposits: 2n,
  messenger: 3n,
  otherBridge: 4n,
  superchainConfig: 50n,
  systemConfig: 51n,
}

export async function placeStandardBridge(
  chain: ChainWriter,
  {
    market,
    owner,
  }: {
    readonly market: Market
    readonly owner: Address
  },
  code: (key: string) => Hex,
): Promise<void> {
  const { chain: definition } = market
  const own = settlementOf(definition)
  const ownTokens = tokenBridgeOf(definition)
  if (own && ownTokens) {
    const words: Word[] = [
      [slots.messenger, messenger],
      [slots.otherBridge, ownTokens.bridge],
    ]
    await placeStateless(chain, owner, [
      { address: standardBridge, creationCode: code('opStandardBridgeL2') },
    ])
    await chain.all(words.map((word) => set(standardBridge, word)))
  }
  // Of each that settles here, whether the sandbox plays it or not.
  for (const other of chains) {
    const [settlement, tokens] = [settlementOf(other), tokenBridgeOf(other)]
    if (settlement?.chainId !== definition.id || !tokens) continue
    const { bridge } = tokens
    const words: Word[] = [
      [slots.messenger, settlement.messenger],
      [slots.otherBridge, standardBridge],
      [slots.superchainConfig, superchainConfig],
      [slots.systemConfig, settlement.systemConfig],
    ]
    await placeStateless(chain, owner, [
      { address: bridge, creationCode: code('opStandardBridgeL1') },
    ])
    await chain.all(words.map((word) => set(bridge, word)))
    for (const { locked, minted } of tokens.tokens) {
      const token = market.tokens.find(({ address }) => address === locked)
      if (!token) continue
      // No less than is minted of it over there.
      const amount = 2n * wholeSupply(token)
      await chain.all([
        {
          method: 'anvil_setStorageAt',
          params: [bridge, depositsOf(locked, minted), toWord(amount)],
        },
        { method: 'anvil_dealERC20', params: [bridge, locked, numberToHex(amount)] },
      ])
    }
  }
}

type Word = readonly [slot: bigint, value: Hex]

function set(address: Address, [slot, value]: Word) {
  const params = [address, toWord(slot), padHex(value, { size: 32 })]
  return { method: 'anvil_setStorageAt', params }
}

function depositsOf(locked: Address, minted: Address): Hex {
  const types = parseAbiParameters('address, bytes32')
  const outer = keccak256(encodeAbiParameters(types, [locked, toWord(slots.deposits)]))
  return keccak256(encodeAbiParameters(types, [minted, outer]))
}

function toWord(value: bigint): Hex {
  return numberToHex(value, { size: 32 })
}
