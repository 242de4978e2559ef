/**
 * Balancer's smart order router as a process of its own: `node balancer.mjs <a file beside its node_modules>`. The messages
 * are those of contract.ts. It knows the pools of the Vault alone, and splits the input over paths of one or two of them.
 */
import { createRequire } from 'node:module'
import { answerQuestions } from './answering.mjs'

const require = createRequire(process.argv[2])
const { SOR, SwapTypes } = require('@balancer-labs/sor')
const { BigNumber, formatFixed } = require('@ethersproject/bignumber')

const vault = '0xba12222222228d8ba445958a75a0704d566bf2c8'

let market
let sor
/** Whole tokens that one ether is worth, by token. */
const etherPrices = new Map()

function poolOf(facts) {
  const text = (raw, decimals) => formatFixed(String(raw), decimals)
  const tokens = facts.tokens.map((address, index) => ({
    address,
    balance: text(facts.balances[index], market.decimals[address]),
    decimals: market.decimals[address],
    priceRate: '1',
    weight: facts.weights ? String(facts.weights[index]) : null,
  }))
  return {
    tokens,
    id: facts.id,
    address: facts.id.slice(0, 42),
    poolType: facts.weights ? 'Weighted' : 'Stable',
    swapFee: String(facts.fee),
    swapEnabled: true,
    // Joins and exits are not played.
    totalShares: '1',
    tokensList: facts.tokens,
    ...(facts.weights ? { totalWeight: '1' } : { amp: String(facts.amp) }),
  }
}

async function learn() {
  const config = { chainId: 1, vault, weth: market.wrappedNative }
  const pools = { getPools: async () => market.pools.map(poolOf) }
  const prices = { getNativeAssetPriceInToken: async (token) => etherPrices.get(token) }
  sor = new SOR({}, config, pools, prices)
  await sor.fetchPools()
}

async function plan({ tokenIn, tokenOut, amount: amountIn, perEther }) {
  etherPrices.set(tokenOut, formatFixed(String(perEther), market.decimals[tokenOut]))
  const amount = BigNumber.from(String(amountIn))
  const gasPrice = BigNumber.from(String(market.gasPrice))
  const { swaps, returnAmount, tokenAddresses } = await sor.getSwaps(
    tokenIn,
    tokenOut,
    SwapTypes.SwapExactIn,
    amount,
    { gasPrice },
  )
  if (swaps.length === 0) return null
  let left = amountIn
  const legs = swaps.map(({ poolId, assetInIndex, assetOutIndex, amount: given }) => {
    const isFirst = given !== '0'
    const share = isFirst ? Number(given) / Number(left) : 'previous'
    left -= BigInt(given)
    return {
      share,
      pool: poolId,
      tokenIn: tokenAddresses[assetInIndex],
      tokenOut: tokenAddresses[assetOutIndex],
    }
  })
  return { legs, amountIn, amountOut: BigInt(returnAmount.toString()) }
}

answerQuestions((given) => {
  market = given
  return learn()
}, plan)
