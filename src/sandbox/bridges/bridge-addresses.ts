/** Where a chain's bridges lie: at their mainnet addresses, but for the message library, which is ours. */
import { inboxOf, type TicketInbox } from '../../bridges/canonical/inbox.js'
import { type Settlement, settlementOf } from '../../bridges/canonical/settlement.js'
import { type CctpChain, cctpChain } from '../../bridges/cctp/chain.js'
import { oftsOn } from '../../bridges/oft/tokens.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'

/** In place of LayerZero's libraries of senders and receivers. */
export const messageLibrary: Address = '0xf702e700000000000000000000000000000000b1'

/** Fee library of each pool, keyed by chain id and symbol of the asset. @see stg-evm-v2, deployments */
export const feeLibraries: Readonly<Record<number, Readonly<Record<string, Address>>>> = {
  1: {
    USDC: '0x52b35406cb2fb5e0038edecfc129a152a1f74087',
    USDT: '0xe171afcd1e0394b3312e68ca823d5bc87f3db311',
    ETH: '0x3e368b6c95c6fefb7a16dcc0d756389f3c658a06',
  },
  42161: {
    USDC: '0x80f755e3091b2ad99c08da8d13e9c7635c1b8161',
    USDT: '0x1f605162282570dfa6255d27895587f4117f52fa',
    ETH: '0xda82a31df339bfdf0123661134b4db63cb1706f5',
  },
  8453: {
    USDC: '0x08ed1d79d509a6f1020685535028ae60c144441e',
    ETH: '0x17e450be3ba9557f2378e20d64ad417e59ef9a34',
  },
}

export interface BridgeAddresses {
  readonly eid: number
  readonly endpoint: Address
  readonly tokenMessaging: Address
  /** Who sends and receives over LayerZero, by what they have in common on all chains. */
  readonly messengers: ReadonlyMap<string, Address>
  readonly spokePool: Address
  /** What Across moves, by the symbol that is the same on all chains. */
  readonly acrossTokens: ReadonlyMap<string, Address>
  readonly cctp: CctpChain
  /** Where deposits for the chain are made; null: it is none of the OP stack. */
  readonly settlement: Settlement | null
  /** Where tickets for the chain are made; null: it takes none. */
  readonly tickets: TicketInbox | null
}

/** @throws RangeError for a chain without Across, Stargate and CCTP. */
export function bridgeAddresses({ name, bridges }: ChainDefinition): BridgeAddresses {
  const { across, stargate } = bridges ?? {}
  const tokens = across?.tokens
  const cctp = cctpChain({ ...(bridges && { bridges }) })
  if (!bridges || !across || !stargate || !cctp || !Array.isArray(tokens)) {
    throw new RangeError(`${name} has no bridges.`)
  }
  const tokenMessaging = toAddress(String(stargate.tokenMessaging))
  return {
    eid: Number(stargate.eid),
    endpoint: toAddress(String(stargate.endpoint)),
    tokenMessaging,
    messengers: new Map([
      ['stargate', tokenMessaging],
      ...oftsOn({ bridges }).map(({ symbol, messenger }) => [symbol, messenger] as const),
    ]),
    spokePool: toAddress(String(across.spokePool)),
    cctp,
    acrossTokens: new Map(
      tokens.map((entry: string) => {
        const [symbol = '', token = ''] = entry.split(':')
        return [symbol, toAddress(token)]
      }),
    ),
    settlement: settlementOf({ bridges }),
    tickets: inboxOf({ bridges }),
  }
}
