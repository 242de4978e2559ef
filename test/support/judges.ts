/**
 * The Anvils that judge answers: forks of a node at a block, on which a returned transaction is carried out. A judge
 * of a chain that cannot change is taken back to its block and lent again; any other is started for one judgement.
 */
import { startAnvil, type TestAnvil } from './anvil.js'

export interface JudgeLease {
  readonly anvil: TestAnvil
  /** Call when the judgement was carried out to its end: the judge may serve again. */
  giveBack(): Promise<void>
  /** Call instead when it was not: what state the judge is in is not known. */
  end(): Promise<void>
}

export interface JudgePool {
  lease(nodeUrl: string, blockNumber: number): Promise<JudgeLease>
  /** Ends the judges that wait. */
  close(): Promise<void>
}

/** A fork of its own, which nobody else has seen or will see. */
export async function startJudge(nodeUrl: string, blockNumber: number): Promise<TestAnvil> {
  return startAnvil([
    ...['--fork-url', nodeUrl, '--fork-block-number', String(blockNumber)],
    ...['--chain-id', '1', '--no-mining', '--no-storage-caching', '--no-rate-limit'],
    ...['--order', 'fifo'],
  ])
}

/** What a snapshot takes back, or the pool itself; a judge that was asked anything else is not lent again. */
const undone =
  /^(eth_.*|debug_.*|anvil_(setCode|setBalance|setNonce|setStorageAt|dealERC20|impersonateAccount|setNextBlockBaseFeePerGas)|evm_(mine|setNextBlockTimestamp))$/

/** Judges that wait, at most: files go from block to block and rarely come back. */
const idleAtMost = 4

interface Judge {
  readonly place: string
  readonly anvil: TestAnvil
  snapshot: string
}

/** For nodes whose blocks, and the state at them, stay what they are as long as the pool lives. */
export function createJudgePool(): JudgePool {
  /** The one that has waited longest first. */
  const idle: Judge[] = []

  async function start(nodeUrl: string, blockNumber: number, place: string): Promise<Judge> {
    const anvil = await startJudge(nodeUrl, blockNumber)
    return { place, anvil, snapshot: await anvil.rpc<string>('evm_snapshot') }
  }

  async function end({ anvil }: Judge): Promise<void> {
    await anvil.stop()
  }

  async function takeBack(judge: Judge, impersonated: ReadonlySet<unknown>): Promise<void> {
    const { anvil } = judge
    await anvil.rpc('anvil_dropAllTransactions')
    for (const account of impersonated) {
      await anvil.rpc('anvil_stopImpersonatingAccount', [account])
    }
    if (!(await anvil.rpc<boolean>('evm_revert', [judge.snapshot]))) {
      throw new Error('the judge was not taken back')
    }
    // Going back to a snapshot uses it up.
    judge.snapshot = await anvil.rpc<string>('evm_snapshot')
  }

  return {
    async lease(nodeUrl, blockNumber) {
      const place = `${nodeUrl} ${blockNumber}`
      const at = idle.findIndex((judge) => judge.place === place)
      const judge =
        at < 0 ? await start(nodeUrl, blockNumber, place) : (idle.splice(at, 1)[0] as Judge)
      const impersonated = new Set<unknown>()
      let isUndone = true
      const anvil: TestAnvil = {
        ...judge.anvil,
        rpc(method, params = []) {
          if (method === 'anvil_impersonateAccount') impersonated.add(params[0])
          else if (!undone.test(method)) isUndone = false
          return judge.anvil.rpc(method, params)
        },
      }
      return {
        anvil,
        end: () => end(judge),
        async giveBack() {
          if (!isUndone) return end(judge)
          await takeBack(judge, impersonated)
          idle.push(judge)
          if (idle.length > idleAtMost) await end(idle.shift() as Judge)
        },
      }
    },
    async close() {
      await Promise.all(idle.splice(0).map(end))
    },
  }
}

/** Of this worker: which nodes nobody can change, and the judges of them. */
const unchanging = new Set<string>()
const pool = createJudgePool()

/** Lets the judges of this node serve again and again. For nodes that nobody can change, as long as this process lives. */
export function poolJudgesOf(nodeUrl: string): void {
  unchanging.add(nodeUrl)
}

export async function leaseJudge(nodeUrl: string, blockNumber: number): Promise<JudgeLease> {
  if (unchanging.has(nodeUrl)) return pool.lease(nodeUrl, blockNumber)
  const anvil = await startJudge(nodeUrl, blockNumber)
  return { anvil, giveBack: () => anvil.stop(), end: () => anvil.stop() }
}
