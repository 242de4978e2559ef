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
const { Pool, TICK_SPACINGS, Tick, TickMath } = require('@uniswap/v3-sdk')

let market
let router
const tokens = new Map()
/** By the tokens, and the fee of V3. */
const known = new Map()
/** Tokens that routes between two tokens may lead through; null: all. */
const among = new Map()

function tokenOf(address) {
  const key = address.toLowerCase()
  if (!tokens.has(key)) tokens.set(key, new Token(1, key, market.decimals[key], key))
  return tokens.get(key)
}

function keyOf(tokenA, tokenB, fee = 'pair') {
  return [tokenA.address.toLowerCase(), tokenB.address.toLowerCase()].sort().concat(fee).join()
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
    known.set(keyOf(token0, token1), { ...depth, pool: new Pair(balance0, balance1) })
    return
  }
  const fee = Math.round(facts.fee * 1e6)
  const ticks = withEnds(facts, TICK_SPACINGS[fee])
  const state = [String(facts.sqrtPriceX96), String(facts.liquidity), facts.tick, ticks]
  known.set(keyOf(token0, token1, fee), {
    ...depth,
    fee,
    ticks: ticks.map(({ index }) => index),
    pool: new Pool(token0, token1, fee, ...state),
  })
}

/** As the providers of pools answer. */
function accessor(keys) {
  const found = keys.flatMap((key) => (known.has(key) ? [known.get(key)] : []))
  return {
    getPool: (tokenA, tokenB, fee) => known.get(keyOf(tokenA, tokenB, fee))?.pool,
    getPoolByAddress: (id) => found.find(({ facts }) => facts.id === id.toLowerCase())?.pool,
    getAllPools: () => found.map(({ pool }) => pool),
  }
}

function addressOf(tokenA, tokenB, fee) {
  const [token0, token1] = tokenA.sortsBefore(tokenB) ? [tokenA, tokenB] : [tokenB, tokenA]
  const one = known.get(keyOf(tokenA, tokenB, fee))
  // It asks for every fee, whether the pool is there or not.
  return { token0, token1, poolAddress: one?.facts.id ?? keyOf(tokenA, tokenB, fee) }
}

async function swap(pool, amount) {
  const [output, after] = await pool.getOutputAmount(amount, false)
  if (!(pool instanceof Pool)) return { output, price: 0, crossed: 0 }
  const { ticks } = known.get(keyOf(pool.token0, pool.token1, pool.fee))
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
    .filter(({ facts }) => facts.kind === kind)
    .filter(({ facts }) => !near || facts.tokens.every((token) => near.has(token)))
    .map(({ facts, fee, ether }) => ({
      id: facts.id,
      token0: { id: facts.tokens[0] },
      token1: { id: facts.tokens[1] },
      ...(kind === 'pair'
        ? { supply: 1, reserve: ether, reserveUSD: ether }
        : {
            feeTier: String(fee),
            liquidity: String(facts.liquidity),
            tvlETH: ether,
            tvlUSD: ether,
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
    v4Supported: [],
    mixedSupported: [1],
    mixedCrossLiquidityV3AgainstV4Supported: [],
    v4PoolProvider: { getPools: async () => accessor([]) },
    v4SubgraphProvider: { getPools: async () => [] },
    v3SubgraphProvider: { getPools: async (...pair) => listed('concentrated', ...pair) },
    v2SubgraphProvider: { getPools: async (...pair) => listed('pair', ...pair) },
    v3PoolProvider: {
      getPools: async (wanted) => accessor(wanted.map((each) => keyOf(...each))),
      getPoolAddress: addressOf,
    },
    v2PoolProvider: {
      getPools: async (wanted) => accessor(wanted.map(([a, b]) => keyOf(a, b))),
      getPoolAddress: (a, b) => addressOf(a, b, 'pair'),
    },
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
    protocols: [Protocol.V2, Protocol.V3, Protocol.MIXED],
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
      const fee = pool instanceof Pool ? pool.fee : 'pair'
      const { facts } = known.get(keyOf(pool.token0, pool.token1, fee))
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
