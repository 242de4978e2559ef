/** Liquidity of Uniswap in bundles and routes over HTTP; each transaction is carried out on an Anvil of its own. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import { contractAddress, executorAddress } from '../../../src/executor/deployments.js'
import { contractAddresses, v2PairAddress, v3PoolAddress } from '../../../src/sandbox/addresses.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type Action, askBundle, output, proveBundle } from '../../support/bundle.js'
import { executeOnFork } from '../../support/execute.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const addressOf = (symbol: string) => sandboxToken(symbol).address
const [weth, usdc, dai] = [addressOf('WETH'), addressOf('USDC'), addressOf('DAI')]
const shares = v2PairAddress('uniswap-v2', weth, usdc)
const pool = v3PoolAddress(weth, usdc, 500)
const manager = contractAddresses.v3PositionManager
const from: Address = '0x00000000000000000000000000000000000f00d8'
const ether = 10n ** 18n
/** keccak256('Transfer(address,address,uint256)') */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})
/** What must be empty in the end: whoever runs the steps, and the helper. */
const places = [
  executorAddress(from),
  contractAddress('Router'),
  contractAddress('UniswapV2Zapper'),
]
const watch = places.flatMap((owner) =>
  [weth, usdc, dai, shares].map((token) => ({ token, owner })),
)

async function prove(actions: readonly Action[], routingStrategy = 'router') {
  const query = { fromAddress: from, routingStrategy }
  const proven = await proveBundle(service, query, actions, { watch })
  const left = proven.execution.deltas.slice(-watch.length)
  expect(left.every((delta) => delta === 0n)).toBe(true)
  return proven
}

const deposit = (tokenIn: unknown, amountIn: unknown): Action => ({
  protocol: 'uniswap-v2',
  action: 'deposit',
  args: { primaryAddress: shares, tokenIn, amountIn, tokenOut: shares },
})

describe('shares of V2 pairs in bundles', () => {
  test.each(['router', 'delegate', 'svcwallet-v2'])(
    'both tokens, one of them of a route, are added; what is too much comes back: %s',
    async (routingStrategy) => {
      const route: Action = {
        protocol: 'svc',
        action: 'route',
        args: { tokenIn: dai, tokenOut: usdc, amountIn: (20_000n * ether).toString() },
      }
      const both = deposit([weth, usdc], [ether.toString(), output(0)])
      const { body } = await prove([route, both], routingStrategy)
      expect(BigInt(body.amountsOut[shares])).toBeGreaterThan(0n)
    },
  )
  test('a token becomes shares, these become both tokens, one of which is swapped', async () => {
    const { body } = await prove([
      deposit(usdc, '10000000000'),
      {
        protocol: 'uniswap-v2',
        action: 'redeem',
        args: { primaryAddress: shares, tokenIn: shares, amountIn: output(0) },
      },
      {
        protocol: 'svc',
        action: 'route',
        args: { tokenIn: weth, tokenOut: dai, amountIn: output(1, weth < usdc ? 0 : 1) },
      },
    ])
    expect(Object.keys(body.amountsOut).sort()).toEqual([dai, usdc].sort())
  })
  test('a pair that is none names the action and the argument', async () => {
    const action = deposit(usdc, '1')
    const wrong = { ...action, args: { ...action.args, primaryAddress: weth, tokenOut: weth } }
    const { status, body } = await askBundle(service, { fromAddress: from }, [wrong])
    expect(status).toBe(400)
    expect(body.message).toContain('tokenOut')
  })
})

describe('positions of V3 pools in bundles', () => {
  test('a new position of both tokens in a range of the caller goes to the receiver', async () => {
    const mint: Action = {
      protocol: 'uniswap-v3',
      action: 'deposit',
      args: {
        primaryAddress: manager,
        tokenIn: [usdc, weth],
        amountIn: ['30000000000', (10n * ether).toString()],
        fee: 500,
        tickLower: 100_000,
        tickUpper: 300_000,
      },
    }
    const { body, execution } = await prove([mint])
    const nft = execution.logs.find(
      ({ address, topics }) => address === manager && topics[0] === transferTopic,
    )
    expect(BigInt(nft?.topics[2] ?? 0)).toBe(BigInt(from))
    expect(body.route[0].positionOutId).toEqual([`1:${manager}:${pool}-100000-300000`])
  })
})

describe('GET /api/v1/shortcuts/route/nontokenized', () => {
  test.each([
    ['DAI', dai, 50_000n * ether],
    ['WETH', weth, 5n * ether],
  ] as const)(
    '%s becomes a position over all prices, for about half of its value each token',
    async (_symbol, tokenIn, amountIn) => {
      const positionOut = `1:${manager}:${pool}--887270-887270`
      const { status, body } = await service.get('/api/v1/shortcuts/route/nontokenized', {
        fromAddress: from,
        tokenIn,
        amountIn: amountIn.toString(),
        positionOut,
        receiver: from,
        executionMode: 'backend',
      })
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body.positionOut).toBe(positionOut)
      expect(body.amountOut).toBe(body.amountDeposited)
      expect(body.amountDepositedList).toHaveLength(2)
      for (const name of ['amountOut', 'minAmountOut', 'amountDeposited']) {
        expect(body[name]).toBe(body[`${name}List`][0])
      }
      const done = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber: body.createdAt,
        tx: body.tx,
        watch,
        fund: [{ token: tokenIn, amount: amountIn }],
        approve: contractAddress('Router'),
      })
      expect(done.status).toBe('success')
      expect(done.gasUsed.toString()).toBe(String(body.gas))
      expect(done.deltas.every((delta) => delta === 0n)).toBe(true)
      const nft = done.logs.find(
        ({ address, topics }) => address === manager && topics[0] === transferTopic,
      )
      expect(BigInt(nft?.topics[1] ?? 1)).toBe(BigInt(zeroAddress))
      expect(BigInt(nft?.topics[2] ?? 0)).toBe(BigInt(from))
    },
  )
})
