/** Puts the contracts of the bridges where mainnet has them. */
import { concatHex, encodeAbiParameters, padHex, parseAbiParameters } from 'viem'
import { stargatePools } from '../../bridges/stargate/pools.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { type Address, type Hex, isNative, nativeDecimals } from '../../domain/primitives.js'
import { layerZeroExecutor } from '../accounts.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import type { Placement } from '../chain/placement.js'
import { sandboxBytecode } from '../generated/contracts.js'
import type { Market } from '../market/market-pools.js'
import { bridgeAddresses, feeLibraries, messageLibrary } from './bridge-addresses.js'

/** Seconds that a deposit's quote may be old, and that a fill may take. */
const quoteTimeBuffer = 3_600
const fillDeadlineBuffer = 21_600
/** Capacity of the queue of Stargate's buses, which nobody drives in the sandbox. */
const queueCapacity = 512
/** Decimals of amounts in messages between chains, in all pools. */
export const sharedDecimals = 6

/** Wei of the sender's chain for a unit of gas on this one. */
const gasPrices: Readonly<Record<number, bigint>> = {
  1: 1_500_000_000n,
  42161: 20_000_000n,
  8453: 10_000_000n,
}

/**
 * Two lists: constructors of the second call contracts of the first.
 *
 * @param others - the chains that messages go to and come from.
 */
export function bridgePlacements(
  market: Market,
  others: readonly ChainDefinition[],
  owner: Address,
  code: (key: string) => Hex,
): [Placement[], Placement[]] {
  const { chain, tokens } = market
  const { eid, endpoint, tokenMessaging, spokePool } = bridgeAddresses(chain)
  const pools = stargatePools(chain).map(({ symbol, pool, token }): Placement => {
    const names = [`${symbol}-LP`, `S*${symbol}`]
    const creationCode = code(`stargatePool${symbol}`)
    const rest = [sharedDecimals, endpoint, owner]
    if (isNative(token)) {
      const types = parseAbiParameters('string, string, uint8, uint8, address, address')
      return { address: pool, creationCode, types, args: [...names, nativeDecimals, ...rest] }
    }
    const types = parseAbiParameters('string, string, address, uint8, uint8, address, address')
    const decimals = tokens.find(({ address }) => address === token)?.decimals
    if (decimals === undefined) throw new RangeError(`The sandbox has no ${symbol} to bridge.`)
    return { address: pool, creationCode, types, args: [...names, token, decimals, ...rest] }
  })
  return [
    [
      {
        address: endpoint,
        creationCode: code('lzEndpoint'),
        types: parseAbiParameters('uint32, address'),
        args: [eid, owner],
      },
      {
        address: spokePool,
        creationCode: code('spokePool'),
        types: parseAbiParameters('address, uint32, uint32'),
        args: [chain.wrappedNative, quoteTimeBuffer, fillDeadlineBuffer],
      },
      {
        address: messageLibrary,
        creationCode: sandboxBytecode.MessageLibrary,
        types: parseAbiParameters('address, address, uint32[], uint256[]'),
        args: [
          endpoint,
          layerZeroExecutor.address,
          others.map((other) => bridgeAddresses(other).eid),
          others.map(({ id }) => gasPrices[id] ?? 1n),
        ],
      },
    ],
    [
      {
        address: tokenMessaging,
        creationCode: code('stargateMessaging'),
        types: parseAbiParameters('address, address, uint16'),
        args: [endpoint, owner, queueCapacity],
      },
      ...pools,
    ],
  ]
}

/** Mines nothing. After the pools are there, which its constructor calls: it keeps nothing but its owner. */
export async function placeFeeLibraries(
  chain: ChainWriter,
  definition: ChainDefinition,
  owner: Address,
  creationCode: Hex,
): Promise<void> {
  const libraries = stargatePools(definition).map(({ symbol, pool }) => {
    const address = feeLibraries[definition.id]?.[symbol]
    if (!address) throw new RangeError(`Stargate's pool of ${symbol} has no fee library.`)
    const args = encodeAbiParameters(parseAbiParameters('address'), [pool])
    return { address, code: concatHex([creationCode, args]) }
  })
  const set = (address: Address, code: unknown) => [
    { method: 'anvil_setNonce', params: [address, '0x1'] },
    { method: 'anvil_setCode', params: [address, code] },
  ]
  await chain.all(libraries.flatMap(({ address, code }) => set(address, code)))
  const runtimes = await chain.all(
    libraries.map(({ address }) => ({ method: 'eth_call', params: [{ to: address }, 'latest'] })),
  )
  await chain.all(
    libraries.flatMap(({ address }, index) => [
      ...set(address, runtimes[index]),
      {
        method: 'anvil_setStorageAt',
        params: [address, padHex('0x', { size: 32 }), padHex(owner)],
      },
    ]),
  )
}
