/**
 * Rows of the table that only a reader can count. Each names what was counted and the file that has it, so that the next
 * reader can check: the script sees that the file is there and that the name occurs in it. Whoever moves or merges one
 * changes its list. Counted on 2026-11-25; what it was before is the count of the reader of 0d5d1000.
 */
export interface CountedByHand {
  readonly what: string
  readonly before: number
  readonly aim: number
  readonly now: readonly (readonly [name: string, file: string])[]
}

export const countedByHand: readonly CountedByHand[] = [
  {
    what: 'shapes of `amountIn` on its way in',
    before: 12,
    aim: 6,
    now: [
      ['amountIn', 'src/api/inputs/route-fields.ts'],
      ['RequestInput', 'src/domain/engine.ts'],
      ['OrderInput', 'src/domain/order.ts'],
      ['CandidateArgs', 'src/routing/search/candidates.ts'],
      ['RoutePlan', 'src/routing/route/plan-route.ts'],
      ['Order', 'src/executor/compile.ts'],
    ],
  },
  {
    what: 'result types on the way back',
    before: 10,
    aim: 5,
    now: [
      ['Built', 'src/routing/route/built.ts'],
      ['Attempt', 'src/routing/route/built.ts'],
      ['RouteAnswer', 'src/domain/engine.ts'],
      ['TaskReply', 'src/routing/dispatch.ts'],
      ['RouteTransaction', 'src/api/records/transactions.ts'],
    ],
  },
  {
    what: 'files to open to understand a plain route',
    before: 25,
    aim: 12,
    now: [
      ['amountIn', 'src/api/inputs/route-fields.ts'],
      ['TaskRunner', 'src/engine/task-runner.ts'],
      ['runTask', 'src/routing/dispatch.ts'],
      ['runRoute', 'src/routing/route/route.ts'],
      ['prepareRoute', 'src/routing/route/prepare.ts'],
      ['senderState', 'src/routing/route/sender-state.ts'],
      ['findFlows', 'src/routing/route/find-flows.ts'],
      ['findCandidates', 'src/routing/search/candidates.ts'],
      ['proveFlows', 'src/routing/route/prove.ts'],
      ['build', 'src/routing/route/built.ts'],
      ['rank', 'src/routing/route/choose.ts'],
      ['routeAnswer', 'src/routing/route/answer.ts'],
      ['RouteTransaction', 'src/api/records/transactions.ts'],
    ],
  },
  {
    what: 'waiting lines that a request crosses',
    before: 10,
    aim: 6,
    now: [
      ['createFairShare', 'src/engine/task-runner.ts'],
      ['createTurns', 'src/engine/worker-pool.ts'],
      ['Piscina', 'src/engine/worker-pool.ts'],
      ['queue', 'src/forks/simulate.ts'],
      ['batchesPerFork', 'src/forks/simulate.ts'],
      ['batchesInFlight', 'src/forks/reader.ts'],
      ['callLimit', 'src/forks/reader.ts'],
      ['createAskQueue', 'src/rpc/node/upstream.ts'],
      ['NodeTurns', 'src/rpc/node/upstream-node.ts'],
    ],
  },
  {
    what: "places that sequence the sender's funds (one more in part before)",
    before: 4,
    aim: 1,
    now: [
      // Callers say who sends what, and which pools may lend.
      ['senderState', 'src/routing/route/sender-state.ts'],
    ],
  },
  {
    what: 'evaluations of a swap: for the amount out, and again for the state after',
    before: 2,
    aim: 1,
    now: [['hopSwap', 'src/routing/search/flow.ts']],
  },
  {
    what: 'descriptions of one request',
    before: 5,
    aim: 1,
    now: [
      ['amountIn', 'src/api/inputs/route-fields.ts'],
      ['RouteRequest', 'src/domain/engine.ts'],
      ['quoteCodec', 'src/wire/plan.ts'],
    ],
  },
  {
    what: 'loops that settle source and destination of a bridge',
    before: 4,
    aim: 1,
    now: [['mostRounds', 'src/engine/crosschain/settle.ts']],
  },
]

/** @returns a sentence for each name that is not where the lists say. @param read - null for a file that is not there. */
export function misplaced(
  rows: readonly CountedByHand[],
  read: (file: string) => string | null,
): string[] {
  return rows.flatMap(({ what, now }) =>
    now.flatMap(([name, file]) => {
      const text = read(file)
      if (text === null) return [`${what}: ${file} is not there.`]
      return new RegExp(`\\b${name}\\b`).test(text) ? [] : [`${what}: ${file} has no ${name}.`]
    }),
  )
}
