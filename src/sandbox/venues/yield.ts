/** What the scripted history adds to deposits. */
import { ethereum } from '../../chains/ethereum.js'
import { bpsDenominator } from '../../domain/primitives.js'

/** Blocks between two gains. */
export const everyBlocks = 10
const secondsPerYear = 31_557_600n

/** Raw units that a deposit gains between two of the blocks, rounded down. @param bps - of a year. */
export function yieldOf(deposit: bigint, bps: bigint): bigint {
  const seconds = BigInt(everyBlocks * ethereum.blockTimeSeconds)
  return (deposit * bps * seconds) / (bpsDenominator * secondsPerYear)
}
