/** Approvals as the service writes them, sent on an Anvil of the test's own. */
import { encodeFunctionData, erc20Abi } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { executeOnFork } from '../../support/execute.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const carol = sandboxAccount('carol')

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

describe('the approval transaction', () => {
  test.each([
    ['router', 'Router'],
    ['router-legacy', 'Router'],
    ['svcwallet-v2', 'WalletFactory'],
  ] as const)('%s: lets the %s spend the amount, and uses exactly gas', async (strategy, name) => {
    const owner = carol.address
    const amount = 123_456_789n
    const approval = await service.get('/api/v1/wallet/approve', {
      chainId: '1',
      fromAddress: owner,
      routingStrategy: strategy,
      tokenAddress: token('DAI'),
      amount: amount.toString(),
    })
    expect(approval.status, approval.text).toBe(200)
    const spender = contractAddress(name)
    const args = [spender, amount] as const
    expect(approval.body).toEqual({
      tx: {
        to: token('DAI'),
        from: owner,
        value: '0',
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }),
      },
      gas: expect.stringMatching(/^\d+$/),
      token: token('DAI'),
      amount: amount.toString(),
      spender,
    })
    const head = (await service.get('/api/v1/networks')).body[0].blockNumber
    const done = await executeOnFork({
      nodeUrl: service.nodeUrl,
      blockNumber: head,
      watch: [],
      tx: { ...approval.body.tx, key: carol.privateKey },
    })
    expect(done).toMatchObject({ status: 'success', gasUsed: BigInt(approval.body.gas) })
  })
})

describe('the approval of a delegate strategy', () => {
  test.each(['delegate', 'delegate-legacy'])(
    '%s: needless, as its warning says, and it moves nothing',
    async (routingStrategy) => {
      const from = carol.address
      const amount = '1000000000'
      const approval = await service.get('/api/v1/wallet/approve', {
        chainId: '1',
        fromAddress: from,
        routingStrategy,
        tokenAddress: token('USDC'),
        amount,
      })
      expect(approval.status, approval.text).toBe(200)
      expect(approval.body.spender).toBe(contractAddress('Delegate'))
      expect(approval.body.warnings[0]).toContain('the account spends its own tokens')
      // Whoever takes `tx` for a plain call has allowed the Delegate his tokens, and keeps them.
      const answer = await service.get('/api/v1/shortcuts/route', {
        chainId: '1',
        fromAddress: from,
        routingStrategy,
        tokenIn: token('USDC'),
        amountIn: amount,
        tokenOut: token('WETH'),
      })
      expect(answer.status, answer.text).toBe(200)
      const { tx, blockNumber } = answer.body
      const done = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber,
        tx,
        first: [approval.body.tx],
        watch: [{ token: token('USDC'), owner: from }],
      })
      expect(done).toMatchObject({ status: 'reverted', deltas: [0n] })
    },
  )
})
