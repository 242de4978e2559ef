/**
 * Names by which clients call actions of protocols that say in their name how many tokens they take or give, that the
 * position is an NFT, or that an id names it. The arguments are those of the action. Pure.
 */
import {
  type ActionDefinition,
  argumentsOf,
  type ProtocolAction,
} from '../../../protocols/positions.js'

interface Variant {
  readonly name: string
  readonly action: ProtocolAction
  /** An argument that the action must have; absent: any action. */
  readonly needs?: string
}

const variants: readonly Variant[] = [
  ...(['deposit', 'redeem'] as const).flatMap((action) =>
    ['single', 'multi', 'tokenizedsingle', 'tokenizedmulti'].map((kind) => ({
      name: `${kind}${action}`,
      action,
    })),
  ),
  { name: 'multioutsingledeposit', action: 'deposit' },
  { name: 'singlewithdraw', action: 'withdraw' },
  { name: 'multiwithdraw', action: 'withdraw' },
  { name: 'nftdeposit', action: 'deposit', needs: 'tokenId' },
  { name: 'nftmultideposit', action: 'deposit', needs: 'tokenId' },
  { name: 'nftredeem', action: 'redeem', needs: 'tokenId' },
  { name: 'nftmultiredeem', action: 'redeem', needs: 'tokenId' },
  ...(['deposit', 'redeem', 'withdraw'] as const).map((action) => ({
    name: `single${action}withpositionid`,
    action,
    needs: 'positionId',
  })),
  ...(['borrow', 'repay'] as const).map((action) => ({
    name: `${action}withpositionid`,
    action,
    needs: 'positionId',
  })),
  { name: 'depositclmm', action: 'deposit', needs: 'ticks' },
  { name: 'redeemclmm', action: 'withdraw', needs: 'liquidity' },
]

/** Other names of the action. */
export function variantsOf(definition: ActionDefinition): string[] {
  const inputs = argumentsOf(definition)
  return variants
    .filter(({ action, needs }) => action === definition.action && (!needs || needs in inputs))
    .map(({ name }) => name)
}
