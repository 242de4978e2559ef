/**
 * `npm run bench -- firsts <commit>`: first answers of the service of that commit and of this one in turns. Each is that
 * of a new service; all are at new blocks of one sandbox.
 */
import { startSandbox } from '../../src/sandbox/sandbox.js'
import { type FirstCost, firstAnswer, firsts, sandboxChain, toRow } from '../first-answer.js'
import { startLatencyNode } from '../latency-node.js'
import type { Section } from '../section.js'
import { checkOut, here } from './checkout.js'

const latencyMs = 50
const rounds = 7

export async function firstsBench(commit: string): Promise<Section[]> {
  const base = checkOut(commit)
  const folders = { [base.commit]: base.folder, here }
  const sandbox = await startSandbox()
  const node = await startLatencyNode(sandbox.url, latencyMs)
  const rows: Section['rows'] = []
  try {
    for (const what of firsts) {
      const costs = new Map<string, FirstCost[]>()
      for (let round = 0; round < rounds; round++) {
        for (const [side, folder] of Object.entries(folders)) {
          const cost = await firstAnswer(folder, node, sandboxChain(sandbox.url), what)
          costs.set(side, [...(costs.get(side) ?? []), cost])
        }
      }
      for (const [side, all] of costs) rows.push({ what, side, ...toRow(all) })
    }
  } finally {
    await node.stop()
    await sandbox.stop()
    base.remove()
  }
  const name = `${base.commit} and the present one in turns: first answers`
  const about = `Of new services at a new block, ${rounds} each, from a node ${latencyMs} ms away; figures are those of the middle answer.`
  return [{ name, about, rows }]
}
