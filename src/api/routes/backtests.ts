/** Backtests: jobs are created, followed, stopped and read. docs/backtests.md */
import { z } from 'zod'
import type { BacktestBlock, JobProgress, ResultFile } from '../../domain/backtest.js'
import type { ErrorCode } from '../../domain/errors.js'
import { planBody } from '../backtest-inputs.js'
import { parsePlan } from '../backtest-plan.js'
import { defineRoute, type Endpoint, endpoint, streamEndpoint } from '../contract.js'
import { FileAnswer } from '../file-answer.js'
import {
  Backtest,
  BacktestList,
  BacktestPage,
  BacktestProgress,
  toBacktest,
  toEntry,
  toPage,
  toProgress,
} from '../records/backtest-records.js'
import type { Dialect } from '../records/dialect.js'
import { BlockNumber, described, Flag, integer, oneOf, withDefault } from '../schemas.js'

const tag = 'Backtests'
const base = '/api/v1/backtests'
const idMessage = 'must be the id of a backtest'
const params = z.object({
  id: described(z.string(idMessage).max(64, idMessage), 'Of the job.', '0mwpbjdts52424e2f'),
})
/** The job is named in the path. */
const jobErrors: readonly ErrorCode[] = ['INVALID_REQUEST', 'NOT_FOUND', 'STORAGE_UNAVAILABLE']

const reproducible = described(
  withDefault(Flag, false, false),
  'Leaves out milliseconds, so that the same results have the same bytes. Of files, not of pages.',
)

const results = z.object({
  format: described(
    oneOf(['json', 'jsonl', 'csv', 'parquet', 'sqlite', 'html']).default('json'),
    'json: pages of blocks; the others: one file with all results so far.',
  ),
  table: described(
    oneOf(['routes', 'executions', 'deliveries']).default('routes'),
    'Of csv and parquet, which have one file per table.',
  ),
  reproducible,
  from: described(BlockNumber.optional(), 'First block of a page: `next` of the one before.'),
  limit: integer(1, 200)
    .default(50)
    .meta({ description: 'Blocks of a page.', override: { default: 50 } }),
})

function fileOf(
  format: Exclude<z.output<typeof results>['format'], 'json'>,
  table: z.output<typeof results>['table'],
): ResultFile {
  switch (format) {
    case 'jsonl':
    case 'sqlite':
      return `results.${format}`
    case 'html':
      return 'report.html'
    case 'csv':
    case 'parquet':
      return `${table}.${format}`
  }
}

/** Up to `limit` blocks, and where the next page begins. */
async function pageOf(blocks: AsyncIterable<BacktestBlock>, limit: number) {
  const page: BacktestBlock[] = []
  for await (const block of blocks) {
    if (page.length === limit) return toPage(page, block.blockNumber)
    page.push(block)
  }
  return toPage(page, null)
}

export function backtestEndpoints(dialect: Dialect): Endpoint[] {
  const create = defineRoute({
    method: 'post',
    path: base,
    tag,
    operationId: 'createBacktest',
    summary: 'Starts a backtest: requests, at many blocks, by several variants of the router.',
    description:
      'Every request is quoted at every block by every variant, and with `delays` its transaction is executed some ' +
      'blocks later. What a request with another destinationChainId sends is delivered again some seconds later. A field that is not known is refused. The answer comes as soon as the job is stored; it is worked on in the background, ' +
      'after live requests, and survives a restart of the service. All keys see all backtests.',
    documentedInput: planBody(dialect),
    response: Backtest,
    errors: [
      'INVALID_REQUEST',
      'UNKNOWN_CHAIN',
      'UNKNOWN_BLOCK',
      'CHAIN_NOT_READY',
      'UPSTREAM_UNAVAILABLE',
      'STATE_UNAVAILABLE',
      'STORAGE_UNAVAILABLE',
    ],
  })
  const list = defineRoute({
    method: 'get',
    path: base,
    tag,
    operationId: 'listBacktests',
    summary: 'All backtests, newest first.',
    description: 'Of all keys.',
    response: BacktestList,
    errors: ['STORAGE_UNAVAILABLE'],
  })
  const show = defineRoute({
    method: 'get',
    path: `${base}/{id}`,
    tag,
    operationId: 'getBacktest',
    summary: 'One backtest with its plan and how far it is.',
    description: 'A job that failed says why in `problem`, and goes on with resume.',
    params,
    response: Backtest,
    errors: jobErrors,
  })
  const cancel = defineRoute({
    method: 'post',
    path: `${base}/{id}/cancel`,
    tag,
    operationId: 'cancelBacktest',
    summary: 'Ends the work within a second; what is done stays.',
    description: 'Of a job that is over: nothing.',
    params,
    response: Backtest,
    errors: jobErrors,
  })
  const resume = defineRoute({
    method: 'post',
    path: `${base}/{id}/resume`,
    tag,
    operationId: 'resumeBacktest',
    summary: 'Goes on with a job that was cancelled or failed.',
    description:
      'Blocks that are done are not calculated again. Of a job that runs or is finished: nothing.',
    params,
    response: Backtest,
    errors: jobErrors,
  })
  const remove = defineRoute({
    method: 'delete',
    path: `${base}/{id}`,
    tag,
    operationId: 'removeBacktest',
    summary: 'Removes a job and its results.',
    description: 'One that runs is cancelled first. The answer is the job as it was.',
    params,
    response: Backtest,
    errors: jobErrors,
  })
  const getResults = defineRoute({
    method: 'get',
    path: `${base}/{id}/results`,
    tag,
    operationId: 'getBacktestResults',
    summary: 'What was found, of the blocks that are done.',
    description:
      'As pages of JSON (`next` of one is `from` of the following), or as a file that is written while it is read.',
    params,
    input: results,
    response: BacktestPage,
    files: [
      'application/x-ndjson',
      'text/csv',
      'application/vnd.apache.parquet',
      'application/vnd.sqlite3',
      'text/html',
    ],
    errors: jobErrors,
  })
  const summary = defineRoute({
    method: 'get',
    path: `${base}/{id}/summary`,
    tag,
    operationId: 'getBacktestSummary',
    summary: 'What the results say per variant and request: regret, wins, fills, gas.',
    description: 'Of the blocks that are done. docs/backtest-report.md defines every figure.',
    params,
    input: z.object({ reproducible }),
    response: z.record(z.string(), z.unknown()),
    errors: jobErrors,
  })
  const events = defineRoute({
    method: 'get',
    path: `${base}/{id}/events`,
    tag,
    operationId: 'followBacktest',
    summary: 'The progress of a job, now and at every change.',
    description:
      'Server-sent events `progress` until the job is finished, cancelled or failed; a comment every 15 seconds.',
    params,
    response: BacktestProgress,
    eventName: 'progress',
    errors: [...jobErrors, 'TOO_MANY_STREAMS', 'OVERLOADED'],
  })

  return [
    endpoint(create, async ({ engine, backtests, body, context }) =>
      toBacktest(await backtests.create(await parsePlan(body, { engine, dialect, context }))),
    ),
    endpoint(list, async ({ backtests }) => (await backtests.list()).map(toEntry)),
    endpoint(show, async ({ backtests, params: { id } }) => toBacktest(await backtests.show(id))),
    endpoint(cancel, async ({ backtests, params: { id } }) =>
      toBacktest(await backtests.cancel(id)),
    ),
    endpoint(resume, async ({ backtests, params: { id } }) =>
      toBacktest(await backtests.resume(id)),
    ),
    endpoint(remove, async ({ backtests, params: { id } }) => {
      const job = await backtests.show(id)
      await backtests.remove(id)
      return toBacktest(job)
    }),
    endpoint(getResults, async ({ backtests, params: { id }, input }) => {
      const { format, table, reproducible, from, limit } = input
      if (format === 'json') return pageOf(backtests.results(id, from), limit)
      return new FileAnswer(await backtests.file(id, fileOf(format, table), { reproducible }))
    }),
    endpoint(
      summary,
      async ({ backtests, params: { id }, input }) =>
        new FileAnswer(await backtests.file(id, 'summary.json', input)),
    ),
    streamEndpoint(events, async ({ backtests, params: { id }, context }) => {
      await backtests.show(id)
      return progressOf(backtests.watch(id, context.signal))
    }),
  ]
}

async function* progressOf(watched: AsyncIterable<JobProgress>) {
  for await (const progress of watched) {
    yield { name: 'progress', id: String(progress.blocksDone), body: toProgress(progress) }
  }
}
