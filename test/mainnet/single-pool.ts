/** A route through exactly one pool: the product's own thread code, with every other pool shut out. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { openCatalog } from '../../src/catalog/store.js'
import type { RouteAnswer, RouteRequest } from '../../src/domain/engine.js'
import type { Address, BlockPin, Hex } from '../../src/domain/primitives.js'
import { quoteSender } from '../../src/executor/deployments.js'
import type { Pool } from '../../src/protocols/pool.js'
import { WorkerContext } from '../../src/routing/block/worker-context.js'
import type { TaskReply } from '../../src/routing/dispatch.js'
import { runTask } from '../../src/routing/dispatch.js'
import type { TestAnvil } from '../support/anvil.js'

export interface SinglePools {
  quote(
    pool: Pool,
    swap: { readonly tokenIn: Address; readonly tokenOut: Address; readonly amountIn: bigint },
  ): Promise<TaskReply<'route'>>
}

/** @param nodeUrl - read for storage; @param fork - of the block, for simulations. */
export function singlePools(args: {
  readonly pools: readonly Pool[]
  readonly pin: BlockPin
  readonly nodeUrl: string
  readonly fork: TestAnvil
}): SinglePools {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-single-'))
  const catalog = openCatalog(dataDir)
  catalog.importPools(1, args.pools)
  catalog.close()
  return {
    quote(pool, { tokenIn, tokenOut, amountIn }) {
      const worker = new WorkerContext({
        dataDir,
        candidates: 4,
        maxHops: 1,
        poolBlacklist: args.pools.map(({ id }) => id).filter((id) => id !== pool.id),
        liquidityFloorUsd: 0,
        priorityFeePerGas: {},
        tokens: [],
      })
      const request: RouteRequest = {
        chainId: 1,
        fromAddress: quoteSender,
        strategy: 'router',
        executionMode: 'backend',
        inputs: [{ token: tokenIn, amount: amountIn }],
        tokensOut: [tokenOut],
        limit: { kind: 'slippage', centiBps: 0n },
        ignoreAggregators: [],
        ignoreStandards: [],
        includeTransactionCost: false,
        includePriceImpact: false,
      }
      const accountId: Hex = `0x${'0'.repeat(64)}`
      return runTask<'route'>(worker, {
        kind: 'route',
        args: { mode: 'quote', request, accountId },
        place: { pin: args.pin, archiveUrl: args.nodeUrl, forkUrls: [args.fork.url] },
        cancel: new MessageChannel().port2,
      })
    },
  }
}

/** The answer of a reply, or why there is none. */
export function answerOf(reply: TaskReply<'route'>): RouteAnswer | string {
  return reply.ok ? reply.value : `${reply.error.code}: ${reply.error.message}`
}
