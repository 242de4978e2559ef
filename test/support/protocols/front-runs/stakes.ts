/** What is done ahead of actions that convert one token into another at a rate, or stake: reports of oracles, gifts, stakes. */
import { type Address, nativeToken } from '../../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../../src/sandbox/accounts.js'
import { gaugeSpecs, stakedToken } from '../../../../src/sandbox/venues/staking-rewards.js'
import { called, donation, inTurn, loss, type Move, stored } from '../../front-run.js'
import { converterAddress } from '../place-converters.js'
import { placedGauge } from '../place-gauges.js'
import { act, type Entry, ether, holding, million, token, unit } from './parts.js'

const alice = sandboxAccount('alice').address
const deployer = sandboxAccount('deployer').address
const [dai, stETH, weth] = [token('DAI'), token('stETH'), token('WETH')]

/** @param anybody - whom the cases without a holder run for. */
export function stakeMoves(anybody: Address): Entry[] {
  return [...lidoMoves(), ...converterMoves(), ...stakingMoves(anybody), ...gaugeMoves()]
}

/** Only Lido's oracle moves the rate, once a day. */
function lidoMoves(): Entry[] {
  const reported = called({
    is: 'a report of the oracle',
    direction: 'the rate up',
    from: deployer,
    to: stETH,
    signature: 'function report(uint256 gained)',
    args: [million * ether],
  })
  const slashed = stored(
    'a slashing',
    'the rate down',
    stETH,
    `0x${'0'.repeat(64)}`,
    (pooled) => (pooled * 9n) / 10n,
  )
  return [
    ['lido deposit', [reported, slashed]],
    ['lido redeem', [slashed, reported]],
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
  const reported = (is: string, direction: string, total: bigint) =>
    called({
      is,
      direction,
      to: network,
      signature: 'function report(uint256 total, uint256 supply)',
      args: [total * ether, 500_000n * ether],
    })
  const give = { tokenIn: nativeToken, amountIn: ether.toString() }
  const gained = { signature: 'function rebase(uint256 gained)', args: [million * ether] }
  const gains = called({
    is: 'a report of the oracle',
    direction: 'the rate up',
    to: pool,
    ...gained,
  })
  const slashed = stored(
    'a slashing',
    'the rate down',
    pool,
    `0x${'0'.repeat(64)}`,
    (total) => (total * 9n) / 10n,
  )
  const up = reported('a report of the oracle', 'the rate up', 700_000n)
  const down = reported('a slashing', 'the rate down', 400_000n)
  const ofConverter = (at: Address, asset: Address) =>
    [donation(dai, at, ether), loss(asset, at, 90n)] as const
  const ofSky = ofConverter(converterAddress('sky', 'converter'), dai)
  const ofWrapped = ofConverter(weth, nativeToken)
  return [
    ['rocket-pool deposit', [up, down], { actions: act('rocket-pool', 'deposit', give) }],
    [
      'rocket-pool redeem',
      [down, up],
      { actions: act('rocket-pool', 'redeem', { tokenIn: rETH, amountIn: ether.toString() }) },
    ],
    ['sky deposit', ofSky, { keeps: oneForOne }],
    ['sky redeem', ofSky, { keeps: oneForOne }],
    [
      'frax-ether deposit',
      ofConverter(converterAddress('frax-ether', 'minter'), nativeToken),
      { keeps: oneForOne },
    ],
    ['wrapped-native deposit', ofWrapped, { keeps: oneForOne }],
    ['wrapped-native redeem', ofWrapped, { keeps: oneForOne }],
    ['ether-fi deposit', [gains, slashed]],
    [
      'ether-fi redeem',
      [slashed, gains],
      { actions: act('ether-fi', 'redeem', { amountIn: ether.toString() }) },
    ],
  ]
}

function stakingMoves(anybody: Address): Entry[] {
  const [plan] = gaugeSpecs
  if (!plan) throw new RangeError('The sandbox has no gauge.')
  const staked = stakedToken(plan)
  const [stakes, leaves] = ['stake', 'withdraw'].map((name) =>
    called({
      is: `a ${name}`,
      direction: 'into it',
      to: plan.gauge,
      signature: `function ${name}(uint256 amount)`,
      args: [ether],
      ...(name === 'stake' && { spends: { token: staked, amount: ether } }),
    }),
  ) as [Move, Move]
  const moves = [stakes, inTurn('a stake', 'in and out again', [stakes, leaves])] as const
  const ofStake = 'function balanceOf(address) view returns (uint256)'
  const stakeOf = (owner: Address) => [holding(plan.gauge, ofStake, [owner])]
  const own = { holder: alice, routingStrategy: 'delegate' }
  const common = { primaryAddress: plan.gauge }
  return [
    [
      'staking-rewards deposit',
      moves,
      {
        keeps: unit,
        holdings: stakeOf(anybody),
        after: {
          to: plan.gauge,
          signature: 'function balanceOf(address) view',
          args: [anybody],
          least: 3_000_000_000_000n,
          most: 3_000_000_000_000n,
        },
      },
    ],
    ['staking-rewards withdraw', moves, { keeps: unit, holdings: stakeOf(anybody) }],
    [
      'staking-rewards harvest',
      moves,
      {
        ...own,
        holdings: stakeOf(alice),
        keeps: 'What is earned so far is owed; a new stake earns from then on.',
        actions: act('staking-rewards', 'harvest', common),
      },
    ],
  ]
}

function gaugeMoves(): Entry[] {
  return (['curve-gauge', 'balancer-gauge'] as const).flatMap((slug): Entry[] => {
    const { gauge, staked } = placedGauge(slug)
    const [stakes, leaves] = ['deposit', 'withdraw'].map((name) =>
      called({
        is: 'a stake',
        direction: 'into it',
        to: gauge,
        signature: `function ${name}(uint256 value)`,
        args: [ether],
        ...(name === 'deposit' && { spends: { token: staked, amount: ether } }),
      }),
    ) as [Move, Move]
    const moves = [stakes, inTurn('a stake', 'in and out again', [stakes, leaves])] as const
    return [
      [`${slug} deposit`, moves, { keeps: unit }],
      [`${slug} withdraw`, moves, { keeps: unit }],
      [
        `${slug} harvest`,
        moves,
        {
          holder: alice,
          routingStrategy: 'delegate',
          keeps: 'What is earned so far is owed; a new stake earns from then on.',
          actions: act(slug, 'harvest', { primaryAddress: gauge }),
        },
      ],
    ]
  })
}
