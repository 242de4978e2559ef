import { expect, test } from 'vitest'
import { contractAddress } from '../../executor/deployments.js'
import { contractAddresses as at } from '../addresses.js'
import { sandboxToken } from '../tokens.js'
import { ethereumMarket as market } from './market-pools.js'
import { traderSwap, traders } from './traders.js'

const trader = traders[0]?.address ?? '0x'
const ours = contractAddress('Router')

function calledFor(protocol: string): (string | null)[] {
  const spec = market.pairSpecs.find((one) => one.protocol === protocol)
  if (!spec) throw new Error(`There is no pool of ${protocol}.`)
  const swap = { kind: 'pair', spec, zeroForOne: true, amount: 1000n } as const
  return [0, 1, 2].map((turn) => traderSwap(market, swap, trader, turn).to)
}

test('routers take turns, each for the pools that it knows', () => {
  const { swapRouter02, universalRouter } = at
  expect(calledFor('uniswap-v2')).toEqual([swapRouter02, universalRouter, ours])
  expect(calledFor('uniswap-v3')).toEqual([swapRouter02, universalRouter, ours])
  expect(calledFor('uniswap-v4')).toEqual([universalRouter, ours, universalRouter])
  expect(calledFor('sushiswap-v2')).toEqual([ours, ours, ours])
})

test('ether that goes into a pool of V4 is sent along', () => {
  const spec = market.pairSpecs.find(({ symbols }) => symbols[0] === 'ETH')
  if (!spec) throw new Error('There is no pool with ether.')
  const values = [0, 1].flatMap((turn) =>
    [true, false].map((zeroForOne) => {
      const swap = { kind: 'pair', spec, zeroForOne, amount: 1000n } as const
      return traderSwap(market, swap, trader, turn).value ?? 0n
    }),
  )
  expect(values).toEqual([1000n, 0n, 1000n, 0n])
})

test('in baskets traders call the contract of the pool', () => {
  const targets = market.baskets.map((spec) => {
    const [from, to] = [sandboxToken(spec.symbols[0] ?? ''), sandboxToken(spec.symbols[1] ?? '')]
    const swap = { kind: 'basket', spec, from, to, amount: 1000n } as const
    return traderSwap(market, swap, trader, 0).to
  })
  expect(new Set(targets)).toContain(at.balancerVault)
  expect(new Set(targets).size).toBe(3)
})
