/**
 * Orders whose input comes by a signature of its owner in place of an allowance given before: by the token's own permit
 * (EIP-2612), which the Router submits, or by Permit2, which a step calls. The message to sign, and a stand-in for the
 * signature until there is one. Pure.
 *
 * @see EIP-712, EIP-2612; Uniswap/permit2, src/SignatureTransfer.sol
 */
import { concatHex, getTypesForEIP712Domain, keccak256, serializeTypedData } from 'viem'
import type { CallStep } from '../domain/order.js'
import type { PermitTypedData, RoutePermit, SignaturePlace } from '../domain/permit.js'
import type { Address, Hex } from '../domain/primitives.js'
import { type Signature, type TokenPermit, tokenPermitTypedData } from './eip2612.js'
import { permitTransferStep, type TransferPermit, transferPermitTypedData } from './permit2.js'

/** A permit of Permit2, whose spender is the runner of the steps. */
export interface Permit2Permit extends TransferPermit {
  readonly kind: 'permit2'
  readonly chainId: number
  readonly owner: Address
  readonly spender: Address
}

/** A permit of the token itself; its spender is the Router, and its deadline is the order's. */
export interface Eip2612Permit extends TokenPermit {
  readonly kind: 'eip2612'
}

export type SignedPermit = Permit2Permit | Eip2612Permit

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
  const message =
    permit.kind === 'permit2' ? transferPermitTypedData(permit) : tokenPermitTypedData(permit)
  const { domain = {} } = message
  // Without the type of the domain the domain itself would be left out.
  const types = { EIP712Domain: getTypesForEIP712Domain({ domain }), ...message.types }
  return JSON.parse(serializeTypedData({ ...message, types } as never)) as PermitTypedData
}

/** The step that brings the permit's amount to the runner. */
export function permitStep(permit: Permit2Permit): CallStep {
  const { owner, spender: runner } = permit
  const signature = joinSignature(standInSignature(owner))
  return permitTransferStep({ permit, owner, runner, signature })
}

/** What the owner signs of a transaction with the stand-in, and where the signature goes. @throws TypeError as `placeOfSignature`. */
export function routePermit(permit: SignedPermit, { data }: { readonly data: Hex }): RoutePermit {
  return {
    kind: permit.kind,
    typedData: permitTypedData(permit),
    signature: placeOfSignature(data, permit),
  }
}

/** In `executeWithPermit`, behind the selector and the offset of the order: v is the last byte of its word. */
const placeInHead: SignaturePlace = { r: 68, s: 100, v: 67 }

/** @throws TypeError where the stand-in does not stand there exactly once. */
export function placeOfSignature(
  data: Hex,
  { kind, owner }: Pick<SignedPermit, 'kind' | 'owner'>,
): SignaturePlace {
  if (kind === 'eip2612') return placeInHead
  const stand = joinSignature(standInSignature(owner)).slice(2)
  const at = data.indexOf(stand)
  if (at < 0 || data.indexOf(stand, at + 1) >= 0) {
    throw new TypeError('The call data must hold the signature once.')
  }
  const r = at / 2 - 1
  return { r, s: r + 32, v: r + 64 }
}
