/**
 * Actions of a bundle on Permit2 signatures and NFTs: adds their steps, and returns what they need and yield. Pure.
 */
import type { Amount } from '../../domain/order.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { nftApproval, nftApproveStep, nftTransferStep } from '../../executor/erc721.js'
import { permit2Approval, permitTransferStep, type TransferPermit } from '../../executor/permit2.js'
import type { ActionContext, ActionResult } from '../../protocols/positions.js'

/** What a bundle tells its helpers: who runs the steps, and where they are added. */
type StepContext = Pick<ActionContext, 'add' | 'runner'>

/**
 * Action `permittransferfrom`: the runner takes the permit's amount from `owner`, who has signed it with the runner as
 * spender. Its output is what arrives. The Router pulls nothing for it.
 *
 * @param owner - the signer: the sender, even where its wallet runs the steps.
 */
export function permitTransfer(
  { add, runner }: StepContext,
  args: TransferPermit & { readonly owner: Address; readonly signature: Hex },
): ActionResult {
  const { owner, signature, ...permit } = args
  const step = add(permitTransferStep({ permit, owner, runner, signature }))
  return {
    spends: [],
    outputs: [{ token: permit.token, amount: { ref: 'output', step } }],
    leftovers: [permit.token],
    prerequisites: [
      {
        from: owner,
        to: permit.token,
        data: permit2Approval(permit.amount),
        purpose: 'let Permit2 transfer the token',
      },
    ],
  }
}

/** Action `approve` with an id: `spender` may take an NFT that the runner holds at that point. */
export function approveNft(
  { add }: StepContext,
  args: { readonly token: Address; readonly spender: Address; readonly id: Amount },
): ActionResult {
  add(nftApproveStep(args.token, args.spender, args.id))
  return { spends: [], outputs: [] }
}

/**
 * Action `transfer` with an id: an NFT goes to the recipient.
 *
 * @param args.holder - the runner for an NFT that earlier actions brought it, else the account that holds the NFT,
 * which must have approved the runner. For an id that an earlier action yields it is always the runner.
 */
export function transferNft(
  { add, runner }: StepContext,
  args: {
    readonly token: Address
    readonly holder: Address
    readonly recipient: Address
    readonly id: Amount
  },
): ActionResult {
  const { token, holder, recipient, id } = args
  add(nftTransferStep(token, holder, recipient, id))
  if (holder === runner || typeof id !== 'bigint') return { spends: [], outputs: [] }
  const data = nftApproval(runner, id)
  const purpose = `let ${runner} transfer the NFT ${id}`
  return { spends: [], outputs: [], prerequisites: [{ to: token, data, purpose }] }
}
