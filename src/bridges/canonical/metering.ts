/**
 * Gas of a deposit: what it is given on its chain, and what the portal burns for that on the chain that is settled on.
 * Pure. @see eth-optimism/contracts-bedrock 0.17.3, CrossDomainMessenger.baseGas and ResourceMetering
 */

/** Around the call of the target: constant overhead, call overhead, reserved, and the buffer of the check. */
const relayGas = 200_000n + 40_000n + 40_000n + 5_000n
const gasPerByte = 16n

/**
 * What the messenger buys for a message on the destination, so that its target is given `minGas`.
 *
 * @param bytes - length of the call of the target.
 */
export function depositGas(bytes: number, minGas: bigint): bigint {
  return relayGas + BigInt(bytes) * gasPerByte + (minGas * 64n) / 63n
}

export interface ResourceParams {
  /** Wei per gas of the destination, when somebody deposited last. */
  readonly prevBaseFee: bigint
  readonly prevBoughtGas: bigint
  readonly prevBlockNum: bigint
}

export interface ResourceConfig {
  /** Gas of the destination that one block may buy. */
  readonly maxResourceLimit: number
  readonly elasticityMultiplier: number
  readonly baseFeeMaxChangeDenominator: number
  readonly minimumBaseFee: number
  readonly maximumBaseFee: bigint
}

/** Wei per gas of the destination at a block, roughly: to compare lanes by. */
export function depositBaseFee(
  { prevBaseFee, prevBoughtGas, prevBlockNum }: ResourceParams,
  config: ResourceConfig,
  blockNumber: bigint,
): bigint {
  const blocks = Number(blockNumber - prevBlockNum)
  if (blocks <= 0) return prevBaseFee
  const { maxResourceLimit, elasticityMultiplier, baseFeeMaxChangeDenominator: steps } = config
  const target = maxResourceLimit / elasticityMultiplier
  const most = Number(config.maximumBaseFee)
  const clamped = (fee: number) => Math.min(Math.max(fee, config.minimumBaseFee), most)
  const changed = 1 + (Number(prevBoughtGas) - target) / (target * steps)
  const after = clamped(Number(prevBaseFee) * changed)
  return BigInt(Math.floor(clamped(after * (1 - 1 / steps) ** (blocks - 1))))
}

/** Below it a block's base fee counts as this. */
const leastBaseFee = 1_000_000_000n

/**
 * Gas that a deposit costs at least where it is bought: its worth, which is burnt beyond what the portal has used.
 *
 * @param depositFee - wei per gas of the destination.
 * @param baseFee - wei per gas of the block that it is bought in.
 */
export function burntGas(gas: bigint, depositFee: bigint, baseFee: bigint): bigint {
  return (gas * depositFee) / (baseFee > leastBaseFee ? baseFee : leastBaseFee)
}
