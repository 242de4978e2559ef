/** The OP stack: where a chain's deposits go in on the chain that it settles on, by its definition. Pure. */
import type { ChainDefinition } from '../../chains/chain.js'
import { type Address, toAddress } from '../../domain/primitives.js'

/** L2CrossDomainMessenger, at the same address on every chain of the OP stack. */
export const messenger: Address = '0x4200000000000000000000000000000000000007'
/** L2StandardBridge, likewise. */
export const standardBridge: Address = '0x4200000000000000000000000000000000000010'
/** L2ToL1MessagePasser, likewise. */
export const messagePasser: Address = '0x4200000000000000000000000000000000000016'

export interface Settlement {
  /** The chain that it settles on. */
  readonly chainId: number
  /** There: L1CrossDomainMessenger, OptimismPortal and SystemConfig of the chain. */
  readonly messenger: Address
  readonly portal: Address
  readonly systemConfig: Address
  /** From a deposit to its delivery. */
  readonly estimatedSeconds: number
  /** From a withdrawal to where an output root of its block is proposed, so that it can be proven. */
  readonly provableSeconds: number
  /** From the proof of a withdrawal to where it can be finalised. */
  readonly maturitySeconds: number
}

/** Null where the chain is none of the OP stack. */
export function settlementOf({ bridges }: Pick<ChainDefinition, 'bridges'>): Settlement | null {
  const parameters = bridges?.canonical
  if (!parameters) return null
  const address = (name: string) => toAddress(String(parameters[name]))
  return {
    chainId: Number(parameters.settlesOn),
    messenger: address('messenger'),
    portal: address('portal'),
    systemConfig: address('systemConfig'),
    estimatedSeconds: Number(parameters.estimatedSeconds),
    provableSeconds: Number(parameters.provableSeconds),
    maturitySeconds: Number(parameters.maturitySeconds),
  }
}

/** An ERC-20 that is locked on the chain that is settled on, and minted on the other. */
export interface BridgedToken {
  readonly symbol: string
  readonly locked: Address
  readonly minted: Address
}

export interface TokenBridge {
  /** L1StandardBridge of the chain, on the one that it settles on. */
  readonly bridge: Address
  readonly tokens: readonly BridgedToken[]
}

/** Null where no tokens of the standard bridge are named for the chain. */
export function tokenBridgeOf({ bridges }: Pick<ChainDefinition, 'bridges'>): TokenBridge | null {
  const parameters = bridges?.['canonical-tokens']
  if (!parameters) return null
  const { bridge, tokens = [] } = parameters
  return {
    bridge: toAddress(String(bridge)),
    tokens: [tokens].flat().map((entry) => {
      const [symbol = '', minted = '', locked = ''] = String(entry).split(':')
      return { symbol, locked: toAddress(locked), minted: toAddress(minted) }
    }),
  }
}

const addresses = 1n << 160n
const aliasOffset = 0x1111000000000000000000000000000000001111n

/** Who a contract of the chain that is settled on is, as the sender of a deposit. */
export function aliasOf(contract: Address): Address {
  return shifted(contract, aliasOffset)
}

/** Whose alias it is. */
export function aliasedAs(alias: Address): Address {
  return shifted(alias, addresses - aliasOffset)
}

function shifted(address: Address, offset: bigint): Address {
  const moved = (BigInt(address) + offset) % addresses
  return `0x${moved.toString(16).padStart(40, '0')}`
}
