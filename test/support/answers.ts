/** What tests of routes over HTTP look at in an answer. */
import { expect } from 'vitest'
import type { Address } from '../../src/domain/primitives.js'
import { executeOnFork } from './execute.js'
import type { Answer } from './service/service.js'

/** Sends the transaction of an answer on a fork of its own, and expects its amount and gas to the unit. */
export async function expectExecution(
  nodeUrl: string,
  { body }: Answer,
  tokenOut: Address,
  /** Who gets it. */
  owner: Address = body.tx.from,
): Promise<void> {
  const done = await executeOnFork({
    nodeUrl,
    blockNumber: body.createdAt,
    tx: body.tx,
    watch: [{ token: tokenOut, owner }],
  })
  expect(done.status).toBe('success')
  expect(done.deltas).toEqual([BigInt(body.amountOut)])
  expect(done.gasUsed).toBe(BigInt(body.gas))
}

/** `action protocol` of each step. */
export function stepsOf({ body }: Answer): string[] {
  return body.route.map(
    (step: { action: string; protocol: string }) => `${step.action} ${step.protocol}`,
  )
}
