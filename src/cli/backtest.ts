/** `forkroute backtest`: runs a plan and follows it; lists, cancels, resumes and reads jobs. */
import type { Command } from 'commander'
import type { AnswerOf } from '../client/calls.js'
import type { ForkrouteClient } from '../client/client.js'
import { InvalidRequestError } from '../client/errors.js'
import { ConfigError } from '../config/config.js'
import { formats, parseFormats, printSummary, summaryOf, writeFiles } from './backtest-outcome.js'
import { createProgressDisplay } from './backtest-progress.js'
import { type ConnectionOptions, withApi } from './client.js'
import { type OutputOptions, printJson, printTable } from './output.js'
import { type PlanFile, readPlanFile } from './plan-file.js'
import { nextSignal } from './process.js'

/** What becomes of a job's results. */
export interface JobOptions extends ConnectionOptions, OutputOptions {
  readonly out?: string
  readonly format: string
  readonly reproducible?: boolean
}

interface Options extends JobOptions {
  readonly resume?: string
}

type Job = AnswerOf<'getBacktest'>
type Entry = AnswerOf<'listBacktests'>[number]

const interrupted = 130
/** A service that is started anew is there again by then. */
const giveUpAfterMs = 60_000

/** @throws ConfigError with the lines of what is wrong in the file. */
async function create(client: ForkrouteClient, plan: PlanFile): Promise<Entry> {
  try {
    // The body goes as it is, since a file may hold something else than an object with fields.
    const { data } = await client.raw.POST('/api/v1/backtests', { body: plan.body })
    return data as Entry
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error
    throw new ConfigError(plan.withLines(error.messages), 'file')
  }
}

/** Follows the job until it is over; an interrupt cancels it. */
export async function follow(client: ForkrouteClient, { id }: Entry): Promise<Job> {
  const stop = new AbortController()
  const signal = nextSignal().then(() => stop.abort())
  const display = createProgressDisplay()
  try {
    const options = { signal: stop.signal, giveUpAfterMs }
    for await (const event of client.followBacktest({ id }, options)) {
      if (event.event === 'error') throw event.error
      display.show(event.data)
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    display.stop()
  }
  if (stop.signal.aborted) await signal.then(() => client.cancelBacktest({ id }))
  return client.backtest({ id })
}

/** Prints how the job ended, and how to go on; files and summary cover the blocks that are done. */
export async function conclude(
  client: ForkrouteClient,
  job: Job,
  options: JobOptions,
): Promise<void> {
  const { id, state, blocksDone, blocksTotal } = job
  if (state !== 'finished') {
    const how = state === 'failed' ? `failed: ${job.problem}` : `is ${state}`
    console.error(
      `The ${job.kind ?? 'backtest'} ${how}. ${blocksDone} of ${blocksTotal} blocks are done.`,
    )
    const url = options.url ? ` --url ${options.url}` : ''
    console.error(`Go on with: forkroute backtest --resume ${id}${url}`)
    process.exitCode = state === 'cancelled' ? interrupted : 1
    if (options.json) printJson({ job })
    return
  }
  await showResults(client, job, options)
}

/** The summary of what is done, and all of it in files where they are wanted. */
async function showResults(client: ForkrouteClient, job: Job, options: JobOptions): Promise<void> {
  const summary = await summaryOf(client, job.id)
  const written = options.out
    ? await writeFiles(client, job, {
        folder: options.out,
        formats: parseFormats(options.format),
        isReproducible: options.reproducible === true,
      })
    : []
  if (options.json) {
    printJson({ job, summary, files: written })
    return
  }
  printSummary(summary)
  for (const path of written) console.log(path)
}

/** Whether the plan may be of other chains than the one that a sandbox has by default. */
function namesChains(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false
  const { chainId, requests } = body as { chainId?: unknown; requests?: unknown }
  const leads = (one: unknown) => typeof one === 'object' && one && 'destinationChainId' in one
  return (
    (chainId !== undefined && Number(chainId) !== 1) ||
    (Array.isArray(requests) && requests.some(leads))
  )
}

async function run(path: string | undefined, options: Options): Promise<void> {
  if ((path === undefined) === (options.resume === undefined)) {
    throw new ConfigError(['Give a plan, or --resume and the id of a job.'], 'command line')
  }
  parseFormats(options.format)
  // Before a service is started for it, which takes long.
  const plan = path === undefined ? null : await readPlanFile(path)
  const allChains = plan === null || namesChains(plan.body)
  await withApi({ ...options, allChains }, async (client) => {
    const job =
      plan === null
        ? await client.resumeBacktest({ id: options.resume ?? '' })
        : await create(client, plan)
    if (!options.json) console.error(`backtest ${job.id}: ${job.blocksTotal} blocks`)
    await conclude(client, await follow(client, job), options)
  })
}

function printJobs(jobs: readonly Entry[]): void {
  printTable(
    ['id', 'name', 'chain', 'state', 'blocks', 'created', 'problem'],
    jobs.map((job) => [
      job.id,
      job.name,
      job.chainId,
      job.state,
      `${job.blocksDone} of ${job.blocksTotal}`,
      job.createdAt,
      job.problem,
    ]),
  )
}

export function addBacktest(program: Command): void {
  const group = program
    .command('backtest')
    .description('requests at many blocks by several variants, and what became of them')
    .argument('[plan]', 'YAML or JSON file: see docs/how-to/backtests.md')
    .option('--out <folder>', 'write the results there')
    .option('--format <list>', `of the results: ${formats.join(', ')}`, formats.join(','))
    .option('--reproducible', 'without milliseconds: the same results are the same bytes')
    .option('--resume <id>', 'go on with a job that was cancelled, failed or left behind')
    .action((path: string | undefined, _local, command: Command) =>
      run(path, command.optsWithGlobals<Options>()),
    )

  const one = (name: string, description: string) =>
    group.command(name).description(description).argument('<id>', 'of the job')
  const act =
    (ask: (client: ForkrouteClient, id: string) => Promise<Entry>) =>
    async (id: string, _local: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      await withApi(options, async (client) => {
        const job = await ask(client, id)
        if (options.json) printJson(job)
        else printJobs([job])
      })
    }

  group
    .command('list')
    .description('all jobs, newest first')
    .action(async (_local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      await withApi(options, async (client) => {
        const jobs = await client.backtests()
        if (options.json) printJson(jobs)
        else printJobs(jobs)
      })
    })
  one('show', 'one job; with --json its plan as well').action(
    act((client, id) => client.backtest({ id })),
  )
  one('cancel', 'end the work; what is done stays').action(
    act((client, id) => client.cancelBacktest({ id })),
  )
  one('remove', 'remove a job and its results').action(
    act((client, id) => client.removeBacktest({ id })),
  )
  one('resume', 'as backtest --resume').action((id: string, _local, command: Command) =>
    run(undefined, { ...command.optsWithGlobals<Options>(), resume: id }),
  )
  one('results', 'the summary of what is done; with --out all of it in files').action(
    async (id: string, _local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      parseFormats(options.format)
      await withApi(options, async (client) =>
        showResults(client, await client.backtest({ id }), options),
      )
    },
  )
}
