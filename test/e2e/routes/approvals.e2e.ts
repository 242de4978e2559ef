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
      ...{ chainId: '1', fromAddress: owner, routingStrategy: strategy },
      ...{ tokenAddress: token('DAI'), amount: amount.toString() },
    })
    expect(approval.status, approval.text).toBe(200)
    const spender = contractAddress(name)
    const args = [spender, amount] as const
    expect(approval.body).toEqual({
      tx: {
        ...{ to: token('DAI'), from: owner, value: '0' },
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }),
      },
      gas: expect.stringMatching(/^\d+$/),
      ...{ token: token('DAI'), amount: amount.toString(), spender },
    })
    const head = (await service.get('/api/v1/networks')).body[0].blockNumber
    const done = await executeOnFork({
      ...{ nodeUrl: service.nodeUrl, blockNumber: head, watch: [] },
      tx: { ...approval.body.tx, key: carol.privateKey },
    })
    expect(done).toMatchObject({ status: 'success', gasUsed: BigInt(approval.body.gas) })
  })
})
