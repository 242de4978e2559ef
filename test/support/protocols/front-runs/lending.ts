/** What is done ahead of actions on markets and vaults: deposits, gifts, losses. */
import { encodeAbiParameters, keccak256, numberToHex, parseAbiParameters } from 'viem'
import { ethereum } from '../../../../src/chains/ethereum.js'
import { type Address, type Hex, toAddress } from '../../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../../src/sandbox/accounts.js'
import { sandboxVault } from '../../../../src/sandbox/venues/erc-4626.js'
import { yearnVaultSpecs } from '../../../../src/sandbox/venues/yearn-v2.js'
import { called, donation, loss, type Move, stored } from '../../front-run.js'
import { morphoMarket } from '../sandbox-positions.js'
import {
  act,
  debt,
  type Entry,
  ether,
  exact,
  type Fact,
  holding,
  million,
  owing,
  token,
  unit,
} from './parts.js'

const alice = sandboxAccount('alice').address
const lender: Address = '0x00000000000000000000000000000000000f0a1f'
const [usdc, dai, crv] = [token('USDC'), token('DAI'), token('CRV')]

/** @param anybody - whom the cases without a holder run for. */
export function lendingMoves(anybody: Address): Entry[] {
  return [
    ...compoundV2Moves(anybody),
    ...compoundV3Moves(anybody),
    ...vaultMoves(),
    ...morphoMoves(anybody),
    ...aaveMoves(anybody),
  ]
}

/** Others borrow nearly all that a market could lend or pay out. */
function lent(asset: Address, market: Address): Move {
  return { ...loss(asset, market, 90n), is: 'a loan of 90 % of it', direction: 'cash out' }
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
  const owed = owing(cDAI, 'function borrowBalanceStored(address) view returns (uint256)', [
    anybody,
  ])
  return [
    ['compound-v2 deposit', [given, lost]],
    [
      'compound-v2 redeem',
      [lost, given],
      { actions: act('compound-v2', 'redeem', { ...held, amountIn: '4500000000000' }) },
    ],
    [
      'compound-v2 withdraw',
      [lost, given],
      {
        actions: act('compound-v2', 'withdraw', { ...held, amountOut: (999n * ether).toString() }),
      },
    ],
    ['compound-v2 borrow', [given, lost], { keeps: exact, holdings: [owed] }],
    [
      'compound-v2 repay',
      [given, lost],
      {
        keeps: debt,
        holdings: [owed],
        after: noDebt(cDAI, 'function borrowBalanceStored(address) view', [anybody]),
      },
    ],
  ]
}

function compoundV3Moves(anybody: Address): Entry[] {
  const comet: Address = '0xc3d688b66703497daa19211eedff47f25384cdc3'
  const lends = called({
    is: 'a deposit',
    direction: 'cash in',
    to: comet,
    signature: 'function supply(address asset, uint256 amount)',
    args: [usdc, 10n * million * million],
    spends: { token: usdc, amount: 10n * million * million },
  })
  const moves = [lends, lent(usdc, comet)] as const
  const owed = owing(comet, 'function borrowBalanceOf(address) view returns (uint256)', [anybody])
  // Of all accounts together: nobody else moves it.
  const totals = 'function totalsCollateral(address) view returns (uint128, uint128)'
  const collateral = holding(comet, totals, [token('WETH')])
  return [
    ['compound-v3 deposit', moves, { keeps: unit }],
    ['compound-v3 redeem', moves, { keeps: unit }],
    ['compound-v3 withdraw', moves, { keeps: exact, holdings: [collateral] }],
    ['compound-v3 borrow', moves, { keeps: exact, holdings: [owed, collateral] }],
    [
      'compound-v3 repay',
      moves,
      {
        keeps: debt,
        holdings: [owed, collateral],
        after: noDebt(comet, 'function borrowBalanceOf(address) view', [anybody]),
      },
    ],
  ]
}

function vaultMoves(): Entry[] {
  const vault = sandboxVault('CRV')
  const [given, lost] = [donation(crv, vault, million * ether), loss(crv, vault, 50n)]
  const held = { primaryAddress: vault, tokenIn: vault, tokenOut: crv }
  const shares = (1_000n * ether).toString()
  const [yearn] = yearnVaultSpecs
  const givenDai = donation(dai, yearn?.vault ?? '0x', million * ether)
  const lostDai = loss(dai, yearn?.vault ?? '0x', 50n)
  return [
    ['erc-4626 deposit', [given, lost]],
    [
      'erc-4626 mint',
      [given, lost],
      // No more than amountIn may be taken.
      { reason: /^Panic\(0x11\)/ },
    ],
    [
      'erc-4626 redeem',
      [lost, given],
      { actions: act('erc-4626', 'redeem', { ...held, amountIn: shares }) },
    ],
    [
      'erc-4626 withdraw',
      [lost, given],
      {
        actions: act('erc-4626', 'withdraw', {
          ...held,
          amountIn: shares,
          amountOut: (100n * ether).toString(),
        }),
      },
    ],
    ['yearn-v2 deposit', [givenDai, lostDai]],
    [
      'yearn-v2 redeem',
      [lostDai, givenDai],
      { actions: act('yearn-v2', 'redeem', { primaryAddress: yearn?.vault, amountIn: shares }) },
    ],
  ]
}

function morphoMoves(anybody: Address): Entry[] {
  const { morpho, id, supply, parameters } = morphoMarket
  // Of the struct in mapping 3: the shares above, the assets below.
  const slot = keccak256(encodeAbiParameters(parseAbiParameters('bytes32, uint256'), [id, 3n]))
  const scaled = (is: string, direction: string, percent: bigint, at: Hex = slot) =>
    stored(is, direction, morpho, at, (word) => {
      const assets = (BigInt.asUintN(128, word) * percent) / 100n
      return ((word >> 128n) << 128n) | assets
    })
  const interest = scaled('interest of 5 %', 'the rate up', 105n)
  const badDebt = scaled('a bad debt of 5 %', 'the rate down', 95n)
  const ofLoans = numberToHex(BigInt(slot) + 1n, { size: 32 })
  const dearer = scaled('interest of 5 % on loans', 'the rate of debts up', 105n, ofLoans)
  const word = (owner: Address, at: number): Parameters<typeof holding> => [
    morpho,
    'function position(bytes32, address) view returns (uint256, uint128, uint128)',
    [id, owner],
    at,
  ]
  const supplied = [holding(...word(alice, 0))]
  const loan = [owing(...word(anybody, 1)), holding(...word(anybody, 2))]
  const lends = called({
    is: 'a deposit',
    direction: 'cash in',
    to: morpho,
    signature: supply,
    args: [parameters, 10n * million * million, 0n, alice, '0x'],
    spends: { token: usdc, amount: 10n * million * million },
  })
  const common = { primaryAddress: morpho, marketId: id }
  return [
    ['morpho-blue deposit', [interest, badDebt], { holdings: [holding(...word(anybody, 0))] }],
    [
      'morpho-blue redeem',
      [badDebt, interest],
      {
        holder: alice,
        holdings: supplied,
        actions: act('morpho-blue', 'redeem', {
          ...common,
          tokenOut: usdc,
          amountIn: (500n * million * million).toString(),
        }),
      },
    ],
    [
      'morpho-blue withdraw',
      [badDebt, interest],
      {
        holder: alice,
        holdings: supplied,
        // More shares than the slippage allows would be burnt for the stated assets.
        actions: act('morpho-blue', 'withdraw', {
          ...common,
          tokenOut: usdc,
          amountOut: (500n * million).toString(),
        }),
      },
    ],
    ['morpho-blue borrow', [lends, dearer], { keeps: exact, holdings: loan }],
    [
      'morpho-blue repay',
      [lends, dearer],
      {
        keeps: debt,
        holdings: loan,
        after: noDebt(morpho, 'function position(bytes32, address) view', [id, anybody], 1),
      },
    ],
  ]
}

function aaveMoves(anybody: Address): Entry[] {
  const pool = toAddress(String(ethereum.venues['aave-v3']?.pool))
  const lends = called({
    is: 'a deposit',
    direction: 'cash in',
    to: pool,
    signature: 'function supply(address asset, uint256 amount, address owner, uint16 code)',
    args: [usdc, 10n * million * million, lender, 0],
    spends: { token: usdc, amount: 10n * million * million },
  })
  const aUsdc: Address = '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'
  const moves = [lends, lent(usdc, aUsdc)] as const
  const account = `function getUserAccountData(address) view returns (${Array(6).fill('uint256').join(', ')})`
  const loan = [holding(pool, account, [anybody], 0), owing(pool, account, [anybody], 1)]
  return [
    ['aave-v3 deposit', moves, { keeps: unit }],
    ['aave-v3 redeem', moves, { keeps: unit }],
    ['aave-v3 withdraw', moves, { keeps: exact }],
    ['aave-v3 borrow', moves, { keeps: exact, holdings: loan }],
    [
      'aave-v3 repay',
      moves,
      {
        keeps: debt,
        holdings: loan,
        after: noDebt(pool, 'function getUserAccountData(address) view', [anybody], 1),
      },
    ],
    [
      'aave-v3 harvest',
      moves,
      { keeps: 'What is earned so far is owed; new deposits earn from then on.' },
    ],
  ]
}
