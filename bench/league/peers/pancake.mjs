/**
 * PancakeSwap's routers as a process of their own: `node pancake.mjs <a file beside its node_modules> [smart]`. The messages
 * are those of contract.ts. Both split the input over paths, each of which is carried out alone, as their own contracts do.
 */
import { createRequire } from 'node:module'
import { answerQuestions } from './answering.mjs'

const require = createRequire(process.argv[2])
const { CurrencyAmount, ERC20Token, Percent, TradeType } = require('@pancakeswap/sdk')
const { TICK_SPACINGS, Tick, TickMath, encodeSqrtRatioX96 } = require('@pancakeswap/v3-sdk')
const { InfinityRouter, SmartRouter } = require('@pancakeswap/smart-router')

const isSmart = process.argv[3] === 'smart'

/** Uniswap's tier, which PancakeSwap has at 2,500. */
TICK_SPACINGS[3_000] = 60
const poolType = { v3: 1, stable: 2 }

let market
const pools = []
const tokens = new Map()

function tokenOf(address) {
  if (!tokens.has(address)) {
    tokens.set(address, new ERC20Token(1, address, market.decimals[address], address))
  }
  return tokens.get(address)
}

function addressOf(currency) {
  return currency.wrapped.address.toLowerCase()
}

/** What lies outside the ticks that are known holds at both ends. */
function withEnds(facts, spacing) {
  const below = facts.ticks.filter(({ index }) => index <= facts.tick)
  const sum = (list) => list.reduce((total, { net }) => total + net, 0n)
  const outside = facts.liquidity - sum(below)
  const end = Math.floor(TickMath.MAX_TICK / spacing) * spacing
  const known = facts.ticks.filter(({ index }) => Math.abs(index) < end)
  const first = outside + sum(facts.ticks) - sum(known)
  return [{ index: -end, net: first }, ...known, { index: end, net: -first - sum(known) }].flatMap(
    ({ index, net }) =>
      net === 0n
        ? []
        : [new Tick({ index, liquidityNet: net, liquidityGross: net < 0n ? -net : net })],
  )
}

function concentrated(facts, fee, ticks) {
  const [token0, token1] = facts.tokens.map(tokenOf)
  const none = new Percent(0, 1)
  return {
    type: poolType.v3,
    token0,
    token1,
    fee,
    ticks,
    address: facts.id,
    liquidity: facts.liquidity,
    sqrtRatioX96: facts.sqrtPriceX96,
    tick: facts.tick,
    token0ProtocolFee: none,
    token1ProtocolFee: none,
    reserve0: CurrencyAmount.fromRawAmount(token0, facts.balances[0]),
    reserve1: CurrencyAmount.fromRawAmount(token1, facts.balances[1]),
  }
}

/** SmartRouter sees the first two coins of a pool alone, so it gets the pool once for each two. */
function poolsOf(facts) {
  if (!isSmart || facts.kind !== 'stable') return [poolOf(facts)]
  const { balances, ...rest } = poolOf(facts)
  return balances.flatMap((first, index) =>
    balances.slice(index + 1).map((second) => ({
      ...rest,
      balances: [first, second, ...balances.filter((each) => each !== first && each !== second)],
    })),
  )
}

function poolOf(facts) {
  const fee = Math.round(facts.fee * 1e6)
  switch (facts.kind) {
    case 'pair': {
      // Its own pairs have another fee; this is the same curve as a position over all prices.
      const [reserve0, reserve1] = facts.balances
      const sqrtPriceX96 = encodeSqrtRatioX96(reserve1, reserve0)
      const whole = {
        ...facts,
        sqrtPriceX96,
        tick: TickMath.getTickAtSqrtRatio(sqrtPriceX96),
        liquidity: (reserve0 * sqrtPriceX96) >> 96n,
        ticks: [],
      }
      return concentrated(whole, fee, withEnds(whole, TICK_SPACINGS[fee]))
    }
    case 'concentrated':
      return concentrated(facts, fee, withEnds(facts, TICK_SPACINGS[fee]))
    case 'stable':
      return {
        type: poolType.stable,
        address: facts.id,
        balances: facts.tokens.map((token, index) =>
          CurrencyAmount.fromRawAmount(tokenOf(token), facts.balances[index]),
        ),
        amplifier: BigInt(facts.amp),
        fee: new Percent(fee, 1_000_000),
      }
  }
}

async function plan({ tokenIn, tokenOut, exact, amount, among, without }) {
  const near = among && new Set(among)
  const isUsable = ({ facts }) =>
    !without.includes(facts.id) &&
    (!near || facts.tokens.filter((token) => near.has(token)).length > 1)
  const isInput = exact === 'input'
  const [stated, other] = (isInput ? [tokenIn, tokenOut] : [tokenOut, tokenIn]).map(tokenOf)
  const candidatePools = pools.filter(isUsable).map(({ pool }) => pool)
  const trade = await (isSmart ? SmartRouter : InfinityRouter).getBestTrade(
    CurrencyAmount.fromRawAmount(stated, amount),
    other,
    isInput ? TradeType.EXACT_INPUT : TradeType.EXACT_OUTPUT,
    {
      gasPriceWei: market.gasPrice,
      ...(isSmart
        ? {
            blockNumber: 1,
            quoterOptimization: false,
            poolProvider: SmartRouter.createStaticPoolProvider(candidatePools),
            quoteProvider: SmartRouter.createOffChainQuoteProvider(),
          }
        : { candidatePools }),
    },
  )
  if (!trade) return null
  const amountIn = trade.inputAmount.quotient
  let left = amountIn
  const legs = trade.routes.flatMap(({ path, pools: hops, inputAmount }, place) => {
    const isLast = place === trade.routes.length - 1
    const share = isLast ? 1 : Number(inputAmount.quotient) / Number(left)
    left -= inputAmount.quotient
    return hops.map((pool, hop) => ({
      pool: pool.address,
      tokenIn: addressOf(path[hop]),
      tokenOut: addressOf(path[hop + 1]),
      share: hop === 0 ? share : 'previous',
    }))
  })
  return { legs, amountIn, amountOut: trade.outputAmount.quotient }
}

answerQuestions((given) => {
  market = given
  for (const facts of market.pools) {
    for (const pool of poolsOf(facts)) pools.push({ facts, pool })
  }
}, plan)
