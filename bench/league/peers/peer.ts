/** The peers by name, and how one is started: as a process of its own, with packages that are no packages of ours. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { toolFolder } from '../../../scripts/tools.js'
import { usageOf } from '../../compare/processes.js'
import type { FromPeer, Market, Plan, Question, ToPeer } from '../contract.js'
import type { MarketName } from '../market.js'

interface PeerKind {
  readonly title: string
  /** Folder of tools/ and program beside this file; default: its name. */
  readonly tool?: string
  /** Which of the routers of that program it is. */
  readonly variant?: string
  /** Slugs of the protocols that it is given pools of, for each market on which it is played. */
  readonly venues: Partial<Readonly<Record<MarketName, readonly string[]>>>
  readonly canExactOutput?: boolean
  /** Tokens that it can trade; absent: all. */
  readonly symbols?: readonly string[]
}

const ofAmms = {
  sandbox: ['uniswap-v2', 'sushiswap-v2', 'uniswap-v3', 'curve'],
  mainnet: ['uniswap-v2', 'uniswap-v3', 'uniswap-v4', 'pancakeswap-v3'],
}

export const peers: Readonly<Record<string, PeerKind>> = {
  tines: {
    title: 'Sushi tines 1.0.11',
    venues: ofAmms,
    canExactOutput: true,
  },
  pancake: {
    title: 'Pancake smart-router 7.7.3, Infinity',
    venues: ofAmms,
    canExactOutput: true,
  },
  'pancake-smart': {
    title: 'Pancake smart-router 7.7.3, SmartRouter',
    tool: 'pancake',
    variant: 'smart',
    // On recorded mainnet it tries every path for every question, for more than ten minutes.
    venues: { sandbox: ofAmms.sandbox },
    canExactOutput: true,
  },
  uniswap: {
    title: 'Uniswap smart-order-router 4.31.10',
    venues: { sandbox: ['uniswap-v2', 'uniswap-v3', 'uniswap-v4'] },
  },
  balancer: {
    title: 'Balancer SOR 4.1.3',
    venues: { sandbox: ['balancer-v2'] },
    symbols: ['WETH', 'WBTC', 'AAVE', 'MKR', 'DAI', 'LINK', 'UNI', 'USDC', 'USDT', 'FRAX'],
  },
}

export interface PeerAnswer {
  readonly plan: Plan | null
  readonly ms: number
  /** Message of the peer's error; absent: it has none. */
  readonly failure?: string
}

export interface Peer {
  ask(question: Question): Promise<PeerAnswer>
  /** Resident memory, megabytes. */
  memoryMb(): number
  stop(): Promise<void>
}

/** @throws Error when its packages cannot be installed, or when it ends while something is asked. */
export async function startPeer(name: string, market: Market): Promise<Peer> {
  const { tool = name, variant = '' } = peers[name] ?? {}
  const file = fileURLToPath(new URL(`${tool}.mjs`, import.meta.url))
  const beside = join(dirname(await toolFolder(tool)), 'package.json')
  const child = fork(file, [beside, variant], {
    serialization: 'advanced',
    execArgv: [],
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
  })
  const exited = once(child, 'exit')
  const waiting = new Map<number, (reply: FromPeer) => void>()
  let serial = 0
  child.on('message', (reply: FromPeer) => {
    const id = reply.kind === 'ready' ? 0 : reply.id
    waiting.get(id)?.(reply)
    waiting.delete(id)
  })
  const exchange = (id: number, message: ToPeer) =>
    Promise.race([
      new Promise<FromPeer>((resolve) => {
        waiting.set(id, resolve)
        child.send(message)
      }),
      exited.then(() => Promise.reject(new Error(`the peer ${name} ended`))),
    ])
  await exchange(0, { kind: 'market', market })
  return {
    async ask(question) {
      serial += 1
      const started = performance.now()
      const reply = await exchange(serial, { kind: 'ask', id: serial, question })
      const ms = performance.now() - started
      if (reply.kind === 'ready') throw new Error('the peer answered something else')
      const { plan, failure } = reply
      return { plan, ms, ...(failure !== undefined && { failure }) }
    },
    memoryMb: () => usageOf(child.pid ?? 0).serviceMb,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
