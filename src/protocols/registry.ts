/** Every protocol of the service. A new one is a folder beside this file and one line here. */
import { aaveGsm } from './aave-gsm/index.js'
import { aaveV3, sparkLend } from './aave-v3/index.js'
import { camelotV4, swapxV1 } from './algebra-integral/index.js'
import { lynexFusion, quickswapV3, thenaFusion } from './algebra-v1/index.js'
import { balancerV2 } from './balancer-v2/index.js'
import { balancerV3 } from './balancer-v3/index.js'
import { camelotV2 } from './camelot-v2/index.js'
import { camelotV3 } from './camelot-v3/index.js'
import { compoundV2 } from './compound-v2/index.js'
import { compoundV3 } from './compound-v3/index.js'
import { curve } from './curve/index.js'
import { declaredVenues } from './declared/index.js'
import { dodoV2 } from './dodo-v2/index.js'
import { erc4626 } from './erc-4626/index.js'
import { etherFi } from './ether-fi/index.js'
import { eulerSwap } from './euler-swap/index.js'
import { fluidDex } from './fluid-dex/index.js'
import { fluidDexLite } from './fluid-dex-lite/index.js'
import { fraxEther } from './frax-ether/index.js'
import { lido } from './lido/index.js'
import { liquidityBook } from './liquidity-book/index.js'
import { balancerGauge, curveGauge } from './liquidity-gauge/index.js'
import { llamalend } from './llamalend/index.js'
import { maverickV2 } from './maverick-v2/index.js'
import { morphoBlue } from './morpho-blue/index.js'
import { infinityBin } from './pancakeswap-infinity/bin.js'
import { infinityCl } from './pancakeswap-infinity/cl.js'
import { pendle } from './pendle/index.js'
import type { ProtocolAdapter } from './protocol.js'
import { rocketPool } from './rocket-pool/index.js'
import { signedOrders } from './signed-orders/index.js'
import { sky } from './sky/index.js'
import { skyPsm } from './sky-psm/index.js'
import { aerodromeSlipstream, velodromeSlipstream } from './slipstream/index.js'
import { sparkPsm3 } from './spark-psm3/index.js'
import { stakingRewards } from './staking-rewards/index.js'
import { pancakeswapV2, sushiswapV2, uniswapV2 } from './uniswap-v2/index.js'
import { pancakeswapV3, sushiswapV3, uniswapV3 } from './uniswap-v3/index.js'
import { uniswapV4 } from './uniswap-v4/index.js'
import { aerodromeV1, velodromeV2 } from './velodrome-v2/index.js'
import { wombat } from './wombat/index.js'
import { woofiV2 } from './woofi-v2/index.js'
import { wrappedNative } from './wrapped-native/index.js'
import { yearnV2 } from './yearn-v2/index.js'

/** The order carries no meaning: routes are ranked by output. */
export const protocols: readonly ProtocolAdapter[] = [
  uniswapV2,
  sushiswapV2,
  pancakeswapV2,
  uniswapV3,
  sushiswapV3,
  pancakeswapV3,
  uniswapV4,
  infinityCl,
  infinityBin,
  velodromeV2,
  aerodromeV1,
  velodromeSlipstream,
  aerodromeSlipstream,
  camelotV2,
  camelotV3,
  quickswapV3,
  thenaFusion,
  lynexFusion,
  camelotV4,
  swapxV1,
  fluidDex,
  fluidDexLite,
  liquidityBook,
  balancerV2,
  balancerV3,
  compoundV2,
  compoundV3,
  curve,
  declaredVenues,
  erc4626,
  lido,
  rocketPool,
  etherFi,
  fraxEther,
  signedOrders,
  sky,
  skyPsm,
  sparkPsm3,
  aaveGsm,
  woofiV2,
  wombat,
  eulerSwap,
  dodoV2,
  maverickV2,
  llamalend,
  yearnV2,
  pendle,
  stakingRewards,
  morphoBlue,
  aaveV3,
  sparkLend,
  wrappedNative,
  // Last: their list is long, and is read for a position that no other protocol has.
  curveGauge,
  balancerGauge,
]

const bySlug = new Map(protocols.map((protocol) => [protocol.slug, protocol]))

/** Null for an unknown slug, which a request or an imported pool list may contain. */
export function protocolBySlug(slug: string): ProtocolAdapter | null {
  return bySlug.get(slug) ?? null
}
