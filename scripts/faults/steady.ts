/** Minutes of steady quotes to a service whose nodes are as bad as a row says, and whose forks are killed. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { type BadNode, type Badness, startBadNode } from '../../test/support/nodes/bad-node.js'
import { type Answer, startService, type TestService } from '../../test/support/service/service.js'
import { mostQuestions, questionAt } from './questions.js'

/** In flight. */
const atOnce = 6
/** Parts of the time of which requests per second are told. */
const parts = 10

export interface Asked {
  readonly index: number
  readonly status: number
  readonly code: string | null
  readonly text: string
  readonly warnings: number
  readonly ms: number
}

export interface Run {
  /** In the order of their ends. */
  readonly asked: readonly Asked[]
  /** HTTP requests to the nodes after each of them. */
  readonly requestsAfter: readonly number[]
  readonly requests: number
  readonly calls: number
  /** By parts of the time. */
  readonly requestsPerSecond: readonly number[]
  readonly answersPerSecond: readonly number[]
  readonly killed: number
  /** Until the nodes, well again, give the first answer; null: not within half a minute. */
  readonly backMs: number | null
}

export interface RunOptions {
  readonly nodes: readonly Badness[]
  readonly isPruned: boolean
  readonly seconds: number
  /** Null: none is. */
  readonly killEverySeconds: number | null
  /** Tells at each part how it goes, with what the service says of its nodes. */
  readonly onPart?: (line: string) => void
}

export async function runSteadily(sandbox: Sandbox, options: RunOptions): Promise<Run> {
  const others = new Set(anvils())
  const proxies: BadNode[] = []
  for (const [index, badness] of options.nodes.entries()) {
    proxies.push(await startBadNode(sandbox.url, badness, 11 + index))
  }
  const service = await startQuoting(proxies.map(({ url }) => url))
  const where = { head: sandbox.blockNumber, isPruned: options.isPruned }
  try {
    await untilReady(service)
    const count = (of: 'requests' | 'calls') =>
      proxies.reduce((sum, { counts }) => sum + counts[of], 0)
    const [requests, calls] = [count('requests'), count('calls')]
    const begun = performance.now()
    const until = begun + options.seconds * 1_000
    const asked: Asked[] = []
    const requestsAfter: number[] = []
    let next = 0
    const work = async () => {
      while (performance.now() < until && next < mostQuestions) {
        asked.push(await ask(service, next++, where))
        requestsAfter.push(count('requests') - requests)
      }
    }
    const rates = watchRates(options, () => [count('requests'), asked.length], service)
    const killing = killForks(options.killEverySeconds, () =>
      anvils().filter((pid) => !others.has(pid)),
    )
    await Promise.all(Array.from({ length: atOnce }, work))
    killing.stop()
    rates.stop()
    const total = { requests: count('requests') - requests, calls: count('calls') - calls }
    for (const proxy of proxies) proxy.badness = {}
    const backMs = await timeToAnswer(service, next, where)
    return {
      asked,
      requestsAfter,
      ...total,
      requestsPerSecond: rates.requests,
      answersPerSecond: rates.answers,
      killed: killing.killed(),
      backMs,
    }
  } finally {
    await service.stop()
    await Promise.all(proxies.map((proxy) => proxy.stop()))
  }
}

/** Answers of a service whose node is well, by index. */
export async function answersOf(
  sandbox: Sandbox,
  indices: readonly number[],
): Promise<Map<number, Asked>> {
  const service = await startQuoting([sandbox.url])
  try {
    await untilReady(service)
    const where = { head: sandbox.blockNumber, isPruned: false }
    const left = [...indices]
    const found = new Map<number, Asked>()
    const work = async () => {
      for (let index = left.shift(); index !== undefined; index = left.shift()) {
        found.set(index, await ask(service, index, where))
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return found
  } finally {
    await service.stop()
  }
}

function startQuoting(urls: readonly string[]): Promise<TestService> {
  return startService({
    RPC_URL_1: urls.join(','),
    HEAD_POLL_MS: '2000',
    // Without keys: an account's id is part of the calldata, and its zeros of the gas.
    AUTH_MODE: 'open',
    RATE_LIMIT_PER_MINUTE: '10000000',
  })
}

async function ask(
  service: TestService,
  index: number,
  where: { readonly head: bigint; readonly isPruned: boolean },
): Promise<Asked> {
  const begun = performance.now()
  const answer: Answer = await service.get(
    '/api/v1/shortcuts/quote',
    questionAt(index % mostQuestions, where),
  )
  const { status, body, text } = answer
  return {
    index,
    status,
    code: status === 200 ? null : String(body?.code),
    text,
    warnings: body?.warnings?.length ?? 0,
    ms: performance.now() - begun,
  }
}

async function untilReady(service: TestService): Promise<void> {
  const until = Date.now() + 60_000
  while ((await service.get('/ready')).status !== 200 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Milliseconds until the first answer, of questions that were not asked. */
async function timeToAnswer(
  service: TestService,
  first: number,
  where: { readonly head: bigint; readonly isPruned: boolean },
): Promise<number | null> {
  const begun = performance.now()
  for (let index = first; performance.now() - begun < 30_000; index += 1) {
    const { status } = await ask(service, index, where)
    if (status === 200) return performance.now() - begun
  }
  return null
}

function watchRates(
  { seconds, onPart }: RunOptions,
  counted: () => readonly [requests: number, answers: number],
  service: TestService,
) {
  const found = { requests: [] as number[], answers: [] as number[] }
  let before = counted()
  let at = performance.now()
  const take = async () => {
    const now = counted()
    const passed = (performance.now() - at) / 1_000
    at = performance.now()
    found.requests.push((now[0] - before[0]) / passed)
    found.answers.push((now[1] - before[1]) / passed)
    before = now
    if (!onPart) return
    const { body } = await service.get('/ready')
    onPart(
      `${(found.requests.at(-1) ?? 0).toFixed(1)} requests and ${(found.answers.at(-1) ?? 0).toFixed(2)} answers a second; ${JSON.stringify(body?.chains?.[0]?.nodes ?? body)}`,
    )
  }
  const timer = setInterval(() => void take(), (seconds * 1_000) / parts)
  return { ...found, stop: () => clearInterval(timer) }
}

/** Kills one after the other of the processes, as often as is said. */
function killForks(everySeconds: number | null, forks: () => readonly number[]) {
  let killed = 0
  const kill = () => {
    const all = forks()
    const pid = all[killed % Math.max(1, all.length)]
    if (pid === undefined) return
    process.kill(pid, 'SIGKILL')
    killed += 1
  }
  const timer = everySeconds === null ? null : setInterval(kill, everySeconds * 1_000)
  return {
    killed: () => killed,
    stop: () => {
      if (timer) clearInterval(timer)
    },
  }
}

/** Anvils that this process started, its sandbox's among them. */
function anvils(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [name = '', rest = ''] = text.split(') ')
      return name.endsWith('(anvil') && Number(rest.split(' ')[1]) === process.pid
    } catch {
      return false
    }
  })
}
