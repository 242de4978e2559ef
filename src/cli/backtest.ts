/** `forkroute backtest`: runs a plan and follows it; lists, cancels, resumes and reads jobs. */
import type { Command } from 'commander'
import { ConfigError } from '../config/config.js'
import {
  formats,
  parseFormats,
  printSummary,
  type Summary,
  writeFiles,
} from './backtest-outcome.js'
import { createProgressDisplay, type Progress } from './backtest-progress.js'
import { type ApiClient, ApiFailure, type ConnectionOptions, withApi } from './client.js'
import { type OutputOptions, printJson, printTable } from './output.js'
import { type PlanFile, readPlanFile } from './plan-file.js'
import { nextSignal } from './process.js'

interface Options extends ConnectionOptions, OutputOptions {
  readonly out?: string
  readonly format: string
  readonly resume?: string
  readonly reproducible?: boolean
}

interface Job extends Omit<Progress, 'etaSeconds'> {
  readonly id: string
  readonly name: string
  readonly chainId: number
  readonly createdAt: string
  readonly finishedAt: string | null
}

const interrupted = 130

function pathOf(id: string): string {
  return `/backtests/${encodeURIComponent(id)}`
}

/** @throws ConfigError with the lines of what is wrong in the file. */
async function create(client: ApiClient, plan: PlanFile): Promise<Job> {
  try {
    return await client.post<Job>('/backtests', plan.body)
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.body.code !== 'INVALID_REQUEST') throw error
    throw new ConfigError(plan.withLines([error.body.message ?? []].flat()), 'file')
  }
}

/** Follows the job until it is over; an interrupt cancels it. */
async function follow(client: ApiClient, { id }: Job): Promise<Job> {
  const stop = new AbortController()
  const signal = nextSignal().then(() => stop.abort())
  const display = createProgressDisplay()
  try {
    for await (const progress of client.follow(id, stop.signal)) {
      display.show(progress)
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    display.stop()
  }
  if (stop.signal.aborted) await signal.then(() => client.post<Job>(`${pathOf(id)}/cancel`))
  return client.get<Job>(pathOf(id))
}

/** Prints how the job ended, and how to go on; files and summary cover the blocks that are done. */
async function conclude(client: ApiClient, job: Job, options: Options): Promise<void> {
  const { id, state, blocksDone, blocksTotal } = job
  if (state !== 'finished') {
    const how = state === 'failed' ? `failed: ${job.problem}` : `is ${state}`
    console.error(`The backtest ${how}. ${blocksDone} of ${blocksTotal} blocks are done.`)
    const url = options.url ? ` --url ${options.url}` : ''
    console.error(`Go on with: forkroute backtest --resume ${id}${url}`)
    process.exitCode = state === 'cancelled' ? interrupted : 1
    if (options.json) printJson({ job })
    return
  }
  const summary = await client.get<Summary>(`${pathOf(id)}/summary`)
  const written = options.out
    ? await writeFiles(
        client,
        id,
        options.out,
        parseFormats(options.format),
        options.reproducible === true,
      )
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
        ? await client.post<Job>(`${pathOf(options.resume ?? '')}/resume`)
        : await create(client, plan)
    if (!options.json) console.error(`backtest ${job.id}: ${job.blocksTotal} blocks`)
    await conclude(client, await follow(client, job), options)
  })
}

function printJobs(jobs: readonly Job[]): void {
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
    .argument('[plan]', 'YAML or JSON file: see docs/backtests.md')
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
    (ask: (client: ApiClient, id: string) => Promise<Job>) =>
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
        const jobs = await client.get<readonly Job[]>('/backtests')
        if (options.json) printJson(jobs)
        else printJobs(jobs)
      })
    })
  one('show', 'one job; with --json its plan as well').action(
    act((client, id) => client.get<Job>(pathOf(id))),
  )
  one('cancel', 'end the work; what is done stays').action(
    act((client, id) => client.post<Job>(`${pathOf(id)}/cancel`)),
  )
  one('remove', 'remove a job and its results').action(
    act((client, id) => client.delete<Job>(pathOf(id))),
  )
  one('resume', 'as backtest --resume').action((id: string, _local, command: Command) =>
    run(undefined, { ...command.optsWithGlobals<Options>(), resume: id }),
  )
  one('results', 'the summary of what is done; with --out all of it in files').action(
    async (id: string, _local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const wanted = parseFormats(options.format)
      await withApi(options, async (client) => {
        const job = await client.get<Job>(pathOf(id))
        const summary = await client.get<Summary>(`${pathOf(id)}/summary`)
        const written = options.out
          ? await writeFiles(client, id, options.out, wanted, options.reproducible === true)
          : []
        if (options.json) printJson({ job, summary, files: written })
        else {
          printSummary(summary)
          for (const path of written) console.log(path)
        }
      })
    },
  )
}
