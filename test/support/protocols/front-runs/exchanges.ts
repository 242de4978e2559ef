/** What is done ahead of actions on pools: somebody swaps. */
import { ethereum } from '../../../../src/chains/ethereum.js'
import { type Address, nativeToken, toAddress } from '../../../../src/domain/primitives.js'
import { psmAddresses } from '../../../../src/protocols/sky-psm/load.js'
import {
  contractAddresses,
  curvePoolAddresses,
  curveSharesAddresses,
  v2PairAddress,
  v3PoolAddress,
} from '../../../../src/sandbox/addresses.js'
import { sandboxPools } from '../../../../src/sandbox/market/catalog.js'
import { called, type Move, swap } from '../../front-run.js'
import type { actionCases } from '../action-cases.js'
import { gsm, gsmCap, setGsm } from '../declared/place-gsm.js'
import { lite, liteVariables, setLite } from '../fluid-lite.js'
import { act, type Entry, ether, holding, million, token } from './parts.js'

const [weth, usdc, dai, wbtc] = [token('WETH'), token('USDC'), token('DAI'), token('WBTC')]

type Facts = Parameters<typeof actionCases>[0]

/** @param facts - as of `actionCases`. */
export function exchangeMoves(facts: Facts): Entry[] {
  return [
    ...pairMoves('uniswap-v2', v2PairAddress('uniswap-v2', weth, usdc), usdc),
    ...pairMoves('sushiswap-v2', v2PairAddress('sushiswap-v2', weth, usdc), usdc),
    ...pairMoves('pancakeswap-v2', facts.pancakePair, dai),
    ...uniswapMoves(facts),
    ...balancerMoves(),
    ...curveMoves(),
  ]
}

/** @param pair - of WETH and `other`. */
function pairMoves(slug: string, pair: Address, other: Address): Entry[] {
  const sell = swap({
    protocol: slug,
    tokenIn: weth,
    tokenOut: other,
    amount: 3_000n * ether,
    pool: pair,
  })
  const buy = swap({
    protocol: slug,
    tokenIn: other,
    tokenOut: weth,
    amount: worth(other),
    pool: pair,
  })
  // Who deposits and leaves in one transaction does both at one price.
  const held = { primaryAddress: pair, tokenIn: pair, amountIn: '1000000000000' }
  return [
    [`${slug} deposit`, [sell, buy]],
    [
      `${slug} redeem`,
      [sell, buy],
      { actions: act(slug, 'redeem', { ...held, tokenOut: [weth, other] }) },
    ],
    [
      `${slug} withdraw`,
      [buy, sell],
      { actions: act(slug, 'withdraw', { ...held, tokenOut: weth }) },
    ],
    [`${slug} swap`, bothWays(slug, [weth, 3_000n * ether], [other, worth(other)])],
  ]
}

type Amount = readonly [token: Address, amount: bigint]

/** From the first to the second, and the other way. */
function bothWays(
  protocol: string,
  [a, ofA]: Amount,
  [b, ofB]: Amount,
  pool?: Address,
): [Move, Move] {
  const common = { protocol, ...(pool && { pool }) }
  return [
    swap({ ...common, tokenIn: a, tokenOut: b, amount: ofA }),
    swap({ ...common, tokenIn: b, tokenOut: a, amount: ofB }),
  ]
}

/** Ten million dollars. */
function worth(stable: Address): bigint {
  return stable === usdc ? 10n * million * million : 10n * million * ether
}

function uniswapMoves({ nft, anybody }: Facts): Entry[] {
  const pool = v3PoolAddress(...inOrder(weth, usdc), 500)
  const moves = bothWays('uniswap-v3', [weth, 1_000n * ether], [usdc, 3n * million * million], pool)
  const positions = [
    ...['address operator', 'uint96', 'address', 'address', 'uint24', 'int24', 'int24'],
    'uint128 liquidity',
  ]
  const ofManager = contractAddresses.v3PositionManager
  const liquidity = `function positions(uint256) view returns (${positions.join(', ')})`
  const left = [holding(ofManager, liquidity, [BigInt(nft)], 7)]
  return [
    [
      'uniswap-v3 deposit',
      moves,
      {
        holdings: [
          {
            async of(read) {
              const owns = 'function balanceOf(address) view returns (uint256)'
              if ((await read(ofManager, owns, [anybody])) === 0n) return 0n
              const at = 'function tokenOfOwnerByIndex(address, uint256) view returns (uint256)'
              return read(ofManager, liquidity, [await read(ofManager, at, [anybody, 0n])], 7)
            },
          },
        ],
      },
    ],
    ['uniswap-v3 withdraw', moves, { holdings: left }],
    ['uniswap-v3 redeem', moves],
    [
      'uniswap-v3 harvest',
      moves,
      {
        holdings: left,
        keeps: 'Fees are owed; what others do only adds to them.',
        mayGain: true,
        actions: harvestOf(nft),
      },
    ],
    [
      'uniswap-v3 swap',
      bothWays('uniswap-v3', [weth, 10_000n * ether], [usdc, 30n * million * million]),
    ],
    [
      'uniswap-v4 swap',
      bothWays('uniswap-v4', [nativeToken, 1_000n * ether], [usdc, 3n * million * million]),
    ],
    [
      'fluid-dex-t1 swap',
      bothWays('fluid-dex-t1', [dai, 300_000n * ether], [usdc, 300_000n * million]),
    ],
    [
      'fluid-dex-lite swap',
      [liteMiddle('the middle down', 95n), liteMiddle('the middle up', 105n)],
    ],
    [
      'sky-psm swap',
      [feeOfPsm('the fee up', ether / 10n), feeOfPsm('the fee down', 0n)],
      // The module takes more than it is allowed to.
      { reason: /Panic\(0x11\)/ },
    ],
    [
      'aave-gsm swap',
      [gsmSet('the module closed', noFees, false), gsmSet('the fee down', noFees, true)],
      { reason: /FROZEN/ },
    ],
    ...['sushiswap-v3', 'pancakeswap-v3'].map(
      (protocol): Entry => [
        `${protocol} swap`,
        bothWays(protocol, [weth, 30_000n * ether], [dai, 30_000n * ether]),
      ],
    ),
  ]
}

/** Sky's governance alone sets it; its stand-in lets anybody. */
function feeOfPsm(direction: string, fee: bigint): Move {
  return called({
    is: 'a change of the fee',
    direction,
    to: psmAddresses(ethereum.venues['sky-psm'] ?? {}).psm,
    signature: 'function set(uint256 tin, uint256 tout)',
    args: [fee, fee],
  })
}

const noFees: Address = `0x${'0'.repeat(40)}`

/** Aave's governance alone does it; its stand-in lets anybody. */
function gsmSet(direction: string, fees: Address, isOpen: boolean): Move {
  return called({
    is: 'a change of the module',
    direction,
    to: gsm.module,
    signature: setGsm,
    args: [fees, gsmCap, isOpen],
  })
}

/** Fluid's governance alone does it, or time; its stand-in lets anybody. */
function liteMiddle(direction: string, percent: bigint): Move {
  const centerPrice = (lite.shape.centerPrice * percent) / 100n
  return called({
    is: 'a move of the middle',
    direction,
    to: lite.dex,
    signature: setLite,
    args: [lite.key, liteVariables({ ...lite.shape, centerPrice }), 0n, 0n, 0n],
  })
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
  const moves = bothWays('balancer-v2', [weth, 300n * ether], [wbtc, 1_000_000_000n])
  const exit = { primaryAddress: share, tokenIn: share, amountIn: ether.toString() }
  return [
    ['balancer-v2 deposit', moves],
    [
      'balancer-v2 redeem',
      moves,
      { actions: act('balancer-v2', 'redeem', { ...exit, tokenOut: [wbtc, weth] }) },
    ],
    ['balancer-v2 swap', moves],
  ]
}

function curveMoves(): Entry[] {
  const [pool, share] = [curvePoolAddresses[0], curveSharesAddresses[0]]
  const exit = { primaryAddress: pool, tokenIn: share, amountIn: (1_000n * ether).toString() }
  const of = (tens: bigint): [Amount, Amount] => [
    [dai, tens * million * ether],
    [usdc, tens * million * million],
  ]
  const [daiForUsdc, usdcForDai] = bothWays('curve', ...of(20n), pool)
  return [
    ['curve deposit', [daiForUsdc, usdcForDai]],
    [
      'curve redeem',
      [daiForUsdc, usdcForDai],
      { actions: act('curve', 'redeem', { ...exit, tokenOut: usdc }) },
    ],
    ['curve withdraw', [usdcForDai, daiForUsdc], { reason: /Slippage screwed you/ }],
    ['curve swap', bothWays('curve', ...of(60n))],
  ]
}
