/**
 * Sushi's router as a process of its own: `node tines.mjs <a file beside its node_modules>`. The messages are those of
 * contract.ts. It searches as Sushi does: one flow, then as many as it thinks best, gas by its own estimates.
 */
import { createRequire } from 'node:module'
import { answerQuestions } from './answering.mjs'

const tines = createRequire(process.argv[2])('@sushiswap/tines')

let market
let pools = []
const tokens = new Map()

function tokenOf(address) {
  if (!tokens.has(address)) {
    const decimals = market.decimals[address]
    tokens.set(address, { name: address, symbol: address, address, decimals, chainId: 1 })
  }
  return tokens.get(address)
}

function idOf(address) {
  return address.split('/')[0]
}

function poolsOf(facts) {
  const { id: address, fee, balances } = facts
  const own = facts.tokens.map(tokenOf)
  const [token0, token1] = own
  switch (facts.kind) {
    case 'pair':
      return [new tines.ConstantProductRPool(address, token0, token1, fee, ...balances)]
    case 'concentrated': {
      const { tick, liquidity, sqrtPriceX96 } = facts
      const ticks = facts.ticks.map(({ index, net }) => ({ index, DLiquidity: net }))
      const state = [tick, liquidity, sqrtPriceX96, ticks]
      return [new tines.UniV3Pool(address, token0, token1, fee, ...balances, ...state)]
    }
    case 'stable': {
      const made = tines.createCurvePoolsForMultipool(address, own, fee, facts.amp, [...balances])
      // It keeps one pool of each address, and makes one of each pair of coins.
      for (const [index, pool] of made.entries()) pool.address = `${address}/${index}`
      return made
    }
  }
}

function plan({ tokenIn, tokenOut, exact, amount, among, without }) {
  const near = among && new Set(among)
  const usable = pools.filter(
    ({ address, token0, token1 }) =>
      !without.includes(idOf(address)) &&
      (!near || (near.has(token0.address) && near.has(token1.address))),
  )
  const base = tokenOf(market.wrappedNative)
  const gasPrice = Number(market.gasPrice)
  const [from, to] = [tokenOf(tokenIn), tokenOf(tokenOut)]
  const isInput = exact === 'input'
  const find = isInput ? tines.findMultiRouteExactIn : tines.findMultiRouteExactOut
  const route = find(from, to, amount, usable, base, gasPrice)
  // A part of the amount is not what was asked for.
  if (route.status !== 'Success') return null
  const legs = route.legs.map((leg) => ({
    pool: idOf(leg.poolAddress),
    tokenIn: leg.tokenFrom.address,
    tokenOut: leg.tokenTo.address,
    share: leg.swapPortion,
  }))
  return isInput
    ? { legs, amountIn: amount, amountOut: route.amountOutBI }
    : { legs, amountIn: route.amountInBI, amountOut: amount }
}

answerQuestions((given) => {
  market = given
  pools = market.pools.flatMap(poolsOf)
}, plan)
