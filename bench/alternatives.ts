/**
 * The service against what one would otherwise run, on the same state and requests: a naive viem loop on an Anvil
 * fork, a script that asks the quoters, and the service's own code on a plain fork. What each chooses is executed on
 * a separate Anvil; that, less gas at one price for all, is its output.
 */
import { ethereum } from '../src/chains/ethereum.js'
import { createRpcClient, JsonRpcError } from '../src/rpc/node/json-rpc.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { readPin } from '../test/support/pin.js'
import { compileScripts } from './alternatives/contestants.js'
import { judge } from './alternatives/judge.js'
import { type BenchContext, runCold, runWarm } from './alternatives/measure.js'
import { report } from './alternatives/tables.js'
import { loadCodes } from './alternatives/venues.js'
import type { Section } from './section.js'

export async function alternativesBench(): Promise<Section[]> {
  const own = process.env.BENCH_NODE_URL
  const sandbox = own ? null : await startSandbox({})
  const nodeUrl = own ?? sandbox?.url ?? ''
  try {
    const head = await readPin(nodeUrl)
    const context: BenchContext = {
      nodeUrl,
      isSandbox: !own,
      viaFork: !(await hasEthCall(nodeUrl)),
      head,
      previous: await readPin(nodeUrl, Number(head.number) - 1),
      codes: await loadCodes(),
      script: compileScripts(),
    }
    const warm = await runWarm(context)
    const cold = await runCold(context, warm)
    return report(context, warm, cold, await judge(context, warm))
  } finally {
    await sandbox?.stop()
  }
}

async function hasEthCall(url: string): Promise<boolean> {
  const client = createRpcClient(url)
  try {
    await client.request('eth_call', [{ to: ethereum.wrappedNative, data: '0x' }, 'latest'])
    return true
  } catch (error) {
    return !(error instanceof JsonRpcError && error.code === -32601)
  } finally {
    await client.close()
  }
}
