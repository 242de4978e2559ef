import { encodeFunctionData } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import type { StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { readWord } from '../shared/read-word.js'
import { cometAbi, encodeRead } from './abi.js'
import { describeComets, wordAt } from './markets.js'
import { accruedIndex, type CometState } from './math.js'

const flags = { supply: 1n, withdraw: 4n } as const

/** Interest is counted until the time of the simulated block, at the rate that the market has stored. */
export async function loadComets(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly pools: readonly Pool[]
}): Promise<(LoadedPool<CometState> | Unreadable)[]> {
  const { reader, chain, pools } = args
  const addresses = pools.map(({ address }) => address)
  const { comets } = await describeComets(reader, addresses)
  const baseTokens = new Map(comets.map(({ address, baseToken }) => [address, baseToken]))
  const [totals, utilizations, cash] = await Promise.all([
    reader.call(addresses.map((to) => ({ to, data: encodeRead('totalsBasic') }))),
    reader.call(addresses.map((to) => ({ to, data: encodeRead('getUtilization') }))),
    reader.call(
      addresses.map((address) => ({
        to: baseTokens.get(address) ?? address,
        data: encodeFunctionData({ abi: [cometAbi.balanceOf], args: [address] }),
      })),
    ),
  ])
  const rates = await reader.call(
    addresses.map((to, index) => {
      const utilization = readWord(utilizations[index]) ?? 0n
      return { to, data: encodeRead('getSupplyRate', [utilization]) }
    }),
  )
  const time = nextBlockTime(reader.block, chain.blockTimeSeconds)
  return pools.map((pool, index) => {
    const total = totals[index]
    const [rate, held] = [readWord(rates[index]), readWord(cash[index])]
    if (!total?.ok || readWord(utilizations[index]) === null || rate === null || held === null) {
      return unreadablePool(pool, 'Its totals or its rate could not be read.')
    }
    if (pool.tokens[0] !== baseTokens.get(pool.address) || pool.tokens[1] !== pool.address) {
      return unreadablePool(pool, 'A market has two tokens: its base token, and itself.')
    }
    const word = (at: number) => BigInt(wordAt(total.value, at))
    const paused = word(7)
    const state: CometState = {
      supplyIndex: accruedIndex(word(0), rate, time - word(6)),
      cash: held,
      isSupplyPaused: (paused & flags.supply) !== 0n,
      isWithdrawPaused: (paused & flags.withdraw) !== 0n,
    }
    return { pool, state, partial: false }
  })
}
