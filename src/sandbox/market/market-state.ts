/** Reads the prices of all pools that follow the market, in one call. */
import { decodeFunctionResult, encodeFunctionData, type Hex, numberToHex } from 'viem'
import type { Address } from '../../domain/primitives.js'
import { poolStateSlot } from '../../protocols/uniswap-v4/discover.js'
import { poolIdOf } from '../../protocols/uniswap-v4/pool-key.js'
import { contractAddresses as at, curvePoolAddresses } from '../addresses.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { squareRoot } from './amounts.js'
import { balancerPoolId, v4Pool } from './catalog.js'
import { readAbi } from './market-abi.js'
import { balancerPlans, curvePlans } from './market-plan.js'
import {
  addressOf,
  type BasketPlan,
  basketPlans,
  type PairPlan,
  pairPlans,
} from './market-pools.js'

export interface MarketState {
  /** Square roots of the prices of `pairPlans`, Q64.96. */
  readonly roots: readonly bigint[]
  /** Balances of `basketPlans`, raw units in the order of each pool. */
  readonly balances: readonly (readonly bigint[])[]
}

interface Read {
  readonly target: Address
  readonly callData: Hex
}

const reserveMask = (1n << 112n) - 1n
const rootMask = (1n << 160n) - 1n

const pairReads = pairPlans.map(pairRead)
const basketReads = basketPlans.map(readsOfBasket)
const allReads = [...pairReads, ...basketReads.flat()]

export async function readMarket(chain: ChainWriter): Promise<MarketState> {
  const data = encodeFunctionData({ abi: readAbi, functionName: 'aggregate', args: [allReads] })
  const [result] = await chain.all([
    { method: 'eth_call', params: [{ to: at.multicall3, data }, 'latest'] },
  ])
  const [, answers] = decodeFunctionResult({
    abi: readAbi,
    functionName: 'aggregate',
    data: result as Hex,
  })
  let next = pairReads.length
  return {
    roots: pairPlans.map((plan, index) => rootOf(plan, wordsOf(answers[index]))),
    balances: basketPlans.map((plan, index) => {
      const from = next
      next += basketReads[index]?.length ?? 0
      return balancesOf(plan, answers.slice(from, next).map(wordsOf))
    }),
  }
}

function pairRead(plan: PairPlan): Read {
  if (plan.protocol === 'uniswap-v4') {
    const slot = numberToHex(poolStateSlot(poolIdOf(v4Pool(plan).key)), { size: 32 })
    const callData = encodeFunctionData({ abi: readAbi, functionName: 'extsload', args: [slot] })
    return { target: at.v4PoolManager, callData }
  }
  const functionName = plan.protocol === 'uniswap-v3' ? 'slot0' : 'getReserves'
  return { target: addressOf(plan), callData: encodeFunctionData({ abi: readAbi, functionName }) }
}

function rootOf(plan: PairPlan, [first = 0n, second = 0n]: readonly bigint[]): bigint {
  if (plan.protocol === 'uniswap-v4' || plan.protocol === 'uniswap-v3') return first & rootMask
  return squareRoot(((second & reserveMask) << 192n) / first)
}

function readsOfBasket(plan: BasketPlan): Read[] {
  if (plan.protocol === 'balancer-v2') {
    const args = [balancerPoolId(balancerPlans.indexOf(plan))] as const
    const callData = encodeFunctionData({ abi: readAbi, functionName: 'getPoolTokens', args })
    return [{ target: at.balancerVault, callData }]
  }
  const target = curvePoolAddresses[curvePlans.indexOf(plan)]
  if (!target) throw new RangeError(`${plan.lpName} has no address.`)
  return plan.symbols.map((_symbol, place) => {
    const args = [BigInt(place)] as const
    return {
      target,
      callData: encodeFunctionData({ abi: readAbi, functionName: 'balances', args }),
    }
  })
}

/** The vault answers with offsets of two arrays and a block, then the tokens, then the balances. */
function balancesOf(plan: BasketPlan, answers: readonly (readonly bigint[])[]): bigint[] {
  if (plan.protocol === 'curve') return answers.map(([balance = 0n]) => balance)
  return (answers[0] ?? []).slice(5 + plan.symbols.length)
}

function wordsOf(data: Hex = '0x'): bigint[] {
  return (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
}
