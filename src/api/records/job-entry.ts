/** A job as lists of jobs have it, without its plan. */
import { z } from 'zod'
import type { BacktestEntry as StoredEntry } from '../../domain/backtest.js'
import { defined } from '../../domain/defined.js'
import { ChainId } from './record-parts.js'

const states = ['queued', 'running', 'finished', 'cancelled', 'failed'] as const

export const jobProgress = {
  state: z.enum(states),
  problem: z.string().nullable().meta({ description: 'Why it failed.' }),
  blocksTotal: z.int(),
  blocksDone: z.int(),
}

const entry = {
  id: z.string(),
  name: z.string(),
  chainId: ChainId,
  kind: z.literal('hindsight').optional().meta({
    description: 'hindsight: mined swaps beside ours, by POST /hindsight. Absent: a backtest.',
  }),
  ...jobProgress,
  createdAt: z.string().meta({ format: 'date-time' }),
  finishedAt: z.string().nullable().meta({ format: 'date-time' }),
}

export const BacktestEntry = z.object(entry).meta({ id: 'BacktestEntry' })

export function toEntry(job: StoredEntry): z.output<typeof BacktestEntry> {
  const { id, kind, name, chainId, createdAt, finishedAt, ...facts } = job
  return {
    id,
    name,
    chainId,
    ...defined({ kind }),
    state: facts.state,
    problem: facts.problem,
    blocksTotal: facts.blocksTotal,
    blocksDone: facts.blocksDone,
    createdAt: new Date(createdAt).toISOString(),
    finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
  }
}
