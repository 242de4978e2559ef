/** Parts shared by the actions: the Pool and the reserves that their arguments name. */
import type { Address } from '../../domain/primitives.js'
import type { ActionContext, ArgumentSpec } from '../positions.js'
import { findATokens, poolOf } from './load.js'
import { type Reserve, readReserves } from './reserve.js'

export const primaryAddress = {
  kind: 'address',
  description: 'The Pool of Aave V3 on the chain.',
} as const satisfies ArgumentSpec

/** The Pool; refuses any other contract. */
export function checkPool(context: ActionContext, given: Address): Address {
  const pool = poolOf(context.venue)
  return given === pool ? pool : context.refuse('primaryAddress', `the Pool of Aave V3, ${pool}`)
}

/** The reserve of an underlying token; refuses a token without one. */
export async function reserveOf(
  context: ActionContext,
  argument: string,
  token: Address,
): Promise<Reserve> {
  const [reserve] = await readReserves(context.reader, poolOf(context.venue), [token])
  return known(reserve) ?? context.refuse(argument, 'a token that Aave V3 lends on the chain')
}

/** The reserve of an aToken; refuses other tokens. */
export async function reserveOfAToken(
  context: ActionContext,
  argument: string,
  token: Address,
): Promise<Reserve> {
  const reserve = await findReserve(context, token)
  return reserve?.aToken === token
    ? reserve
    : context.refuse(argument, 'an aToken of Aave V3 on the chain')
}

/** The reserve of an aToken or of its underlying token; null for other tokens. */
export async function findReserve(context: ActionContext, token: Address): Promise<Reserve | null> {
  const pool = poolOf(context.venue)
  const { assets } = await findATokens(context.reader, pool, [token])
  const [reserve] = await readReserves(context.reader, pool, [assets.get(token) ?? token])
  return known(reserve)
}

function known(reserve: Awaited<ReturnType<typeof readReserves>>[number] | undefined) {
  return reserve && !('message' in reserve) ? reserve : null
}
