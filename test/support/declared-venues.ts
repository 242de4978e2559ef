/** What tests of declared venues share. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { toAddress } from '../../src/domain/primitives.js'
import { sandboxAccount } from '../../src/sandbox/accounts.js'
import { sandboxToken } from '../../src/sandbox/tokens.js'
import { executeOnFork } from './execute.js'
import type { Answer } from './service/service.js'

export const alice = sandboxAccount('alice').address

const names = ['uniswap-v2', 'curve', 'balancer-v2']

/** The example files as one. */
export function joinedExamples(): string {
  const lists = names.map((name) => {
    const url = new URL(`../../examples/venues/${name}.yaml`, import.meta.url)
    const [, list = ''] = readFileSync(url, 'utf8').split('venues:\n')
    return list
  })
  return `venues:\n${lists.join('')}`
}

/** Executes the route of alice on a fork of its own. @returns what she gets of the token. */
export async function deliveredByRoute(
  nodeUrl: string,
  { body }: Answer,
  { tokenIn, tokenOut, amountIn }: Readonly<Record<'tokenIn' | 'tokenOut' | 'amountIn', string>>,
) {
  // No balance of stETH can be dealt; alice has some of every token.
  const isDealt = toAddress(tokenIn) !== sandboxToken('stETH').address
  const done = await executeOnFork({
    nodeUrl,
    blockNumber: body.createdAt,
    tx: body.tx,
    watch: [{ token: toAddress(tokenOut), owner: alice }],
    fund: isDealt ? [{ token: toAddress(tokenIn), amount: BigInt(amountIn) }] : [],
    approve: body.tx.to,
  })
  expect(done.status).toBe('success')
  return done.deltas[0]
}
