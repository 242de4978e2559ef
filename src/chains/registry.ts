/** Every chain the service knows. A new one: its file, and its line here. */
import { type HardFork, hardForkOf } from '../domain/hard-forks.js'
import type { BlockPin } from '../domain/primitives.js'
import { arbitrum } from './arbitrum.js'
import { avalanche } from './avalanche.js'
import { base } from './base.js'
import { bnb } from './bnb.js'
import type { ChainDefinition } from './chain.js'
import { ethereum } from './ethereum.js'
import { gnosis } from './gnosis.js'
import { linea } from './linea.js'
import { optimism } from './optimism.js'
import { polygon } from './polygon.js'
import { sonic } from './sonic.js'
import { unichain } from './unichain.js'

export const chains: readonly ChainDefinition[] = [
  ethereum,
  base,
  arbitrum,
  optimism,
  bnb,
  polygon,
  avalanche,
  gnosis,
  unichain,
  linea,
  sonic,
]

/** Undefined for a chain that no file describes. */
export function chainById(id: number): ChainDefinition | undefined {
  return chains.find((chain) => chain.id === id)
}

/** The rules that a block followed; those that its header shows on a chain that no file describes. */
export function hardForkAt(pin: BlockPin): HardFork {
  return hardForkOf(pin, chainById(pin.chainId)?.unshownHardForks ?? [])
}
