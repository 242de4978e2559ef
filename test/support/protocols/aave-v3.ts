/** Actions on the sandbox's Aave V3, and how it refuses them. */
import { maxUint256 } from 'viem'
import { expect } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { type Action, askBundle } from '../bundle.js'
import type { NodeWriter } from '../nodes/node-writer.js'
import type { TestService } from '../service/service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
export const pool = String(ethereum.venues['aave-v3']?.pool) as Address
/** As on mainnet. */
export const aUsdc: Address = '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'
export const aWeth: Address = '0x4d5f47fa6a74757f35c14fd3a6ef8e3c9bc514e8'
export const aLink: Address = '0x5e8c8a7243651db1384c0ddfdbe39761e8e7e51a'
export const aAave: Address = '0xa700b4eb416be35b2911fd5dee80678ff64ff6c9'
export const aUni: Address = '0xf6d2224916ddfbbab6e6bd0d1b7034f4ae0cab18'
export const aFrax: Address = '0xd4e245848d6e1220dbe62e155d89fa327e43cb06'
export const debtWeth: Address = '0xea51d7853eefb32b6ee06b1c12e6dcca88be0ffe'
export const debtDai: Address = '0xcf8d0c70c850859266f5c338b38f9d663181c314'
/** Without anything at the beginning. */
export const from: Address = '0x00000000000000000000000000000000000f00d5'
export const alice = sandboxAccount('alice').address
export const carol = sandboxAccount('carol').address
export const dave = sandboxAccount('dave').address
const ether = 10n ** 18n
const protocol = 'aave-v3'

export function aave(action: string, args: Readonly<Record<string, unknown>>): Action {
  const written = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? value.toString() : value,
  ])
  return { protocol, action, args: { primaryAddress: pool, ...Object.fromEntries(written) } }
}

export const depositUsdc = (amountIn: bigint, more = {}) =>
  aave('deposit', { tokenIn: token('USDC'), tokenOut: aUsdc, amountIn, ...more })
export const borrowWeth = (amountOut: bigint) =>
  aave('borrow', { collateral: aUsdc, tokenOut: token('WETH'), amountOut })

/** Expects a 422 whose message says why the protocol refuses. */
export async function expectRefusal(
  service: Pick<TestService, 'post'>,
  actions: readonly Action[],
  reason: string,
  query: Readonly<Record<string, string>> = {},
): Promise<void> {
  const answer = await askBundle(service, { fromAddress: from, ...query }, actions)
  expect(answer.status, answer.text).toBe(422)
  expect(answer.body.message).toContain(reason)
}

/** What accounts have allowed, lent and borrowed before the tests. */
export async function lendAndBorrow(node: NodeWriter): Promise<void> {
  const approve = 'function approve(address, uint256)'
  for (const account of [alice, carol, dave]) {
    await node.rpc('anvil_impersonateAccount', [account])
    for (const aToken of [aUsdc, aFrax, aWeth]) {
      await node.send(aToken, approve, [contractAddress('Router'), maxUint256], account)
    }
  }
  // Dave lends, but not as collateral.
  await node.send(token('USDC'), approve, [pool, maxUint256], dave)
  const supply = 'function supply(address, uint256, address, uint16)'
  await node.send(pool, supply, [token('USDC'), 50_000_000_000n, dave, 0], dave)
  const useCollateral = 'function setUserUseReserveAsCollateral(address, bool)'
  await node.send(pool, useCollateral, [token('USDC'), false], dave)
  const borrowing = 'function borrow(address, uint256, uint256, uint16, address)'
  // Alice owes a little ether and DAI from before.
  await node.send(pool, borrowing, [token('WETH'), 2n * ether, 2n, 0, alice], alice)
  await node.send(pool, borrowing, [token('DAI'), 10_000n * ether, 2n, 0, alice], alice)
}
