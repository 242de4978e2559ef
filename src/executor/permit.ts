/**
 * Orders whose input comes by a Permit2 signature of its owner in place of an allowance of ours: the step that brings
 * it, the message to sign, and a stand-in for the signature until there is one. Pure.
 *
 * @see EIP-712; Uniswap/permit2, src/SignatureTransfer.sol
 */
import { concatHex, getTypesForEIP712Domain, keccak256, serializeTypedData } from 'viem'
import type { CallStep } from '../domain/order.js'
import type { PermitTypedData, SignaturePlace } from '../domain/permit.js'
import type { Address, Hex } from '../domain/primitives.js'
import { permitTransferStep, type TransferPermit, transferPermitTypedData } from './permit2.js'

export interface SignedPermit extends TransferPermit {
  readonly chainId: number
  readonly owner: Address
  /** Runs the steps: who may take the tokens. */
  readonly runner: Address
}

/** 65 bytes: r, s, v. */
interface Signature {
  readonly r: Hex
  readonly s: Hex
  readonly v: number
}

/**
 * Stands for the owner's signature: one per owner, without a zero byte, since those cost less gas. Nobody's by itself:
 * forks are told to take it for the owner's.
 */
export function standInSignature(owner: Address): Signature {
  const word = (seed: Hex): Hex => {
    const digest = keccak256(concatHex([seed, owner]))
      .slice(4)
      .replaceAll(/../g, nonZero)
    // Below half of the curve's order, above which tokens refuse s.
    return `0x11${digest}`
  }
  return { r: word('0x01'), s: word('0x02'), v: 27 }
}

function nonZero(byte: string): string {
  return byte === '00' ? '01' : byte
}

export function joinSignature({ r, s, v }: Signature): Hex {
  return concatHex([r, s, `0x${v.toString(16)}`])
}

/** The message that the owner signs, as JSON for wallets: numbers are decimal strings. */
export function permitTypedData(permit: SignedPermit): PermitTypedData {
  const message = transferPermitTypedData({ ...permit, spender: permit.runner })
  const { domain = {} } = message
  // Without the type of the domain the domain itself would be left out.
  const types = { EIP712Domain: getTypesForEIP712Domain({ domain }), ...message.types }
  return JSON.parse(serializeTypedData({ ...message, types } as never)) as PermitTypedData
}

/** The step that brings the permit's amount to the runner. */
export function permitStep(permit: SignedPermit): CallStep {
  const { owner, runner } = permit
  const signature = joinSignature(standInSignature(owner))
  return permitTransferStep({ permit, owner, runner, signature })
}

/** @throws TypeError where the stand-in does not stand there exactly once. */
export function placeOfSignature(
  data: Hex,
  { owner }: Pick<SignedPermit, 'owner'>,
): SignaturePlace {
  const stand = joinSignature(standInSignature(owner)).slice(2)
  const at = data.indexOf(stand)
  if (at < 0 || data.indexOf(stand, at + 1) >= 0) {
    throw new TypeError('The call data must hold the signature once.')
  }
  const r = at / 2 - 1
  return { r, s: r + 32, v: r + 64 }
}
