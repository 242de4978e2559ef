/**
 * Uniswap's smart order router as a process of its own: `node uniswap.mjs <a file beside its node_modules>`. The messages
 * are those of contract.ts. It asks a chain and a subgraph: both are answered from the market that it was given, and the
 * contract that quotes is stood in for by Uniswap's own math.
 */
import { createRequire } from 'node:module'
import { answerQuestions } from './answering.mjs'

const require = createRequire(process.argv[2])
const JSBI = require('jsbi')
const { BigNumber } = require('@ethersproject/bignumber')
const { Protocol } = require('@uniswap/router-sdk')
const { CurrencyAmount, Token, TradeType } = require('@uniswap/sdk-core')
const { AlphaRouter, StaticGasPriceProvider } = require('@uniswap/smart-order-router')
const { Pair } = require('@uniswap/v2-sdk')
const { Pool: V3Pool, Tick, TickMath } = require('@uniswap/v3-sdk')
const { Pool: V4Pool } = require('@uniswap/v4-sdk')

/** Pools with hooks are not on this chain. */
const noHooks = '0x0000000000000000000000000000000000000000'

let market
let router
const tokens = new Map()
/** By the tokens, the version, and what else tells pools of one version apart. */
const known = new Map()
/** Tokens that routes between two tokens may lead through; null: all. */
const among = new Map()

function tokenOf(address) {
  const key = address.toLowerCase()
  if (!tokens.has(key)) tokens.set(key, new Token(1, key, market.decimals[key], key))
  return tokens.get(key)
}

function keyOf(tokenA, tokenB, ...more) {
  return [tokenA.address.toLowerCase(), tokenB.address.toLowerCase()].sort().concat(more).join()
}

/** @param wanted - two tokens; for V3 the fee, for V4 the fee, the tick spacing and the hooks behind them. */
function keyOfKind(kind, [tokenA, tokenB, fee, tickSpacing]) {
  switch (kind) {
    case 'v2':
      return keyOf(tokenA, tokenB, kind)
    case 'v3':
      return keyOf(tokenA, tokenB, kind, fee)
    default:
      return keyOf(tokenA, tokenB, kind, fee, tickSpacing)
  }
}

function keyOfPool(pool) {
  const { token0, token1, fee, tickSpacing } = pool
  return keyOfKind(kindOf(pool), [token0, token1, fee, tickSpacing])
}

function kindOf(pool) {
  if (pool instanceof Pair) return 'v2'
  return pool instanceof V3Pool ? 'v3' : 'v4'
}

/** A pool that is 32 bytes of a contract, and no contract of its own. */
function isV4({ id }) {
  return id.length > 42
}

/** What lies outside the ticks that are known holds at both ends. */
function withEnds(facts, spacing) {
  const sum = (list) => list.reduce((total, { net }) => total + net, 0n)
  const outside = facts.liquidity - sum(facts.ticks.filter(({ index }) => index <= facts.tick))
  const end = Math.floor(TickMath.MAX_TICK / spacing) * spacing
  const all = [
    { index: -end, net: outside },
    ...facts.ticks,
    { index: end, net: -outside - sum(facts.ticks) },
  ]
  return all
    .filter(({ net }) => net !== 0n)
    .map(({ index, net }) => {
      const gross = net < 0n ? -net : net
      return new Tick({ index, liquidityNet: String(net), liquidityGross: String(gross) })
    })
}

function learnPool(facts) {
  const [token0, token1] = facts.tokens.map(tokenOf)
  const [balance0, balance1] = facts.balances.map((balance, index) =>
    CurrencyAmount.fromRawAmount(tokenOf(facts.tokens[index]), String(balance)),
  )
  const ethOf = (amount) =>
    Number(amount.toExact()) * (market.etherPrices[amount.currency.address.toLowerCase()] ?? 0)
  const depth = { ether: ethOf(balance0) + ethOf(balance1), facts }
  if (facts.kind === 'pair') {
    const pool = new Pair(balance0, balance1)
    known.set(keyOfPool(pool), { ...depth, pool })
    return
  }
  const fee = Math.round(facts.fee * 1e6)
  const { tickSpacing } = facts
  const ticks = withEnds(facts, tickSpacing)
  const state = [String(facts.sqrtPriceX96), String(facts.liquidity), facts.tick, ticks]
  const pool = isV4(facts)
    ? new V4Pool(token0, token1, fee, tickSpacing, noHooks, ...state)
    : new V3Pool(token0, token1, fee, ...state)
  known.set(keyOfPool(pool), {
    ...depth,
    ticks: ticks.map(({ index }) => index),
    pool,
  })
}

function accessor(kind, wanted) {
  const found = wanted.flatMap((each) => known.get(keyOfKind(kind, each)) ?? [])
  return {
    getPool: (...wanted) => known.get(keyOfKind(kind, wanted))?.pool,
    [kind === 'v4' ? 'getPoolById' : 'getPoolByAddress']: (id) =>
      found.find(({ facts }) => facts.id === id.toLowerCase())?.pool,
    getAllPools: () => found.map(({ pool }) => pool),
  }
}

/** The tokens in their order, and the id; the router asks for every fee, whether the pool is there or not. */
function identityOf(kind, wanted) {
  const [tokenA, tokenB] = wanted
  const [first, second] = tokenA.sortsBefore(tokenB) ? [tokenA, tokenB] : [tokenB, tokenA]
  const key = keyOfKind(kind, wanted)
  const id = known.get(key)?.facts.id ?? key
  return kind === 'v4'
    ? { currency0: first, currency1: second, poolId: id }
    : { token0: first, token1: second, poolAddress: id }
}

/** Answers as the providers of pools do. */
function providerOf(kind) {
  return {
    getPools: async (wanted) => accessor(kind, wanted),
    [kind === 'v4' ? 'getPoolId' : 'getPoolAddress']: (...wanted) => identityOf(kind, wanted),
  }
}

async function swap(pool, amount) {
  if (pool instanceof Pair) {
    const [output] = pool.getOutputAmount(amount, false)
    return { output, price: 0, crossed: 0 }
  }
  const [output, after] = await pool.getOutputAmount(amount)
  const { ticks } = known.get(keyOfPool(pool))
  const [from, to] = [pool.tickCurrent, after.tickCurrent].sort((a, b) => a - b)
  const crossed = ticks.filter((tick) => tick > from && tick <= to).length
  return { output, price: after.sqrtRatioX96, crossed }
}

async function quote(route, amount) {
  const none = { quote: null, sqrtPriceX96AfterList: null, initializedTicksCrossedList: null }
  try {
    const swaps = []
    for (const pool of route.pools ?? route.pairs) {
      swaps.push(await swap(pool, swaps.at(-1)?.output ?? amount))
    }
    return {
      amount,
      quote: BigNumber.from(swaps.at(-1).output.quotient.toString()),
      sqrtPriceX96AfterList: swaps.map(({ price }) => BigNumber.from(price.toString())),
      initializedTicksCrossedList: swaps.map(({ crossed }) => crossed),
      gasEstimate: BigNumber.from(0),
      gasLimit: BigNumber.from(0),
    }
  } catch {
    // A pool that cannot take the amount has no quote.
    return { ...none, amount, gasEstimate: null, gasLimit: null }
  }
}

async function quotes(amounts, routes) {
  const routesWithQuotes = []
  for (const route of routes) {
    const own = []
    for (const amount of amounts) own.push(await quote(route, amount))
    routesWithQuotes.push([route, own])
  }
  return { routesWithQuotes, blockNumber: BigNumber.from(1) }
}

/** As a subgraph lists pools, of this kind. */
function listed(kind, tokenIn, tokenOut) {
  const near = among.get(keyOf(tokenIn, tokenOut))
  return [...known.values()]
    .filter(({ pool }) => kindOf(pool) === kind)
    .filter(({ facts }) => !near || facts.tokens.every((token) => near.has(token)))
    .map(({ facts, pool, ether }) => ({
      id: facts.id,
      token0: { id: facts.tokens[0] },
      token1: { id: facts.tokens[1] },
      ...(kind === 'v2'
        ? { supply: 1, reserve: ether, reserveUSD: ether }
        : {
            feeTier: String(pool.fee),
            liquidity: String(facts.liquidity),
            tvlETH: ether,
            tvlUSD: ether,
            tickSpacing: String(facts.tickSpacing),
            hooks: noHooks,
          }),
    }))
}

function learn() {
  market.pools.forEach(learnPool)
  const provider = { getBlockNumber: async () => 1, _isProvider: true }
  router = new AlphaRouter({
    chainId: 1,
    provider,
    multicall2Provider: {},
    v2Supported: [1],
    v4Supported: [1],
    mixedSupported: [1],
    mixedCrossLiquidityV3AgainstV4Supported: [],
    v4SubgraphProvider: { getPools: async (...pair) => listed('v4', ...pair) },
    v3SubgraphProvider: { getPools: async (...pair) => listed('v3', ...pair) },
    v2SubgraphProvider: { getPools: async (...pair) => listed('v2', ...pair) },
    v4PoolProvider: providerOf('v4'),
    v3PoolProvider: providerOf('v3'),
    v2PoolProvider: providerOf('v2'),
    onChainQuoteProvider: { getQuotesManyExactIn: quotes },
    tokenProvider: {
      getTokens: async () => ({
        getTokenByAddress: (address) => tokenOf(address),
        getTokenBySymbol: () => undefined,
        getAllTokens: () => [...tokens.values()],
      }),
    },
    gasPriceProvider: new StaticGasPriceProvider(BigNumber.from(String(market.gasPrice))),
    blockedTokenListProvider: {
      hasTokenByAddress: async () => false,
      getTokenByAddress: async () => undefined,
      getTokenBySymbol: async () => undefined,
    },
    tokenValidatorProvider: {
      validateTokens: async () => ({ getValidationByToken: () => undefined }),
    },
    tokenPropertiesProvider: { getTokensProperties: async () => ({}) },
    swapRouterProvider: {},
  })
}

async function plan({ tokenIn, tokenOut, amount: amountIn, among: near }) {
  among.set(keyOf(tokenOf(tokenIn), tokenOf(tokenOut)), near && new Set(near))
  const amount = CurrencyAmount.fromRawAmount(tokenOf(tokenIn), JSBI.BigInt(String(amountIn)))
  const found = await router.route(amount, tokenOf(tokenOut), TradeType.EXACT_INPUT, undefined, {
    protocols: [Protocol.V2, Protocol.V3, Protocol.V4, Protocol.MIXED],
    useCachedRoutes: false,
    writeToCachedRoutes: false,
  })
  if (!found) return null
  let left = amountIn
  const legs = found.route.flatMap(({ route, amount: part }, place) => {
    const given = BigInt(part.quotient.toString())
    const share = place === found.route.length - 1 ? 1 : Number(given) / Number(left)
    left -= given
    let token = route.input.address.toLowerCase()
    return (route.pools ?? route.pairs).map((pool, hop) => {
      const { facts } = known.get(keyOfPool(pool))
      const from = token
      token = facts.tokens.find((each) => each !== from)
      return { pool: facts.id, tokenIn: from, tokenOut: token, share: hop ? 'previous' : share }
    })
  })
  return { legs, amountIn, amountOut: BigInt(found.quote.quotient.toString()) }
}

answerQuestions((given) => {
  market = given
  learn()
}, plan)
