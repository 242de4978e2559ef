/** What may move in a pool between an answer and its transaction although nobody trades there. */

/**
 * `fee`: it follows time, volatility or the place in the block. `rate`: a contract, an oracle or an operator says what a
 * token is worth. `price`: the pool moves its own price. `rebase`: balances of a token change by themselves. `plugin`: code
 * beside the pool takes part in swaps. `order`: its maker can withdraw what it offers.
 */
export const cautionKinds = ['fee', 'rate', 'price', 'rebase', 'plugin', 'order'] as const
export type CautionKind = (typeof cautionKinds)[number]

/** What a protocol says of one of its pools. */
export interface PoolCaution {
  readonly kind: CautionKind
  /** One sentence: what moves, and by what. */
  readonly message: string
}

export interface Caution extends PoolCaution {
  /** Address or id. */
  readonly pool: string
  /** Slug. */
  readonly protocol: string
}

/** Each stands once in the answer, and an answer without any has no such field. */
export function cautionsIn(cautions: readonly Caution[]): { readonly cautions?: Caution[] } {
  const distinct = new Map(cautions.map((one) => [JSON.stringify(one), one]))
  return distinct.size > 0 ? { cautions: [...distinct.values()] } : {}
}

/** The cautions whose condition holds, in their order. */
export function cautionsWhere(
  ...rows: readonly (readonly [boolean, CautionKind, string])[]
): readonly PoolCaution[] {
  return rows.flatMap(([holds, kind, message]) => (holds ? [{ kind, message }] : []))
}
