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
import type { BasketSpec, Market, PairSpec } from './market-pools.js'
import { balancerPoolSpecs, curvePoolSpecs } from './market-specs.js'

export interface MarketState {
  /** Square roots of the prices of the market's `pairSpecs`, Q64.96. */
  readonly roots: readonly bigint[]
  /** Balances of its `baskets`, raw units in the order of each pool. */
  readonly balances: readonly (readonly bigint[])[]
}

interface Read {
  readonly target: Address
  readonly callData: Hex
}

const reserveMask = (1n << 112n) - 1n
const rootMask = (1n << 160n) - 1n

/** @returns reads the newest block. What is asked is the same for every block, so it is encoded once. */
export function createMarketReader(chain: ChainWriter, market: Market): () => Promise<MarketState> {
  const { pairSpecs, baskets } = market
  const pairReads = pairSpecs.map((spec) => pairRead(market, spec))
  const basketReads = baskets.map(readsOfBasket)
  const allReads = [...pairReads, ...basketReads.flat()]
  const data = encodeFunctionData({ abi: readAbi, functionName: 'aggregate', args: [allReads] })
  return async () => {
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
      roots: pairSpecs.map((spec, index) => rootOf(spec, wordsOf(answers[index]))),
      balances: baskets.map((spec, index) => {
        const from = next
        next += basketReads[index]?.length ?? 0
        return balancesOf(spec, answers.slice(from, next).map(wordsOf))
      }),
    }
  }
}

function pairRead({ addressOf }: Market, spec: PairSpec): Read {
  if (spec.protocol === 'uniswap-v4') {
    const slot = numberToHex(poolStateSlot(poolIdOf(v4Pool(spec).key)), { size: 32 })
    const callData = encodeFunctionData({ abi: readAbi, functionName: 'extsload', args: [slot] })
    return { target: at.v4PoolManager, callData }
  }
  const functionName = spec.protocol === 'uniswap-v3' ? 'slot0' : 'getReserves'
  return { target: addressOf(spec), callData: encodeFunctionData({ abi: readAbi, functionName }) }
}

function rootOf(spec: PairSpec, [first = 0n, second = 0n]: readonly bigint[]): bigint {
  if (spec.protocol === 'uniswap-v4' || spec.protocol === 'uniswap-v3') return first & rootMask
  return squareRoot(((second & reserveMask) << 192n) / first)
}

function readsOfBasket(spec: BasketSpec): Read[] {
  if (spec.protocol === 'balancer-v2') {
    const args = [balancerPoolId(balancerPoolSpecs.indexOf(spec))] as const
    const callData = encodeFunctionData({ abi: readAbi, functionName: 'getPoolTokens', args })
    return [{ target: at.balancerVault, callData }]
  }
  const target = curvePoolAddresses[curvePoolSpecs.indexOf(spec)]
  if (!target) throw new RangeError(`${spec.lpName} has no address.`)
  return spec.symbols.map((_symbol, place) => {
    const args = [BigInt(place)] as const
    return {
      target,
      callData: encodeFunctionData({ abi: readAbi, functionName: 'balances', args }),
    }
  })
}

/** The vault answers with offsets of two arrays and a block, then the tokens, then the balances. */
function balancesOf(spec: BasketSpec, answers: readonly (readonly bigint[])[]): bigint[] {
  if (spec.protocol === 'curve') return answers.map(([balance = 0n]) => balance)
  return (answers[0] ?? []).slice(5 + spec.symbols.length)
}

function wordsOf(data: Hex = '0x'): bigint[] {
  return (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
}
