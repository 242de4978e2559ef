/** Pools by the events of the PoolManager: whatever their fee, tick spacing and hooks. */
import { toEventSelector } from 'viem'
import { toAddress, zeroAddress } from '../../domain/primitives.js'
import { addressIn, type PoolEvents, wordsOf } from '../pool-events.js'
import { virtualReserves } from '../shared/concentrated/depth.js'
import { depthSlotsFrom } from '../shared/keyed/concentrated.js'
import { dynamicFee, toToken } from '../shared/keyed/currencies.js'
import { poolStateSlot } from './discover.js'
import { hooksOf, keyOf, poolIdOf } from './pool-key.js'

/** @see Uniswap/v4-core 1.0.2, src/interfaces/IPoolManager.sol */
const initialize = toEventSelector(
  'Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)',
)

export function v4PoolEvents(slug: string): PoolEvents {
  return {
    sources: ({ poolManager }) => [{ address: toAddress(String(poolManager)), topic: initialize }],
    toPool({ topics, data }, { poolManager }) {
      const [fee, spacing, hooksWord] = wordsOf(data)
      const [currency0, currency1, hooks] = [topics[2], topics[3], hooksWord].map(addressIn)
      const id = topics[1]
      if (!id || !currency0 || !currency1 || !hooks) return null
      if (fee === undefined || spacing === undefined) return null
      const pool = {
        protocol: slug,
        id,
        address: toAddress(String(poolManager)),
        tokens: [toToken(currency0), toToken(currency1)],
        parameters: {
          fee: Number(BigInt.asUintN(24, fee)),
          tickSpacing: Number(BigInt.asIntN(24, spacing)),
          hooks,
        },
      }
      const key = keyOf(pool)
      return key && poolIdOf(key) === id ? pool : null
    },
    gate(pool) {
      const hooks = hooksOf(pool)
      return hooks === zeroAddress ? null : hooks
    },
    depthSlots: ({ id, address }) => depthSlotsFrom(address, poolStateSlot(id)),
    depth: virtualReserves,
    feePips: ({ parameters: { fee } }) => (fee === dynamicFee ? null : Number(fee)),
  }
}
