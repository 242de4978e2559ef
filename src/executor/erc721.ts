/** Calls of ERC-721 tokens as steps. Pure. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Amount, CallStep } from '../domain/order.js'
import type { Address, Hex } from '../domain/primitives.js'

const [approve, safeTransferFrom] = parseAbi([
  'function approve(address to, uint256 tokenId)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
])

/** Lets `spender` take the NFT `id`. The runner must own it, or be an operator of its owner. */
export function nftApproveStep(token: Address, spender: Address, id: Amount): CallStep {
  return { kind: 'call', target: token, abi: approve, args: [spender, id] }
}

/**
 * Sends the NFT `id` from its owner. A recipient with code must answer onERC721Received, since a contract that does not
 * handle NFTs could never send it on.
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
