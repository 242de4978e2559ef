/**
 * Permit2's signature transfers: an owner who has once allowed Permit2 signs that `spender` may take an amount, and
 * the spender takes it within the transaction. Our contracts need no allowance for it. Pure.
 *
 * @see Uniswap/permit2, src/SignatureTransfer.sol and src/libraries/PermitHash.sol
 */
import { encodeFunctionData, erc20Abi, parseAbi, type TypedDataDefinition } from 'viem'
import type { Amount, CallStep } from '../domain/order.js'
import { type Address, type Hex, permit2Address } from '../domain/primitives.js'

const [permitTransferFrom] = parseAbi([
  'struct TokenPermissions { address token; uint256 amount; }',
  'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
  'struct SignatureTransferDetails { address to; uint256 requestedAmount; }',
  'function permitTransferFrom(PermitTransferFrom permit, SignatureTransferDetails transferDetails, address owner, bytes signature)',
])

/** @see Uniswap/permit2, src/PermitErrors.sol, src/libraries/SignatureVerification.sol, and the interfaces of both parts */
export const permit2ErrorsAbi = parseAbi([
  'error AllowanceExpired(uint256 deadline)',
  'error ExcessiveInvalidation()',
  'error InsufficientAllowance(uint256 amount)',
  'error InvalidAmount(uint256 maxAmount)',
  'error InvalidContractSignature()',
  'error InvalidNonce()',
  'error InvalidSignature()',
  'error InvalidSignatureLength()',
  'error InvalidSigner()',
  'error LengthMismatch()',
  'error SignatureExpired(uint256 signatureDeadline)',
])

/** What an owner signs. */
export interface TransferPermit {
  readonly token: Address
  /** Raw units, the most that may be taken. */
  readonly amount: bigint
  /** Permit2's unordered nonce: each is good for one transfer. */
  readonly nonce: bigint
  /** Unix seconds after which the signature is invalid. */
  readonly deadline: bigint
}

/** The EIP-712 message behind the signature. @param args.spender - who will call Permit2: the runner of the steps. */
export function transferPermitTypedData(
  args: TransferPermit & { readonly chainId: number; readonly spender: Address },
): TypedDataDefinition {
  const { chainId, token, amount, spender, nonce, deadline } = args
  return {
    domain: { name: 'Permit2', chainId, verifyingContract: permit2Address },
    types: {
      TokenPermissions: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
      PermitTransferFrom: [
        { name: 'permitted', type: 'TokenPermissions' },
        { name: 'spender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'PermitTransferFrom',
    message: { permitted: { token, amount }, spender, nonce, deadline },
  }
}

/**
 * The runner takes what the permit allows; the output of the step is what arrives, net of transfer taxes.
 *
 * @param args.requested - raw units to take, at most the permit's amount; absent: all of it.
 * @param args.signature - of `owner` (65 bytes, EIP-2098, or what its contract checks by EIP-1271) for the runner as spender.
 */
export function permitTransferStep(args: {
  readonly permit: TransferPermit
  readonly owner: Address
  readonly runner: Address
  readonly signature: Hex
  readonly requested?: Amount
}): CallStep {
  const { permit, owner, runner, signature, requested = permit.amount } = args
  const { token, amount, nonce, deadline } = permit
  return {
    kind: 'call',
    target: permit2Address,
    abi: permitTransferFrom,
    args: [
      { permitted: { token, amount }, nonce, deadline },
      { to: runner, requestedAmount: requested },
      owner,
      signature,
    ],
    output: { kind: 'balance', token },
  }
}

/** Call data with which the owner of a token lets Permit2 transfer it, raw units. */
export function permit2Approval(amount: bigint): Hex {
  return encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [permit2Address, amount],
  })
}
