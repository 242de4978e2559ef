import { keccak256, stringToHex } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import type { Address } from '../../domain/primitives.js'
import { contractAddress, quoteSender } from '../../executor/deployments.js'
import { readers } from '../../executor/generated/contracts.js'
import { uniswapV4 } from '../../protocols/uniswap-v4/index.js'
import type { WorkerSettings } from './worker-settings.js'

/** A swapper and a sender that hooks cannot take for those of the service. */
const [otherSwapper, otherSender] = [
  addressOfNobody('other-swapper'),
  addressOfNobody('other-sender'),
]

function addressOfNobody(name: string): Address {
  return `0x${keccak256(stringToHex(`forkroute.${name}`)).slice(-40)}`
}

/** The chain with what the operator says about hooks as parameters of its Uniswap V4 venue; the same where that is nothing. */
export function withHooks(
  chain: ChainDefinition,
  { v4Hooks, v4HooksAllowlist = [] }: Pick<WorkerSettings, 'v4Hooks' | 'v4HooksAllowlist'>,
): ChainDefinition {
  const venue = chain.venues[uniswapV4.slug]
  const runs = v4Hooks === 'run'
  if (!venue || (!runs && v4HooksAllowlist.length === 0)) return chain
  const own = {
    ...venue,
    ...(v4HooksAllowlist.length > 0 && { hooksAllowlist: v4HooksAllowlist }),
    ...(runs && {
      quoterCode: readers.UniswapV4Quoter.runtimeCode,
      quoterSwappers: [contractAddress('UniswapV4Swapper'), otherSwapper],
      quoterSenders: [quoteSender, otherSender],
    }),
  }
  return { ...chain, venues: { ...chain.venues, [uniswapV4.slug]: own } }
}
