/**
 * Orders whose input comes by a signature of its owner in place of an allowance: the steps that bring it, the message to
 * sign, and a stand-in for the signature until there is one. Pure.
 *
 * @see EIP-2612 and EIP-712; Uniswap/permit2, src/SignatureTransfer.sol
 */
import {
  concatHex,
  erc20Abi,
  getTypesForEIP712Domain,
  keccak256,
  parseAbi,
  serializeTypedData,
  slice,
  type TypedDataDefinition,
} from 'viem'
import type { CallStep, ExecutorStep } from '../domain/order.js'
import type { PermitTypedData, SignaturePlace } from '../domain/permit.js'
import type { Address, Hex } from '../domain/primitives.js'
import { permitTransferStep, type TransferPermit, transferPermitTypedData } from './permit2.js'

export const eip2612Abi = parseAbi([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function name() view returns (string)',
  'function version() view returns (string)',
])
const [permitFunction] = eip2612Abi
const transferFrom = erc20Abi.find(
  (item) => item.type === 'function' && item.name === 'transferFrom',
)

/** How a token's permits name their domain. */
export interface PermitDomain {
  readonly name: string
  readonly version: string
}

export type SignedPermit = TransferPermit & {
  readonly chainId: number
  readonly owner: Address
  /** Runs the steps: who may take the tokens. */
  readonly runner: Address
} & ({ readonly kind: 'permit2' } | { readonly kind: 'eip2612'; readonly domain: PermitDomain })

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

/** The message that the owner signs, by `eth_signTypedData_v4`. */
export function permitTypedData(permit: SignedPermit): TypedDataDefinition {
  if (permit.kind === 'permit2')
    return transferPermitTypedData({ ...permit, spender: permit.runner })
  const { chainId, token, domain, owner, runner, amount, nonce, deadline } = permit
  return {
    domain: { ...domain, chainId, verifyingContract: token },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner, spender: runner, value: amount, nonce, deadline },
  }
}

/** The same as JSON, as wallets take it: with the type of the domain, and numbers as decimal strings. */
export function toJsonTypedData(permit: SignedPermit): PermitTypedData {
  const { domain = {}, types, primaryType, message } = permitTypedData(permit)
  // Without the type of the domain the domain itself would be left out.
  const all = { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types }
  const text = serializeTypedData({ domain, types: all, primaryType, message } as never)
  return JSON.parse(text) as PermitTypedData
}

/** The call that makes the allowance of an EIP-2612 token. */
export function permitCall(permit: SignedPermit): CallStep {
  const { token, owner, runner, amount, deadline } = permit
  const { r, s, v } = standInSignature(owner)
  return {
    kind: 'call',
    target: token,
    abi: permitFunction,
    args: [owner, runner, amount, deadline, v, r, s],
  }
}

/** The steps that bring the permit's amount to the runner. */
export function permitSteps(permit: SignedPermit): ExecutorStep[] {
  const { token, owner, runner, amount } = permit
  if (permit.kind === 'permit2') {
    const signature = joinSignature(standInSignature(owner))
    return [permitTransferStep({ permit, owner, runner, signature })]
  }
  if (transferFrom?.type !== 'function') throw new TypeError('ERC-20 has transferFrom.')
  return [
    permitCall(permit),
    { kind: 'call', target: token, abi: transferFrom, args: [owner, runner, amount] },
  ]
}

/** @throws TypeError where the stand-in does not stand there exactly once. */
export function placeOfSignature(data: Hex, { kind, owner }: SignedPermit): SignaturePlace {
  const { r, s } = standInSignature(owner)
  const at = data.indexOf(r.slice(2) + s.slice(2))
  if (at < 0 || data.indexOf(r.slice(2), at + 1) >= 0) {
    throw new TypeError('The call data must hold the signature once.')
  }
  const offset = at / 2 - 1
  const v = kind === 'permit2' ? offset + 64 : offset - 1
  if (slice(data, v, v + 1) !== '0x1b') throw new TypeError('v must stand beside r and s.')
  return { r: offset, s: offset + 32, v }
}
