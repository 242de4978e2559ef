/** Circle's CCTP V2: what a chain has of it, by its definition. Pure. */
import type { ChainDefinition } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import { cctpLanding } from '../../executor/deployments.js'

export interface CctpToken {
  /** Symbol of the asset, the same on all its chains: two tokens with one symbol are a lane. */
  readonly symbol: string
  readonly token: Address
}

export interface CctpChain {
  /** Circle's number of the chain. */
  readonly domain: number
  /** TokenMessengerV2, which is called to burn. */
  readonly messenger: Address
  /** MessageTransmitterV2, which sends and receives. */
  readonly transmitter: Address
  /** TokenMinterV2, which has the limits. */
  readonly minter: Address
  readonly tokens: readonly CctpToken[]
  /** 1/10_000 of the amount that a fast transfer from here costs; null: there are none. */
  readonly fastFeeBps: bigint | null
}

/** Null where the chain has no CCTP. */
export function cctpChain({ bridges }: Pick<ChainDefinition, 'bridges'>): CctpChain | null {
  const { domain, tokenMessenger, messageTransmitter, tokenMinter, ...rest } = bridges?.cctp ?? {}
  if (domain === undefined) return null
  const { tokens = [], fastFeeBps } = rest
  return {
    domain: Number(domain),
    messenger: toAddress(String(tokenMessenger)),
    transmitter: toAddress(String(messageTransmitter)),
    minter: toAddress(String(tokenMinter)),
    tokens: [tokens].flat().map((entry) => {
      const [symbol = '', token = ''] = String(entry).split(':')
      return { symbol, token: toAddress(token) }
    }),
    fastFeeBps: fastFeeBps === undefined ? null : BigInt(Number(fastFeeBps)),
  }
}

/** Whom CCTP mints for, and who alone may have it minted, where an order runs. */
export function landingOf(chain: Pick<CctpChain, 'messenger' | 'transmitter'>): Address {
  return cctpLanding(chain).address
}
