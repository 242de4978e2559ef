/** Slippages that are measured on a node with logs, whose events spare executions, and on one without, where each block is executed. */
import { onTestFinished } from 'vitest'
import { protocols } from '../../src/protocols/registry.js'
import { registry } from '../../src/telemetry/metrics.js'
import { environment } from './backtest/ether-plan.js'
import { startBadNode } from './nodes/bad-node.js'
import { startService } from './service/service.js'

export interface MeasuredSlippage {
  /** The whole answer. */
  readonly text: string
  /** Transactions that the measurement has executed. */
  readonly executions: number
}

/**
 * Quotes with `slippage=auto` through one protocol alone.
 *
 * @param ask - parameters of the quote.
 */
export async function measureBothWays(
  nodeUrl: string,
  slug: string,
  ask: Readonly<Record<string, string>>,
): Promise<Readonly<Record<'withEvents' | 'without', MeasuredSlippage>>> {
  const others = protocols.map((one) => one.slug).filter((one) => one !== slug)
  const quote = { chainId: '1', ignoreStandards: others.join(), ...ask }
  const node = await startBadNode(nodeUrl, { lacks: ['logs'] })
  onTestFinished(() => node.stop())
  const measure = async (url: string): Promise<MeasuredSlippage> => {
    const service = await startService({ ...environment(url) })
    onTestFinished(() => service.stop())
    // The answer itself, and what the measurement adds to it.
    await service.get('/api/v1/shortcuts/quote', quote)
    const before = await simulations()
    const { text } = await service.get('/api/v1/shortcuts/quote', { ...quote, slippage: 'auto' })
    return { text, executions: (await simulations()) - before }
  }
  return { withEvents: await measure(nodeUrl), without: await measure(node.url) }
}

/** Transactions that all services of this process have simulated so far. */
async function simulations(): Promise<number> {
  const metric = await registry.getSingleMetric('forkroute_simulations_total')?.get()
  return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0)
}
