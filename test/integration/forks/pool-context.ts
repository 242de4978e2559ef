/** A chain of three blocks, pools of forks at them, and what their processes report. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { BlockPin } from '../../../src/domain/primitives.js'
import { ForkPool, type ForkPoolOptions } from '../../../src/forks/pool.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { startTestChain, type TestChain } from '../../support/test-chain.js'

export interface PoolContext {
  readonly testChain: TestChain
  /** @param index - 0 to 2, oldest first. */
  pinAt(index: number): BlockPin
  /** Closed when the test is over. */
  makePool(options?: Partial<ForkPoolOptions>): ForkPool
}

/** Starts the chain before the tests of a file, and ends it after them. */
export function withForkPoolContext(): () => PoolContext {
  let testChain: TestChain
  const pins: BlockPin[] = []
  beforeAll(async () => {
    testChain = await startTestChain()
    for (let count = 0; count < 3; count++) {
      await testChain.mine()
      pins.push(await testChain.pin())
    }
  })
  afterAll(() => testChain?.stop())
  return () => ({
    testChain,
    pinAt(index) {
      const pin = pins[index]
      if (!pin) throw new Error(`no block ${index}`)
      return pin
    },
    makePool(options = {}) {
      const pool = new ForkPool({ archiveUrl: () => testChain.node.url, ...options })
      onTestFinished(() => pool.close())
      return pool
    },
  })
}

export function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Polls; the condition must come true, how fast is not asserted. */
export async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 3_000; round++) {
    if (condition()) return
    await sleep(10)
  }
  throw new Error('the condition did not come true')
}

export async function ask(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<string> {
  const client = createRpcClient(url)
  try {
    return await client.request<string>(method, params)
  } finally {
    await client.close()
  }
}

export async function blockOf(url: string): Promise<bigint> {
  return BigInt(await ask(url, 'eth_blockNumber'))
}
