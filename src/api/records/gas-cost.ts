/** What the gas of a transaction costs, on the wire. */
import { z } from 'zod'
import type { GasCost as GasCostFacts } from '../../domain/engine.js'
import type { Cost } from '../../domain/primitives.js'
import { cost } from './crosschain-records.js'

export const GasCost = z
  .object({
    ...cost,
    l1DataFee: z
      .object(cost)
      .nullable()
      .optional()
      .meta({
        description:
          'On top of the gas: what posting the transaction to L1 costs, and what the operator of an OP-stack chain asks. ' +
          'Only on chains that charge it; null when the chain does not say.',
      }),
  })
  .meta({ id: 'GasCost', description: 'Gas used, at the base fee of the next block plus the tip.' })

export function toGasCost({ l1DataFee, ...gas }: GasCostFacts) {
  const toCost = ({ native, usd }: Cost) => ({ native: native.toString(), usd })
  return {
    ...toCost(gas),
    ...(l1DataFee !== undefined && { l1DataFee: l1DataFee && toCost(l1DataFee) }),
  }
}
