/** Calls of ERC-721 tokens as steps. Called by routing. Pure. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Amount, CallStep } from '../domain/order.js'
import type { Address, Hex } from '../domain/primitives.js'

const [approve, safeTransferFrom] = parseAbi([
  'function approve(address to, uint256 tokenId)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
])

/** Lets `spender` take the NFT `id`, which must be the runner's own (or its owner have made the runner an operator). */
export function nftApproveStep(token: Address, spender: Address, id: Amount): CallStep {
  return { kind: 'call', target: token, abi: approve, args: [spender, id] }
}

/**
 * Sends the NFT `id` from its owner. A recipient with code must answer onERC721Received: what is sent to a contract
 * that does not know it would be lost.
 *
 * @param owner - the runner, or an account that has approved the runner for it (`nftApproval`).
 */
export function nftTransferStep(
  token: Address,
  owner: Address,
  recipient: Address,
  id: Amount,
): CallStep {
  return { kind: 'call', target: token, abi: safeTransferFrom, args: [owner, recipient, id] }
}

/** Call data with which an owner lets `spender` take its NFT `id`. */
export function nftApproval(spender: Address, id: bigint): Hex {
  return encodeFunctionData({ abi: [approve], args: [spender, id] })
}
