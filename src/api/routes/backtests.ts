/**
 * Backtests: jobs are created, followed, stopped and read. docs/how-to/backtests.md
 * Jobs of hindsight, which POST /hindsight creates, are followed, stopped and read here, too.
 */
import { z } from 'zod'
import {
  filesPerAccount,
  type JobBlock,
  type JobKind,
  type JobProgress,
  lengthOf,
  type ResultFile,
  type ResultOptions,
} from '../../domain/backtest.js'
import { invalidRequest, notFound, scopeMissing } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import type { ErrorCode } from '../../domain/errors.js'
import {
  defineRoute,
  type Endpoint,
  endpoint,
  type HandlerArgs,
  streamEndpoint,
} from '../contract.js'
import { FileAnswer, longestPauseMs, slowestBytesPerMs } from '../file-answer.js'
import { parsePlan } from '../inputs/plan.js'
import { planBody } from '../inputs/plan-fields.js'
import {
  Backtest,
  BacktestList,
  BacktestPage,
  BacktestProgress,
  toBacktest,
  toPage,
  toProgress,
} from '../records/backtest-records.js'
import type { Dialect } from '../records/dialect.js'
import { toEntry } from '../records/job-entry.js'
import { BlockNumber, described, Flag, integer, oneOf, withDefault } from '../schemas.js'

const tag = 'Backtests'
const base = '/api/v1/backtests'
const idMessage = 'must be the id of a backtest'
const params = z.object({
  id: described(z.string(idMessage).max(64, idMessage), 'Of the job.', '0mwpbjdts52424e2f'),
})
/** The job is named in the path. */
const jobErrors: readonly ErrorCode[] = ['INVALID_REQUEST', 'NOT_FOUND', 'STORAGE_UNAVAILABLE']
const changeErrors: readonly ErrorCode[] = [...jobErrors, 'SCOPE_MISSING']
const streamErrors: readonly ErrorCode[] = [...jobErrors, 'TOO_MANY_STREAMS', 'OVERLOADED']
/** A file is made by a thread while it is read. */
const fileErrors: readonly ErrorCode[] = [...streamErrors, 'THREAD_LOST']
const ownOnly = 'Only keys of the account that created it, and admins, may do this.'
const mostListed = 1_000

const reproducible = described(
  withDefault(Flag, false, false),
  'Leaves out milliseconds, so that the same results have the same bytes. Of files, not of pages.',
)

/** A page with this many rows ends with the block that it has reached. */
const mostRows = 5_000

const results = z.object({
  format: described(
    oneOf(['json', 'jsonl', 'csv', 'parquet', 'sqlite', 'html']).default('json'),
    'json: pages of blocks; the others: one file with all results so far.',
  ),
  table: described(
    oneOf(['routes', 'executions', 'deliveries', 'transactions']).optional(),
    'Of csv and parquet, which have one file per table. Of a backtest routes, which is the default, executions or deliveries; of hindsight transactions.',
  ),
  reproducible,
  from: described(BlockNumber.optional(), 'First block of a page: `next` of the one before.'),
  limit: integer(1, 200)
    .default(50)
    .meta({
      description: `Blocks of a page; one that has ${mostRows} rows earlier ends there.`,
      override: { default: 50 },
    }),
})

type FileFormat = Exclude<z.output<typeof results>['format'], 'json'>
type Table = z.output<typeof results>['table']

/** @throws ForkrouteError INVALID_REQUEST for what jobs of the kind do not have. */
function fileOf(kind: JobKind | undefined, format: FileFormat, table: Table): ResultFile {
  const isHindsight = kind === 'hindsight'
  if (isHindsight && format === 'sqlite') {
    throw invalidRequest(['format must not be sqlite: the job is hindsight, not a backtest'])
  }
  if (table !== undefined && (table === 'transactions') !== isHindsight) {
    const tables = isHindsight ? 'transactions' : 'routes, executions or deliveries'
    const what = isHindsight ? 'hindsight' : 'a backtest'
    throw invalidRequest([`table must be ${tables}: the job is ${what}`])
  }
  switch (format) {
    case 'jsonl':
    case 'sqlite':
      return `results.${format}`
    case 'html':
      return 'report.html'
    case 'csv':
    case 'parquet':
      return `${table ?? (isHindsight ? 'transactions' : 'routes')}.${format}`
  }
}

/** Up to `limit` blocks, and where the next page begins. */
async function pageOf(blocks: AsyncIterable<JobBlock>, limit: number) {
  const page: JobBlock[] = []
  let rows = 0
  for await (const block of blocks) {
    if (page.length === limit || rows >= mostRows) return toPage(page, block.blockNumber)
    page.push(block)
    rows += lengthOf(block)
  }
  return toPage(page, null)
}

function createBacktest(dialect: Dialect): Endpoint {
  return endpoint(
    defineRoute({
      method: 'post',
      path: base,
      tag,
      operationId: 'createBacktest',
      summary: 'Starts a backtest: requests, at many blocks, by several variants of the router.',
      description:
        'Every request is quoted at every block by every variant, and with `delays` its transaction is executed some ' +
        'blocks later. What a request with another destinationChainId sends is delivered again some seconds later. A field that is not known is refused. The answer comes as soon as the job is stored; it is worked on in the background, ' +
        'after live requests, and survives a restart of the service. All keys see all backtests, unless BACKTESTS_PRIVATE is on. One account has at most ' +
        'BACKTESTS_MAX_OPEN of them that wait or run, and BACKTESTS_MAX_STORED in all.',
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
        'TOO_MANY_BACKTESTS',
      ],
    }),
    async ({ engine, backtests, body, context }) => {
      const plan = await parsePlan(body, { engine, dialect, context })
      return toBacktest(await backtests.create(plan, context.accountId))
    },
  )
}

const listBacktests = endpoint(
  defineRoute({
    method: 'get',
    path: base,
    tag,
    operationId: 'listBacktests',
    summary: 'All backtests, newest first.',
    description:
      'Of all keys; where BACKTESTS_PRIVATE is on, of the account of the key, and of all for an admin.',
    input: z.object({
      limit: integer(1, mostListed)
        .default(mostListed)
        .meta({ description: 'Backtests of a page.', override: { default: mostListed } }),
      before: described(
        z.string(idMessage).max(64, idMessage).optional(),
        'Only older ones than this: the last id of the page before.',
      ),
    }),
    response: BacktestList,
    errors: ['INVALID_REQUEST', 'STORAGE_UNAVAILABLE'],
  }),
  async ({ input: { limit, before }, ...args }) => {
    const { backtests, context } = args
    const { accountId } = context
    const found = await backtests.list({
      limit,
      ...defined({ before }),
      ...(backtests.isPrivate && !isEverybodys(args) && { accountId }),
    })
    return found.map(toEntry)
  },
)

const showBacktest = endpoint(
  defineRoute({
    method: 'get',
    path: `${base}/{id}`,
    tag,
    operationId: 'getBacktest',
    summary: 'One backtest with its plan and how far it is.',
    description: 'A job that failed says why in `problem`, and goes on with resume.',
    params,
    response: Backtest,
    errors: jobErrors,
  }),
  async (args) => {
    await requireReader(args)
    return toBacktest(await args.backtests.show(args.params.id))
  },
)

const cancelBacktest = endpoint(
  defineRoute({
    method: 'post',
    path: `${base}/{id}/cancel`,
    tag,
    operationId: 'cancelBacktest',
    summary: 'Ends the work within a second; what is done stays.',
    description: `Of a job that is over: nothing. ${ownOnly}`,
    params,
    response: Backtest,
    errors: changeErrors,
  }),
  async (args) => {
    await requireOwner(args)
    return toBacktest(await args.backtests.cancel(args.params.id))
  },
)

const resumeBacktest = endpoint(
  defineRoute({
    method: 'post',
    path: `${base}/{id}/resume`,
    tag,
    operationId: 'resumeBacktest',
    summary: 'Goes on with a job that was cancelled or failed.',
    description: `Blocks that are done are not calculated again. Of a job that runs or is finished: nothing. ${ownOnly}`,
    params,
    response: Backtest,
    errors: [...changeErrors, 'TOO_MANY_BACKTESTS'],
  }),
  async (args) => {
    await requireOwner(args)
    return toBacktest(await args.backtests.resume(args.params.id))
  },
)

const removeBacktest = endpoint(
  defineRoute({
    method: 'delete',
    path: `${base}/{id}`,
    tag,
    operationId: 'removeBacktest',
    summary: 'Removes a job and its results.',
    description: `One that runs is cancelled first. The answer is the job as it was. ${ownOnly}`,
    params,
    response: Backtest,
    errors: changeErrors,
  }),
  async (args) => {
    await requireOwner(args)
    const { backtests, params } = args
    const job = await backtests.show(params.id)
    await backtests.remove(params.id)
    return toBacktest(job)
  },
)

const getResults = endpoint(
  defineRoute({
    method: 'get',
    path: `${base}/{id}/results`,
    tag,
    operationId: 'getBacktestResults',
    summary: 'What was found, of the blocks that are done.',
    description:
      'As pages of JSON (`next` of one is `from` of the following), or as a file that is written while it is read. ' +
      `An account reads ${filesPerAccount} files at a time, and waits while others read all that there may be. A client that takes nothing of a file for ` +
      `${longestPauseMs / 1_000} seconds, or less than ${slowestBytesPerMs} kB a second in the long run, is cut off. A file that cannot be finished ends with a cut connection.`,
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
    errors: fileErrors,
  }),
  async (args) => {
    await requireReader(args)
    const { backtests, params, input } = args
    const { format, table, reproducible, from, limit } = input
    if (format === 'json') return pageOf(backtests.results(params.id, from), limit)
    const { kind } = await backtests.entry(params.id)
    return fileAnswer(args, fileOf(kind, format, table), { reproducible })
  },
)

const getSummary = endpoint(
  defineRoute({
    method: 'get',
    path: `${base}/{id}/summary`,
    tag,
    operationId: 'getBacktestSummary',
    summary: 'What the results say per variant and request: regret, wins, fills, gas.',
    description:
      'Of the blocks that are done. docs/how-to/backtest-report.md defines every figure.',
    params,
    input: z.object({ reproducible }),
    response: z.record(z.string(), z.unknown()),
    errors: fileErrors,
  }),
  async (args) => {
    await requireReader(args)
    return fileAnswer(args, 'summary.json', args.input)
  },
)

const followBacktest = streamEndpoint(
  defineRoute({
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
    errors: streamErrors,
  }),
  async (args) => {
    await requireReader(args)
    return progressOf(args.backtests.watch(args.params.id, args.context.signal))
  },
)

export function backtestEndpoints(dialect: Dialect): Endpoint[] {
  return [
    createBacktest(dialect),
    listBacktests,
    showBacktest,
    cancelBacktest,
    resumeBacktest,
    removeBacktest,
    getResults,
    getSummary,
    followBacktest,
  ]
}

type Asker = Pick<HandlerArgs<unknown, unknown>, 'keys' | 'scopes' | 'context' | 'backtests'>
type AskerOfOne = Asker & { readonly params: { readonly id: string } }

/** In open mode, where there are no accounts, an address has the places of one. */
async function fileAnswer(
  { backtests, keys, context, caller, params }: AskerOfOne & { readonly caller: string },
  file: ResultFile,
  options: ResultOptions,
): Promise<FileAnswer> {
  const account = keys ? context.accountId : caller
  return new FileAnswer(await backtests.file(params.id, { file, account, options }))
}

/** Whether all jobs are as the asker's own: those of an admin, and in open mode, where nobody is known from others. */
function isEverybodys({ keys, scopes }: Asker): boolean {
  return keys === null || scopes.includes('admin')
}

/** @returns whether the job is the asker's. @throws ForkrouteError NOT_FOUND, also for one that the asker may not read. */
async function requireReader(args: AskerOfOne): Promise<boolean> {
  const { id } = args.params
  const { accountId } = await args.backtests.entry(id)
  const isOwn = isEverybodys(args) || accountId === args.context.accountId
  if (args.backtests.isPrivate && !isOwn) throw notFound(`backtest ${id.slice(0, 64)}`)
  return isOwn
}

/** @throws ForkrouteError NOT_FOUND, SCOPE_MISSING. */
async function requireOwner(args: AskerOfOne): Promise<void> {
  if (await requireReader(args)) return
  throw scopeMissing(
    'The backtest is of another account: a key of that account is needed, or one with the scope admin.',
    'admin',
  )
}

async function* progressOf(watched: AsyncIterable<JobProgress>) {
  for await (const progress of watched) {
    yield { name: 'progress', id: String(progress.blocksDone), body: toProgress(progress) }
  }
}
