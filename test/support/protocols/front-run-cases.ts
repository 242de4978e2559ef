/** What somebody does ahead of each listed action to take from it, and what must become of the action then. */
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, nativeToken, toAddress } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import {
  contractAddresses,
  curvePoolAddresses,
  curveSharesAddresses,
  v2PairAddress,
  v3PoolAddress,
} from '../../../src/sandbox/addresses.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { sandboxVault } from '../../../src/sandbox/venues/erc-4626.js'
import { gaugeSpecs, stakedToken } from '../../../src/sandbox/venues/staking-rewards.js'
import { yearnVaultSpecs } from '../../../src/sandbox/venues/yearn-v2.js'
import type { Action } from '../bundle.js'
import { called, donation, loss, type Move, minimumReasons, stored, swap } from '../front-run.js'
import { type ActionCase, actionCases } from './action-cases.js'
import { morphoMarket } from './sandbox-positions.js'

export interface FrontRunCase extends ActionCase {
  readonly move: Move
  /** Absent: the transaction reverts. Else why nothing can be taken: then it gives what it has promised. */
  readonly keeps?: string
  /** True: it may give more, too. */
  readonly mayGain?: boolean
  /** What it reverts with. */
  readonly reason: RegExp
  /** True: a receiver that the action names gets what comes out. */
  readonly takesReceiver: boolean
  readonly after?: Fact
}

/** What a contract says after the transaction, raw units. */
export interface Fact {
  readonly to: Address
  /** Of a view whose word is read. */
  readonly signature: string
  readonly args: readonly unknown[]
  /** Of the words that it returns; the first if absent. */
  readonly word?: number
  readonly least: bigint
  readonly most: bigint
}

type Own = Partial<Pick<ActionCase, 'actions' | 'holder' | 'routingStrategy'>> & {
  readonly keeps?: string
  readonly mayGain?: boolean
  readonly reason?: RegExp
  readonly after?: Fact
}

const alice = sandboxAccount('alice').address
const deployer = sandboxAccount('deployer').address
const ether = 10n ** 18n
const million = 10n ** 6n
const token = (symbol: string): Address => sandboxToken(symbol).address
const [weth, usdc, dai, wbtc] = [token('WETH'), token('USDC'), token('DAI'), token('WBTC')]
const [stETH, crv] = [token('stETH'), token('CRV')]

/** Actions without an output that a receiver could get: swaps name none, and gauges know their caller alone. */
const withoutReceiver = /( swap| repay|^staking-rewards deposit)$/

const act = (
  protocol: string,
  action: string,
  args: Record<string, unknown>,
): readonly Action[] => [{ protocol, action, args }]

const unit = 'A unit of the share is a unit of the token.'
const exact = 'The amount is stated, and the contract pays it or fails.'
const debt = 'The debt falls by what is paid; the rest comes back.'

type Entry = readonly [name: string, move: Move, own?: Own]

/** @param pair - of WETH and `other`. */
function pairMoves(slug: string, pair: Address, other: Address): Entry[] {
  const sell = (amount: bigint, pool?: Address) =>
    swap({ protocol: slug, tokenIn: weth, tokenOut: other, amount, ...(pool && { pool }) })
  // Who deposits and leaves in one transaction does both at one price.
  const held = { primaryAddress: pair, tokenIn: pair, amountIn: '1000000000000' }
  return [
    [`${slug} deposit`, sell(3_000n * ether, pair)],
    [
      `${slug} redeem`,
      sell(3_000n * ether, pair),
      { actions: act(slug, 'redeem', { ...held, tokenOut: [weth, other] }) },
    ],
    [
      `${slug} withdraw`,
      swap({ protocol: slug, tokenIn: other, tokenOut: weth, amount: worth(other), pool: pair }),
      { actions: act(slug, 'withdraw', { ...held, tokenOut: weth }) },
    ],
    [`${slug} swap`, sell(3_000n * ether)],
  ]
}

/** Ten million dollars. */
function worth(stable: Address): bigint {
  return stable === usdc ? 10n * million * million : 10n * million * ether
}

function uniswapMoves(nft: string): Entry[] {
  const pool = v3PoolAddress(...inOrder(weth, usdc), 500)
  const sell = swap({
    ...{ protocol: 'uniswap-v3', pool, tokenIn: weth, tokenOut: usdc },
    amount: 1_000n * ether,
  })
  const all = swap({
    ...{ protocol: 'uniswap-v3', tokenIn: weth, tokenOut: usdc },
    amount: 10_000n * ether,
  })
  return [
    ['uniswap-v3 deposit', sell],
    ['uniswap-v3 withdraw', sell],
    ['uniswap-v3 redeem', sell],
    [
      'uniswap-v3 harvest',
      sell,
      {
        keeps: 'Fees are owed; what others do only adds to them.',
        mayGain: true,
        actions: harvestOf(nft),
      },
    ],
    ['uniswap-v3 swap', all],
    [
      'uniswap-v4 swap',
      swap({
        protocol: 'uniswap-v4',
        tokenIn: nativeToken,
        tokenOut: usdc,
        amount: 1_000n * ether,
      }),
    ],
    ...['sushiswap-v3', 'pancakeswap-v3'].map(
      (protocol): Entry => [
        `${protocol} swap`,
        swap({ protocol, tokenIn: weth, tokenOut: dai, amount: 30_000n * ether }),
      ],
    ),
  ]
}

function harvestOf(nft: string) {
  const primaryAddress = contractAddresses.v3PositionManager
  return act('uniswap-v3', 'harvest', { primaryAddress, tokenId: nft })
}

function inOrder(a: Address, b: Address): [Address, Address] {
  return a < b ? [a, b] : [b, a]
}

function balancerMoves(): Entry[] {
  const pool = sandboxPools().find(
    ({ protocol, tokens }) =>
      protocol === 'balancer-v2' &&
      tokens.length === 2 &&
      tokens.includes(wbtc) &&
      tokens.includes(weth),
  )
  const share = toAddress(pool?.id.slice(0, 42) ?? '0x')
  const sell = swap({
    ...{ protocol: 'balancer-v2', tokenIn: weth, tokenOut: wbtc },
    amount: 300n * ether,
  })
  const exit = { primaryAddress: share, tokenIn: share, amountIn: ether.toString() }
  return [
    ['balancer-v2 deposit', sell],
    [
      'balancer-v2 redeem',
      sell,
      { actions: act('balancer-v2', 'redeem', { ...exit, tokenOut: [wbtc, weth] }) },
    ],
    ['balancer-v2 swap', sell],
  ]
}

function curveMoves(): Entry[] {
  const [pool, share] = [curvePoolAddresses[0], curveSharesAddresses[0]]
  const sell = (tokenIn: Address, tokenOut: Address, amount: bigint) =>
    swap({ protocol: 'curve', tokenIn, tokenOut, amount, ...(pool && { pool }) })
  const exit = { primaryAddress: pool, tokenIn: share, amountIn: (1_000n * ether).toString() }
  const daiForUsdc = sell(dai, usdc, 20n * million * ether)
  return [
    ['curve deposit', daiForUsdc],
    ['curve redeem', daiForUsdc, { actions: act('curve', 'redeem', { ...exit, tokenOut: usdc }) }],
    [
      'curve withdraw',
      sell(usdc, dai, 20n * million * million),
      { reason: /Slippage screwed you/ },
    ],
    [
      'curve swap',
      swap({ protocol: 'curve', tokenIn: dai, tokenOut: usdc, amount: 60n * million * ether }),
    ],
  ]
}

/** The debt is gone, but for what rounding leaves. */
function noDebt(to: Address, signature: string, args: readonly unknown[], word = 0): Fact {
  return { to, signature, args, word, least: 0n, most: word ? million : 1n }
}

function compoundV2Moves(anybody: Address): Entry[] {
  const cDAI: Address = '0x5d3a536e4d6dbd6114cc1ead35777bab948e3643'
  const given = donation(dai, cDAI, 10n * million * ether)
  const lost = loss(dai, cDAI, 90n)
  const held = { primaryAddress: cDAI, tokenIn: cDAI, tokenOut: dai }
  return [
    ['compound-v2 deposit', given],
    [
      'compound-v2 redeem',
      lost,
      { actions: act('compound-v2', 'redeem', { ...held, amountIn: '4500000000000' }) },
    ],
    [
      'compound-v2 withdraw',
      lost,
      {
        actions: act('compound-v2', 'withdraw', { ...held, amountOut: (999n * ether).toString() }),
      },
    ],
    ['compound-v2 borrow', given, { keeps: exact }],
    [
      'compound-v2 repay',
      given,
      {
        keeps: debt,
        after: noDebt(cDAI, 'function borrowBalanceStored(address) view', [anybody]),
      },
    ],
  ]
}

function compoundV3Moves(anybody: Address): Entry[] {
  const comet: Address = '0xc3d688b66703497daa19211eedff47f25384cdc3'
  const lends = called({
    is: 'a deposit',
    to: comet,
    signature: 'function supply(address asset, uint256 amount)',
    args: [usdc, 10n * million * million],
    spends: { token: usdc, amount: 10n * million * million },
  })
  return [
    ['compound-v3 deposit', lends, { keeps: unit }],
    ['compound-v3 redeem', lends, { keeps: unit }],
    ['compound-v3 withdraw', lends, { keeps: exact }],
    ['compound-v3 borrow', lends, { keeps: exact }],
    [
      'compound-v3 repay',
      lends,
      { keeps: debt, after: noDebt(comet, 'function borrowBalanceOf(address) view', [anybody]) },
    ],
  ]
}

function vaultMoves(): Entry[] {
  const vault = sandboxVault('CRV')
  const lost = loss(crv, vault, 50n)
  const held = { primaryAddress: vault, tokenIn: vault, tokenOut: crv }
  const shares = (1_000n * ether).toString()
  const [yearn] = yearnVaultSpecs
  const lostDai = loss(dai, yearn?.vault ?? '0x', 50n)
  return [
    ['erc-4626 deposit', donation(crv, vault, million * ether)],
    [
      'erc-4626 redeem',
      lost,
      { actions: act('erc-4626', 'redeem', { ...held, amountIn: shares }) },
    ],
    [
      'erc-4626 withdraw',
      lost,
      {
        actions: act('erc-4626', 'withdraw', {
          ...{ ...held, amountIn: shares },
          amountOut: (100n * ether).toString(),
        }),
      },
    ],
    ['yearn-v2 deposit', donation(dai, yearn?.vault ?? '0x', million * ether)],
    [
      'yearn-v2 redeem',
      lostDai,
      { actions: act('yearn-v2', 'redeem', { primaryAddress: yearn?.vault, amountIn: shares }) },
    ],
  ]
}

/** Only Lido's oracle moves the rate, once a day. */
function lidoMoves(): Entry[] {
  const reported = called({
    is: 'a report of the oracle',
    from: deployer,
    to: stETH,
    signature: 'function report(uint256 gained)',
    args: [million * ether],
  })
  const slashed = stored(
    'a slashing',
    stETH,
    `0x${'0'.repeat(64)}`,
    (pooled) => (pooled * 9n) / 10n,
  )
  return [
    ['lido deposit', reported],
    ['lido redeem', slashed],
  ]
}

function stakingMoves(anybody: Address): Entry[] {
  const [plan] = gaugeSpecs
  if (!plan) throw new RangeError('The sandbox has no gauge.')
  const staked = stakedToken(plan)
  const stakes = called({
    is: 'a stake',
    to: plan.gauge,
    signature: 'function stake(uint256 amount)',
    args: [ether],
    spends: { token: staked, amount: ether },
  })
  const own = { holder: alice, routingStrategy: 'delegate' }
  const common = { primaryAddress: plan.gauge }
  return [
    [
      'staking-rewards deposit',
      stakes,
      {
        keeps: unit,
        after: {
          ...{ to: plan.gauge, signature: 'function balanceOf(address) view', args: [anybody] },
          ...{ least: 3_000_000_000_000n, most: 3_000_000_000_000n },
        },
      },
    ],
    ['staking-rewards withdraw', stakes, { keeps: unit }],
    [
      'staking-rewards harvest',
      stakes,
      {
        ...own,
        keeps: 'What is earned so far is owed; a new stake earns from then on.',
        actions: act('staking-rewards', 'harvest', common),
      },
    ],
  ]
}

function morphoMoves(anybody: Address): Entry[] {
  const { morpho, id, supply, parameters } = morphoMarket
  // Of the struct in mapping 3: the shares above, the assets below.
  const slot = keccak256(encodeAbiParameters(parseAbiParameters('bytes32, uint256'), [id, 3n]))
  const assets = (change: (amount: bigint) => bigint) => (word: bigint) =>
    ((word >> 128n) << 128n) | change(BigInt.asUintN(128, word))
  const lends = called({
    is: 'a deposit',
    to: morpho,
    signature: supply,
    args: [parameters, 10n * million * million, 0n, alice, '0x'],
    spends: { token: usdc, amount: 10n * million * million },
  })
  const common = { primaryAddress: morpho, marketId: id }
  return [
    [
      'morpho-blue deposit',
      stored(
        'interest of 5 %',
        morpho,
        slot,
        assets((amount) => (amount * 105n) / 100n),
      ),
    ],
    [
      'morpho-blue redeem',
      stored(
        'a bad debt of 5 %',
        morpho,
        slot,
        assets((amount) => (amount * 95n) / 100n),
      ),
      {
        holder: alice,
        actions: act('morpho-blue', 'redeem', {
          ...{ ...common, tokenOut: usdc },
          amountIn: (500n * million * million).toString(),
        }),
      },
    ],
    ['morpho-blue withdraw', lends, { keeps: exact }],
    ['morpho-blue borrow', lends, { keeps: exact }],
    [
      'morpho-blue repay',
      lends,
      {
        keeps: debt,
        after: noDebt(morpho, 'function position(bytes32, address) view', [id, anybody], 1),
      },
    ],
  ]
}

function aaveMoves(anybody: Address): Entry[] {
  const pool = toAddress(String(ethereum.venues['aave-v3']?.pool))
  const lends = called({
    is: 'a deposit',
    to: pool,
    signature: 'function supply(address asset, uint256 amount, address owner, uint16 code)',
    args: [usdc, 10n * million * million, alice, 0],
    spends: { token: usdc, amount: 10n * million * million },
  })
  return [
    ['aave-v3 deposit', lends, { keeps: unit }],
    ['aave-v3 redeem', lends, { keeps: unit }],
    ['aave-v3 withdraw', lends, { keeps: exact }],
    ['aave-v3 borrow', lends, { keeps: exact }],
    [
      'aave-v3 repay',
      lends,
      {
        keeps: debt,
        after: noDebt(pool, 'function getUserAccountData(address) view', [anybody], 1),
      },
    ],
    [
      'aave-v3 harvest',
      lends,
      { keeps: 'What is earned so far is owed; new deposits earn from then on.' },
    ],
  ]
}

/** One for each listed action. @param facts - as of `actionCases`. */
export function frontRunCases(facts: Parameters<typeof actionCases>[0]): FrontRunCase[] {
  const cases = new Map(
    actionCases(facts).map((each) => [`${each.protocol} ${each.actions.at(-1)?.action}`, each]),
  )
  const entries: Entry[] = [
    ...pairMoves('uniswap-v2', v2PairAddress('uniswap-v2', weth, usdc), usdc),
    ...pairMoves('sushiswap-v2', v2PairAddress('sushiswap-v2', weth, usdc), usdc),
    ...pairMoves('pancakeswap-v2', facts.pancakePair, dai),
    ...uniswapMoves(facts.nft),
    ...balancerMoves(),
    ...curveMoves(),
    ...compoundV2Moves(facts.anybody),
    ...compoundV3Moves(facts.anybody),
    ...vaultMoves(),
    ...lidoMoves(),
    ...stakingMoves(facts.anybody),
    ...morphoMoves(facts.anybody),
    ...aaveMoves(facts.anybody),
  ]
  return entries.map(([name, move, own = {}]) => {
    const base = cases.get(name)
    if (!base) throw new RangeError(`There is no case of ${name}.`)
    return {
      ...base,
      reason: minimumReasons,
      ...own,
      move,
      takesReceiver: !withoutReceiver.test(name),
    }
  })
}
