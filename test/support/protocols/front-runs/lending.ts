/** What is done ahead of actions on markets, vaults and stakes: deposits, gifts, losses. */
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem'
import { ethereum } from '../../../../src/chains/ethereum.js'
import { type Address, nativeToken, toAddress } from '../../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../../src/sandbox/accounts.js'
import { sandboxVault } from '../../../../src/sandbox/venues/erc-4626.js'
import { gaugeSpecs, stakedToken } from '../../../../src/sandbox/venues/staking-rewards.js'
import { yearnVaultSpecs } from '../../../../src/sandbox/venues/yearn-v2.js'
import { called, donation, loss, stored } from '../../front-run.js'
import { converterAddress } from '../place-converters.js'
import { placedGauge } from '../place-gauges.js'
import { morphoMarket } from '../sandbox-positions.js'
import { act, debt, type Entry, ether, exact, type Fact, million, token, unit } from './parts.js'

const alice = sandboxAccount('alice').address
const deployer = sandboxAccount('deployer').address
const [usdc, dai, stETH, crv] = [token('USDC'), token('DAI'), token('stETH'), token('CRV')]

/** @param anybody - whom the cases without a holder run for. */
export function lendingMoves(anybody: Address): Entry[] {
  return [
    ...compoundV2Moves(anybody),
    ...compoundV3Moves(anybody),
    ...vaultMoves(),
    ...lidoMoves(),
    ...converterMoves(),
    ...stakingMoves(anybody),
    ...gaugeMoves(),
    ...morphoMoves(anybody),
    ...aaveMoves(anybody),
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
      'erc-4626 mint',
      donation(crv, vault, million * ether),
      // No more than amountIn may be taken.
      { reason: /^Panic\(0x11\)/ },
    ],
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

const oneForOne = 'It gives one for one, or fails.'

/** Oracles move the rates, once a day. */
function converterMoves(): Entry[] {
  const network = converterAddress('rocket-pool', 'storage')
  const [rETH, pool] = [
    converterAddress('rocket-pool', 'rETH'),
    converterAddress('ether-fi', 'liquidityPool'),
  ]
  const reported = (is: string, total: bigint) =>
    called({
      ...{ is, to: network, signature: 'function report(uint256 total, uint256 supply)' },
      args: [total * ether, 500_000n * ether],
    })
  const give = { tokenIn: nativeToken, amountIn: ether.toString() }
  const gained = { signature: 'function rebase(uint256 gained)', args: [million * ether] }
  const slashed = stored('a slashing', pool, `0x${'0'.repeat(64)}`, (total) => (total * 9n) / 10n)
  return [
    [
      'rocket-pool deposit',
      reported('a report of the oracle', 700_000n),
      { actions: act('rocket-pool', 'deposit', give) },
    ],
    [
      'rocket-pool redeem',
      reported('a slashing', 400_000n),
      { actions: act('rocket-pool', 'redeem', { tokenIn: rETH, amountIn: ether.toString() }) },
    ],
    [
      'sky deposit',
      donation(dai, converterAddress('sky', 'converter'), ether),
      { keeps: oneForOne },
    ],
    [
      'sky redeem',
      donation(dai, converterAddress('sky', 'converter'), ether),
      { keeps: oneForOne },
    ],
    [
      'frax-ether deposit',
      donation(dai, converterAddress('frax-ether', 'minter'), ether),
      { keeps: oneForOne },
    ],
    ['ether-fi deposit', called({ is: 'a report of the oracle', to: pool, ...gained })],
    [
      'ether-fi redeem',
      slashed,
      { actions: act('ether-fi', 'redeem', { amountIn: ether.toString() }) },
    ],
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

function gaugeMoves(): Entry[] {
  return (['curve-gauge', 'balancer-gauge'] as const).flatMap((slug): Entry[] => {
    const { gauge, staked } = placedGauge(slug)
    const stakes = called({
      is: 'a stake',
      to: gauge,
      signature: 'function deposit(uint256 value)',
      args: [ether],
      spends: { token: staked, amount: ether },
    })
    return [
      [`${slug} deposit`, stakes, { keeps: unit }],
      [`${slug} withdraw`, stakes, { keeps: unit }],
      [
        `${slug} harvest`,
        stakes,
        {
          ...{ holder: alice, routingStrategy: 'delegate' },
          keeps: 'What is earned so far is owed; a new stake earns from then on.',
          actions: act(slug, 'harvest', { primaryAddress: gauge }),
        },
      ],
    ]
  })
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
