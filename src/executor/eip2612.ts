/**
 * EIP-2612: an owner's signature by which a token allows a spender an amount. The message, the call, and which EIP-712
 * domain a token's separator stands for. Pure.
 *
 * @see EIP-2612; EIP-5267 for `eip712Domain()`
 */
import {
  domainSeparator,
  encodeFunctionData,
  hexToNumber,
  parseAbi,
  type TypedDataDefinition,
  type TypedDataDomain,
} from 'viem'
import type { Address, Hex } from '../domain/primitives.js'
import type { TransferPermit } from './permit2.js'

const permitAbi = parseAbi([
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
])

/** Only what the token's separator is made of. */
export type TokenDomain = Readonly<
  Pick<TypedDataDomain, 'name' | 'version' | 'chainId' | 'verifyingContract' | 'salt'>
>

/** 65 bytes: r, s, v. */
export interface Signature {
  readonly r: Hex
  readonly s: Hex
  readonly v: number
}

/** What an owner signs; its nonce is the token's next one of the owner. */
export interface TokenPermit extends TransferPermit {
  readonly owner: Address
  readonly spender: Address
  readonly domain: TokenDomain
}

/** The EIP-712 message behind the signature. */
export function tokenPermitTypedData(permit: TokenPermit): TypedDataDefinition {
  const { domain, owner, spender, amount: value, nonce, deadline } = permit
  return {
    domain,
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
    message: { owner, spender, value, nonce, deadline },
  }
}

/** Call data with which anybody has the token allow what was signed. */
export function tokenPermitCall(permit: TokenPermit, { r, s, v }: Signature): Hex {
  const { owner, spender, amount, deadline } = permit
  return encodeFunctionData({
    abi: permitAbi,
    args: [owner, spender, amount, deadline, v, r, s],
  })
}

/** What a token says of its domain; undefined where it does not answer. */
export interface DomainFacts {
  readonly chainId: number
  readonly token: Address
  readonly name: string | undefined
  readonly version: string | undefined
  /**
   * Answer of `eip712Domain()`. `fields`: bit i says that field i of name, version, chainId, verifyingContract, salt is
   * used.
   */
  readonly stated: Required<TokenDomain & { readonly fields: Hex }> | undefined
}

/** Versions of tokens that have no `version()`. */
const usualVersions = ['1', '2']

/** The domain of this chain and contract that has the separator; undefined where none of the usual ones does. */
export function domainOf(facts: DomainFacts, separator: Hex): TokenDomain | undefined {
  const { chainId, token: verifyingContract, name } = facts
  const place = { chainId, verifyingContract }
  const versions = new Set([
    ...(facts.version === undefined ? [] : [facts.version]),
    ...usualVersions,
  ])
  const candidates: TokenDomain[] = [
    ...(facts.stated ? [usedFields(facts.stated)] : []),
    ...(name === undefined
      ? []
      : [...[...versions].map((version) => ({ name, version, ...place })), { name, ...place }]),
    place,
  ]
  // A domain of another chain or contract would have the owner sign for that one.
  return candidates.find(
    (domain) =>
      domain.chainId === chainId &&
      domain.verifyingContract === verifyingContract &&
      domainSeparator({ domain }) === separator,
  )
}

function usedFields({ fields, ...stated }: NonNullable<DomainFacts['stated']>): TokenDomain {
  const bits = hexToNumber(fields)
  const names = ['name', 'version', 'chainId', 'verifyingContract', 'salt'] as const
  return Object.fromEntries(
    names.flatMap((name, index) => (bits & (1 << index) ? [[name, stated[name]]] : [])),
  )
}
