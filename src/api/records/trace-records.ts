/** The trace of a returned transaction in its form on the wire: docs/how-to/traces.md. */
import { z } from 'zod'
import type { TracedCall, TransactionTrace } from '../../domain/trace.js'
import { Address } from './record-parts.js'

const Whole = z.string().regex(/^\d+$/)

const Call = z
  .object({
    type: z.string().meta({ description: 'CALL, STATICCALL, DELEGATECALL, CREATE or CREATE2.' }),
    from: Address,
    to: Address.nullable(),
    function: z.string().nullable().meta({ description: 'Its name; null where it is not known.' }),
    selector: z.string().nullable().meta({ description: 'First four bytes of the data.' }),
    args: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .nullable()
      .meta({ description: 'Decoded, as text; null where they are not known or very long.' }),
    value: Whole.meta({ description: 'Wei.' }),
    gasUsed: Whole.meta({ description: 'Gas of the call, those inside included.' }),
    error: z.string().nullable().meta({ description: 'Why it failed; null: it did not.' }),
    get calls() {
      return z.array(Call).meta({ description: 'Those that it makes itself, in order.' })
    },
  })
  .meta({ id: 'TracedCall' })

export const Trace = z
  .object({
    call: Call.nullable().meta({
      description: 'The transaction; null where other transactions have to run before it.',
    }),
    omittedCalls: z.int().meta({ description: 'Calls left out after the first 1,000.' }),
    movements: z
      .array(z.object({ token: Address, from: Address, to: Address, amount: Whole }))
      .meta({
        description:
          'Who pays whom: one for each token and pair of accounts, smallest unit, as the tokens say; 500 at most.',
      }),
    omittedMovements: z.int().meta({ description: 'Movements left out after the first 500.' }),
    names: z
      .record(Address, z.string())
      .meta({ description: 'Symbols of tokens, protocols of pools, the contracts of forkroute.' }),
  })
  .meta({ id: 'Trace', description: 'With trace=true: what the returned transaction does.' })

/** Only where it was asked for. */
export function traceOf({ trace }: { readonly trace?: TransactionTrace | null }) {
  return trace === undefined ? {} : { trace: trace && toTrace(trace) }
}

function toTrace({ call, movements, names, ...rest }: TransactionTrace): z.output<typeof Trace> {
  return {
    call: call && toCall(call),
    omittedCalls: rest.omittedCalls,
    movements: movements.map(({ token, from, to, amount }) => {
      return { token, from, to, amount: amount.toString() }
    }),
    omittedMovements: rest.omittedMovements,
    names: { ...names },
  }
}

function toCall(call: TracedCall): z.output<typeof Call> {
  return {
    type: call.type,
    from: call.from,
    to: call.to,
    function: call.function,
    selector: call.selector,
    args: call.args?.map((one) => ({ ...one })) ?? null,
    value: call.value.toString(),
    gasUsed: call.gasUsed.toString(),
    error: call.error,
    calls: call.calls.map(toCall),
  }
}
