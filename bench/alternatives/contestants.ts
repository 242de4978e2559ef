/** Starts contestants as processes of their own, asks them, and weighs them. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { makeDataDir } from '../plain-fork.js'
import type { Choice, FromScript, Question, Role, ToScript } from './contract.js'
import { sender } from './contract.js'
import type { Codes } from './venues.js'

export interface Asked {
  readonly ms: number
  readonly choice: Choice | null
}

export interface Contestant {
  ask(question: Question): Promise<Asked>
  /** Milliseconds to the answer; asks the node for nothing else. */
  time(question: Question): Promise<number>
  /** Resident memory of the process and all below it, MB. */
  memoryMb(): number
  stop(): Promise<void>
}

const pageBytes = 4_096

const root = new URL('../../', import.meta.url)

/** Scripts run as compiled code like the service: the loader of TypeScript would count as their memory. */
export function compileScripts(): string {
  const outDir = fileURLToPath(new URL('.cache/bench', root))
  const compiler = fileURLToPath(new URL('node_modules/@typescript/native/bin/tsc', root))
  const options = ['--noEmit', 'false', '--sourceMap', 'false', '--outDir', outDir]
  execFileSync(process.execPath, [
    compiler,
    '-p',
    fileURLToPath(new URL('tsconfig.json', root)),
    ...options,
  ])
  return `${outDir}/bench/alternatives-script.js`
}

export async function startScript(
  file: string,
  role: Role,
  start: { readonly nodeUrl: string; readonly viaFork: boolean; readonly codes: Codes },
): Promise<Contestant> {
  const child = fork(file, [role], { serialization: 'advanced', execArgv: [] })
  const exchange = (message: ToScript) =>
    new Promise<FromScript>((resolve, reject) => {
      const ended = () => reject(new Error(`the script ${role} ended`))
      child.once('exit', ended)
      child.once('message', (reply) => {
        child.off('exit', ended)
        resolve(reply as FromScript)
      })
      child.send(message)
    })
  await exchange({ kind: 'start', ...start })
  async function ask(question: Question): Promise<Asked> {
    const started = performance.now()
    const reply = await exchange({ kind: 'ask', question })
    const ms = performance.now() - started
    if (reply.kind === 'failure')
      console.log(`${role}: ${question.trade.label}: ${reply.message.slice(0, 200)}`)
    return { ms, choice: reply.kind === 'choice' ? reply.choice : null }
  }
  return {
    ask,
    time: async (question) => (await ask(question)).ms,
    memoryMb: () => memoryMb(child),
    async stop() {
      const exited = once(child, 'exit')
      child.send({ kind: 'stop' } satisfies ToScript)
      await exited
    },
  }
}

export interface ServiceContestant extends Contestant {
  readonly url: string
  /** @param ignored - slugs of protocols to leave out. */
  askWithout(question: Question, ignored: readonly string[]): Promise<Asked>
}

interface Answer {
  readonly route: readonly { readonly protocol: string }[]
  readonly tx: Choice['tx']
}

/** The service as its users run it. A quote is timed; the transaction comes from the same request to /route. */
export async function startServiceContestant(nodeUrl: string): Promise<ServiceContestant> {
  const main = fileURLToPath(new URL('dist/src/cli/main.js', root))
  const child = spawn(process.execPath, [main, 'serve', '--port', '0'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      RPC_URL_1: nodeUrl,
      DATA_DIR: makeDataDir(),
      AUTH_MODE: 'open',
      LOG_LEVEL: 'error',
      HEAD_POLL_MS: '600000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let url: string | undefined
  for await (const data of child.stdout) {
    output += String(data)
    url = /^forkroute +(http\S+)\/api\/v1$/m.exec(output)?.[1]
    if (url) break
  }
  if (!url) throw new Error(`the service did not start: ${output}`)
  const base = url

  async function get(path: string, query: Record<string, string>): Promise<Answer | null> {
    const response = await fetch(`${base}${path}?${new URLSearchParams(query)}`)
    const body: unknown = await response.json()
    return response.ok ? (body as Answer) : null
  }

  async function quote(request: Record<string, string>) {
    const started = performance.now()
    const answer = await get('/api/v1/shortcuts/quote', request)
    return { ms: performance.now() - started, isAnswered: answer !== null }
  }

  async function askWithout(question: Question, ignored: readonly string[]): Promise<Asked> {
    const request = {
      ...toQuery(question),
      ...(ignored.length && { ignoreAggregators: ignored.join(',') }),
    }
    const { ms, isAnswered } = await quote(request)
    const executable = { ...request, fromAddress: sender, executionMode: 'backend' }
    const answer = isAnswered ? await get('/api/v1/shortcuts/route', executable) : null
    const route = answer?.route.map(({ protocol }) => protocol).join(', ') ?? ''
    return { ms, choice: answer && { tx: answer.tx, route, paths: [] } }
  }

  return {
    url,
    askWithout,
    ask: (question) => askWithout(question, []),
    time: async (question) => (await quote(toQuery(question))).ms,
    memoryMb: () => memoryMb(child),
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

function toQuery({ trade, pin }: Question): Record<string, string> {
  return {
    chainId: '1',
    tokenIn: trade.tokenIn,
    tokenOut: trade.tokenOut,
    amountIn: String(trade.amountIn),
    blockNumber: String(pin.number),
  }
}

function memoryMb({ pid }: ChildProcess): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const status = readProc(`/proc/${name}/stat`)
    // pid (command) state ppid …, and the command may hold anything.
    parents.set(Number(name), Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isBelow = (each: number | undefined): boolean =>
    each !== undefined && each > 0 && (each === pid || isBelow(parents.get(each)))
  const pages = [...parents.keys()]
    .filter(isBelow)
    .map((each) => Number(readProc(`/proc/${each}/statm`).split(' ')[1] ?? 0))
  return Math.round((pages.reduce((sum, one) => sum + one, 0) * pageBytes) / 2 ** 20)
}

/** Empty when the process has just ended. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
