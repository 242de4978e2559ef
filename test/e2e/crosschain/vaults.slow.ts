/**
 * A vault on another chain that nobody has listed, by its address: the transaction is mined on an Anvil of the source,
 * what it sent delivered on one of the destination, and the receiver's shares are those of the answer.
 */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxPlans } from '../../../src/sandbox/plans/registry.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { allBut } from '../../support/bridges/all-but.js'
import { deliverOnFork, type Place, sendOnFork } from '../../support/bridges/deliver-on-fork.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

const alice = sandboxAccount('alice').address
const bob = sandboxAccount('bob').address
const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

let sandboxes: Sandbox[]
let service: TestService
let vault: Address
let writer: NodeWriter

beforeAll(async () => {
  sandboxes = await startSandboxes(sandboxPlans.map((plan) => plan.market.chain.id))
  writer = await new NodeWriter(urlOf(1)).start()
  const { bytecode } = compileTestContracts('Vaults.sol')('OffsetVault')
  vault = await writer.deploy(bytecode, 'address, uint8', [usdc, 12])
  const nodes = sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])
  service = await startService(Object.fromEntries(nodes))
})
afterAll(async () => {
  await service?.stop()
  await writer?.close()
  await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.stop()))
})

function urlOf(chainId: number): string {
  return sandboxes.find((one) => one.chainId === chainId)?.url ?? ''
}

function place(chainId: number, blockNumber: number): Place {
  const plan = sandboxPlans.find((one) => one.market.chain.id === chainId)
  return {
    chainId,
    nodeUrl: urlOf(chainId),
    blockNumber,
    blockTimeSeconds: plan?.blockSeconds ?? 1,
  }
}

test.each(['across', 'stargate', 'cctp'])(
  '%s: ether of Base becomes shares on Ethereum',
  async (bridge) => {
    const { status, text, body } = await service.get('/api/v1/shortcuts/route', {
      chainId: '8453',
      destinationChainId: '1',
      fromAddress: alice,
      receiver: bob,
      tokenIn: nativeToken,
      amountIn: '400000000000000000',
      tokenOut: vault,
      ignoreBridges: allBut(bridge),
    })
    expect(status, text).toBe(200)
    expect(body.bridgingEstimates).toMatchObject([{ bridge }])
    expect(body.route.at(-1)).toMatchObject({ protocol: 'erc-4626', chainId: 1 })
    const source = place(8453, body.createdAt)
    const sent = await sendOnFork(source, body.tx)
    expect(sent).toMatchObject({ status: 'success', gasUsed: BigInt(body.gas) })
    const destination = place(1, body.destinationBlockNumber)
    const watch = { token: vault, owner: bob }
    expect(await deliverOnFork({ source, destination, logs: sent.logs, watch })).toMatchObject({
      status: 'delivered',
      gained: BigInt(body.amountOut),
    })
  },
)
