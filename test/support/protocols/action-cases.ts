/** For every action of every protocol a bundle that ends with it, to be carried out on the sandbox chain. */
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import {
  contractAddresses,
  curvePoolAddresses,
  curveSharesAddresses,
  v2PairAddress,
} from '../../../src/sandbox/addresses.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { sandboxVault } from '../../../src/sandbox/venues/erc-4626.js'
import { gaugeSpecs, stakedToken } from '../../../src/sandbox/venues/staking-rewards.js'
import { yearnVaultSpecs } from '../../../src/sandbox/venues/yearn-v2.js'
import { type Action, output } from '../bundle.js'
import { gsm } from './declared/place-gsm.js'
import { converterAddress } from './place-converters.js'
import { gaugeCases } from './place-gauges.js'

/**
 * The code of one is that of aave-v3, of which the chain has one market (test/integration/protocols/spark-lend.itest.ts); the Vault of the
 * second takes minutes to compile (test/e2e/routes/balancer-v3.slow.ts); those
 * of Wombat stand on Arbitrum (test/e2e/chains/wombat.slow.ts); the others need an index (test/e2e/pool-index).
 */
export const withoutContracts = [
  'spark-lend',
  'balancer-v3',
  'pendle',
  'euler-swap',
  'dodo-v2',
  'maverick-v2',
  'llamalend',
  'wombat',
]

export interface ActionCase {
  readonly protocol: string
  /** The last one is what the case is for. */
  readonly actions: readonly Action[]
  readonly routingStrategy?: string
  /** Who has what the case needs already; absent: anybody, funded for the simulation. */
  readonly holder?: Address
}

const alice = sandboxAccount('alice').address
const ether = 10n ** 18n
const token = (symbol: string): Address => sandboxToken(symbol).address
const [weth, usdc, dai, wbtc] = [token('WETH'), token('USDC'), token('DAI'), token('WBTC')]
const [stETH, wstETH, crv] = [token('stETH'), token('wstETH'), token('CRV')]

const of =
  (protocol: string) =>
  (action: string, args: Record<string, unknown>): Action => ({ protocol, action, args })

function cases(
  protocol: string,
  lists: readonly (readonly Action[])[],
  more: Omit<ActionCase, 'protocol' | 'actions'> = {},
): ActionCase[] {
  return lists.map((actions) => ({ protocol, actions, ...more }))
}

const swapped = { tokenIn: weth, tokenOut: usdc, amountIn: ether.toString(), slippage: '100' }

/** @param shares - a pair of WETH and `other`. */
function pairCases(protocol: string, shares: Address, other: Address): ActionCase[] {
  const act = of(protocol)
  const common = { primaryAddress: shares }
  const deposit = act('deposit', {
    ...common,
    tokenIn: weth,
    amountIn: ether.toString(),
    tokenOut: shares,
  })
  const back = { ...common, tokenIn: shares, amountIn: output(0) }
  return cases(protocol, [
    [deposit],
    [deposit, act('redeem', { ...back, tokenOut: [weth, other] })],
    [deposit, act('withdraw', { ...back, tokenOut: weth })],
    [act('swap', { ...swapped, tokenOut: other })],
  ])
}

/** @param nft - id of a position NFT of alice. */
function v3Cases(nft: string): ActionCase[] {
  const act = of('uniswap-v3')
  const own = { primaryAddress: contractAddresses.v3PositionManager, tokenId: nft }
  return [
    ...cases('uniswap-v3', [
      [
        act('deposit', {
          primaryAddress: contractAddresses.v3PositionManager,
          tokenIn: [usdc, weth],
          amountIn: ['30000000000', (10n * ether).toString()],
          fee: 500,
          tickLower: 100_000,
          tickUpper: 300_000,
        }),
      ],
      [act('swap', swapped)],
    ]),
    ...cases(
      'uniswap-v3',
      [
        [act('harvest', own)],
        [act('withdraw', { ...own, amountIn: '1000000000' })],
        [act('redeem', own)],
      ],
      { holder: alice },
    ),
  ]
}

function balancerCases(): ActionCase[] {
  const act = of('balancer-v2')
  const pool = sandboxPools().find(
    ({ protocol, tokens }) =>
      protocol === 'balancer-v2' &&
      tokens.length === 2 &&
      tokens.includes(wbtc) &&
      tokens.includes(weth),
  )
  if (!pool) throw new RangeError('The sandbox has no Balancer pool of WBTC and WETH.')
  const shares = pool.id.slice(0, 42)
  const deposit = act('deposit', {
    primaryAddress: shares,
    tokenIn: weth,
    amountIn: ether.toString(),
    tokenOut: shares,
  })
  const redeem = { primaryAddress: shares, tokenIn: shares, amountIn: output(0) }
  return cases('balancer-v2', [
    [deposit],
    [deposit, act('redeem', { ...redeem, tokenOut: [wbtc, weth] })],
    [act('swap', { ...swapped, tokenOut: wbtc })],
  ])
}

function curveCases(): ActionCase[] {
  const act = of('curve')
  const [pool, shares] = [curvePoolAddresses[0], curveSharesAddresses[0]]
  const deposit = act('deposit', {
    primaryAddress: pool,
    tokenIn: dai,
    amountIn: (1_000n * ether).toString(),
    tokenOut: shares,
  })
  const back = { primaryAddress: pool, tokenIn: shares }
  return cases('curve', [
    [deposit],
    [deposit, act('redeem', { ...back, amountIn: output(0), tokenOut: usdc })],
    [act('withdraw', { ...back, tokenOut: dai, amountOut: (500n * ether).toString() })],
    [act('swap', { ...swapped, tokenIn: dai })],
  ])
}

function compoundV2Cases(): ActionCase[] {
  const act = of('compound-v2')
  const [cETH, cDAI] = [
    '0x4ddc2d193948926d02f9b1fe9e1daa0718270ed5',
    '0x5d3a536e4d6dbd6114cc1ead35777bab948e3643',
  ]
  const supply = act('deposit', {
    primaryAddress: cDAI,
    tokenIn: dai,
    tokenOut: cDAI,
    amountIn: (1_000n * ether).toString(),
  })
  const collateral = act('deposit', {
    primaryAddress: cETH,
    tokenIn: nativeToken,
    amountIn: (10n * ether).toString(),
  })
  const borrow = act('borrow', {
    primaryAddress: cDAI,
    collateral: cETH,
    tokenOut: dai,
    amountOut: (8_000n * ether).toString(),
  })
  const back = { primaryAddress: cDAI, tokenIn: cDAI, tokenOut: dai }
  const repay = act('repay', { primaryAddress: cDAI, tokenIn: dai, amountIn: output(1) })
  return [
    ...cases('compound-v2', [
      [supply],
      [supply, act('redeem', { ...back, amountIn: output(0) })],
      [supply, act('withdraw', { ...back, amountOut: (999n * ether).toString() })],
    ]),
    ...cases(
      'compound-v2',
      [
        [collateral, borrow],
        [collateral, borrow, repay],
      ],
      { routingStrategy: 'delegate' },
    ),
  ]
}

function compoundV3Cases(): ActionCase[] {
  const act = of('compound-v3')
  const comet = '0xc3d688b66703497daa19211eedff47f25384cdc3'
  const common = { primaryAddress: comet }
  const base = act('deposit', { ...common, tokenIn: usdc, amountIn: '1000000000' })
  const collateral = act('deposit', {
    ...common,
    tokenIn: weth,
    amountIn: (10n * ether).toString(),
  })
  const borrow = act('borrow', { ...common, tokenOut: usdc, amountOut: '8000000000' })
  return cases('compound-v3', [
    [base],
    [base, act('redeem', { ...common, tokenIn: comet, tokenOut: usdc, amountIn: output(0) })],
    [collateral, act('withdraw', { ...common, tokenOut: weth, amountOut: ether.toString() })],
    [collateral, borrow],
    [collateral, borrow, act('repay', { ...common, tokenIn: usdc, amountIn: output(1) })],
  ])
}

function vaultCases(): ActionCase[] {
  const act = of('erc-4626')
  const vault = sandboxVault('CRV')
  const common = { primaryAddress: vault }
  const deposit = act('deposit', {
    ...common,
    tokenIn: crv,
    tokenOut: vault,
    amountIn: (1_000n * ether).toString(),
  })
  const back = { ...common, tokenIn: vault, tokenOut: crv, amountIn: output(0) }
  return cases('erc-4626', [
    [deposit],
    [
      act('mint', {
        ...common,
        tokenIn: crv,
        tokenOut: vault,
        amountOut: (900n * ether).toString(),
        amountIn: (1_000n * ether).toString(),
      }),
    ],
    [deposit, act('redeem', back)],
    [deposit, act('withdraw', { ...back, amountOut: (500n * ether).toString() })],
  ])
}

function yearnCases(): ActionCase[] {
  const act = of('yearn-v2')
  const [plan] = yearnVaultSpecs
  if (!plan) throw new RangeError('The sandbox has no vault of Yearn.')
  const { vault } = plan
  const deposit = act('deposit', {
    primaryAddress: vault,
    tokenIn: dai,
    amountIn: (1_000n * ether).toString(),
  })
  return cases('yearn-v2', [
    [deposit],
    [deposit, act('redeem', { primaryAddress: vault, amountIn: output(0) })],
  ])
}

function lidoCases(): ActionCase[] {
  const act = of('lido')
  const deposit = act('deposit', { tokenIn: stETH, tokenOut: wstETH, amountIn: ether.toString() })
  const redeem = act('redeem', { tokenIn: wstETH, tokenOut: stETH, amountIn: ether.toString() })
  return cases('lido', [[deposit], [redeem]], { holder: alice })
}

/** @see placeConverters, placeLitePsm, placeGsm */
function converterCases(): ActionCase[] {
  const [rocket, etherFi] = [of('rocket-pool'), of('ether-fi')]
  const give = { tokenIn: nativeToken, amountIn: ether.toString() }
  const eETH = converterAddress('ether-fi', 'eETH')
  const toUsds = of('sky')('deposit', { tokenIn: dai, amountIn: ether.toString() })
  const wrap = etherFi('deposit', { tokenIn: eETH, amountIn: output(0) })
  return [
    ...cases('rocket-pool', [
      [rocket('deposit', give)],
      [rocket('deposit', give), rocket('redeem', { amountIn: output(0) })],
    ]),
    ...cases('ether-fi', [
      [etherFi('deposit', give), wrap],
      [etherFi('deposit', give), wrap, etherFi('redeem', { amountIn: output(1) })],
    ]),
    ...cases('sky-psm', [[of('sky-psm')('swap', { ...swapped, tokenIn: dai })]]),
    ...cases('aave-gsm', [
      [
        of('aave-gsm')('swap', {
          ...swapped,
          tokenIn: gsm.asset,
          tokenOut: gsm.gho,
          amountIn: '1000000000',
        }),
      ],
    ]),
    ...cases('sky', [[toUsds], [toUsds, of('sky')('redeem', { amountIn: output(0) })]]),
    ...cases('frax-ether', [[of('frax-ether')('deposit', give)]]),
  ]
}

function wrappingCases(): ActionCase[] {
  const act = of('wrapped-native')
  const common = { primaryAddress: weth, amountIn: ether.toString() }
  return cases('wrapped-native', [
    [act('deposit', { ...common, tokenIn: nativeToken, tokenOut: weth })],
    [act('redeem', { ...common, tokenIn: weth, tokenOut: nativeToken })],
  ])
}

function stakingCases(): ActionCase[] {
  const act = of('staking-rewards')
  const [plan] = gaugeSpecs
  if (!plan) throw new RangeError('The sandbox has no gauge.')
  const common = { primaryAddress: plan.gauge }
  const deposit = act('deposit', {
    ...common,
    tokenIn: stakedToken(plan),
    amountIn: '3000000000000',
  })
  return cases(
    'staking-rewards',
    [
      [deposit],
      [deposit, act('withdraw', { ...common, amountOut: '1000000000000' })],
      [deposit, act('harvest', common)],
    ],
    { routingStrategy: 'delegate' },
  )
}

function morphoCases(): ActionCase[] {
  const act = of('morpho-blue')
  const common = {
    primaryAddress: ethereum.venues['morpho-blue']?.morpho,
    marketId: '0xb323495f7e4148be5643a4ea4a8221eef163e4bccfdedc2a6f4696baacbc86cc',
  }
  const supply = act('deposit', { ...common, tokenIn: usdc, amountIn: '1000000000' })
  const collateral = act('deposit', {
    ...common,
    tokenIn: wstETH,
    amountIn: (10n * ether).toString(),
  })
  const borrow = act('borrow', { ...common, tokenOut: usdc, amountOut: '8000000000' })
  return cases('morpho-blue', [
    [supply],
    [supply, act('withdraw', { ...common, tokenOut: usdc, amountOut: '500000000' })],
    [supply, act('redeem', { ...common, tokenOut: usdc, amountIn: output(0) })],
    [collateral, borrow],
    [collateral, borrow, act('repay', { ...common, tokenIn: usdc, amountIn: output(1) })],
  ])
}

function aaveCases(anybody: Address): ActionCase[] {
  const primaryAddress = ethereum.venues['aave-v3']?.pool
  const act = (action: string, args: Record<string, unknown>) =>
    of('aave-v3')(action, { primaryAddress, ...args })
  const aUsdc = '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'
  const million = '1000000000'
  const deposit = act('deposit', { tokenIn: usdc, tokenOut: aUsdc, amountIn: million })
  const collateral = act('deposit', {
    tokenIn: usdc,
    tokenOut: aUsdc,
    amountIn: million,
    receiver: anybody,
  })
  const borrow = act('borrow', {
    collateral: usdc,
    tokenOut: weth,
    amountOut: (ether / 10n).toString(),
  })
  const back = { tokenIn: aUsdc, tokenOut: usdc }
  return [
    ...cases('aave-v3', [
      [deposit],
      [deposit, act('redeem', { ...back, amountIn: output(0) })],
      [collateral, borrow],
      [collateral, borrow, act('repay', { tokenIn: weth, amountIn: output(1) })],
    ]),
    ...cases('aave-v3', [[act('withdraw', { ...back, amountOut: million })]], { holder: alice }),
    ...cases('aave-v3', [[act('harvest', { token: aUsdc })]], {
      holder: alice,
      routingStrategy: 'delegate',
    }),
  ]
}

/**
 * @param facts.anybody - an account without any history, which the cases without a holder run for.
 * @param facts.nft - id of a position NFT of Uniswap V3 that alice owns.
 * @param facts.pancakePair - of WETH and DAI; the two other forks have a pool of them as well.
 */
export function actionCases(facts: {
  readonly anybody: Address
  readonly nft: string
  readonly pancakePair: Address
}): ActionCase[] {
  return [
    ...pairCases('uniswap-v2', v2PairAddress('uniswap-v2', weth, usdc), usdc),
    ...pairCases('sushiswap-v2', v2PairAddress('sushiswap-v2', weth, usdc), usdc),
    ...pairCases('pancakeswap-v2', facts.pancakePair, dai),
    ...cases('sushiswap-v3', [[of('sushiswap-v3')('swap', { ...swapped, tokenOut: dai })]]),
    ...cases('pancakeswap-v3', [[of('pancakeswap-v3')('swap', { ...swapped, tokenOut: dai })]]),
    ...cases('fluid-dex-t1', [
      [
        of('fluid-dex-t1')('swap', {
          ...swapped,
          tokenIn: dai,
          amountIn: (1_000n * ether).toString(),
        }),
      ],
    ]),
    ...cases('fluid-dex-lite', [
      [
        of('fluid-dex-lite')('swap', {
          ...swapped,
          tokenIn: usdc,
          tokenOut: token('USDT'),
          amountIn: '1000000000',
        }),
      ],
    ]),
    ...v3Cases(facts.nft),
    ...cases('uniswap-v4', [[of('uniswap-v4')('swap', { ...swapped, tokenIn: nativeToken })]]),
    ...balancerCases(),
    ...curveCases(),
    ...compoundV2Cases(),
    ...compoundV3Cases(),
    ...vaultCases(),
    ...lidoCases(),
    ...converterCases(),
    ...wrappingCases(),
    ...yearnCases(),
    ...stakingCases(),
    ...gaugeCases(),
    ...morphoCases(),
    ...aaveCases(facts.anybody),
  ]
}
