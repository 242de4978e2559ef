/** What deliveries over a lane of a bridge have cost and taken of late, by the events of both chains. Pure. */

/** Structured-clonable. */
export interface LaneHistory {
  /**
   * What relayers have filled deposits without a message for, by amounts, ascending: raw units of `tokenIn`, and of
   * `tokenOut` that were not delivered. None where too few are known.
   */
  readonly fees: readonly { readonly amount: bigint; readonly fee: bigint }[]
  /** From deposit to delivery, of the newest deliveries; null where too few are known. */
  readonly seconds: LaneSeconds | null
}

export interface LaneSeconds {
  readonly median: number
  readonly p90: number
  /** Deliveries that they are of. */
  readonly count: number
}

/** Histories of the lanes of one bridge from one chain to another, by the symbol of the lane. */
export interface LaneHistories {
  readonly bridge: string
  readonly sourceChainId: number
  readonly destinationChainId: number
  readonly bySymbol: Readonly<Record<string, LaneHistory>>
}

/** The form that recordings keep. */
export interface HistoriesDocument extends Omit<LaneHistories, 'bySymbol'> {
  readonly bySymbol: Readonly<
    Record<
      string,
      {
        readonly fees: readonly { readonly amount: string; readonly fee: string }[]
        readonly seconds: LaneSeconds | null
      }
    >
  >
}

export function toHistoriesDocument({ bySymbol, ...rest }: LaneHistories): HistoriesDocument {
  const entries = Object.entries(bySymbol).map(([symbol, { fees, seconds }]) => {
    const told = fees.map(({ amount, fee }) => ({ amount: `${amount}`, fee: `${fee}` }))
    return [symbol, { fees: told, seconds }] as const
  })
  return { ...rest, bySymbol: Object.fromEntries(entries) }
}

/** @throws SyntaxError or TypeError for what no recording has written. */
export function fromHistoriesDocument(document: object): LaneHistories {
  const { bridge, sourceChainId, destinationChainId, bySymbol } = document as HistoriesDocument
  const entries = Object.entries(bySymbol).map(
    ([symbol, { fees, seconds }]): [string, LaneHistory] => {
      const told = fees.map(({ amount, fee }) => ({ amount: BigInt(amount), fee: BigInt(fee) }))
      return [symbol, { fees: told, seconds }]
    },
  )
  return { bridge, sourceChainId, destinationChainId, bySymbol: Object.fromEntries(entries) }
}
