/** Action harvest: claims what the rewards controller owes the account for one aToken. */
import { encodeFunctionData, parseAbi } from 'viem'
import { type Address, maxUint256 } from '../../domain/primitives.js'
import { type ActionContext, type ActionOutput, defineAction } from '../positions.js'
import { addressInWord } from '../shared/storage-slots.js'
import { checkPool, primaryAddress, reserveOfAToken } from './arguments.js'
import { readRewardTokens } from './positions.js'

const [claimAbi, claimOnBehalfAbi] = parseAbi([
  'function claimRewards(address[] assets, uint256 amount, address to, address reward) returns (uint256)',
  'function claimRewardsOnBehalf(address[] assets, uint256 amount, address user, address to, address reward) returns (uint256)',
])
const claimerAbi = parseAbi(['function getClaimer(address user) view returns (address)'])

export const harvest = defineAction({
  action: 'harvest',
  name: 'Claim rewards',
  functionNames: ['claimRewards', 'claimRewardsOnBehalf'],
  inputs: {
    token: { kind: 'address', description: 'The aToken whose rewards are claimed.' },
    primaryAddress,
  },
  async build({ token, primaryAddress }, context) {
    checkPool(context, primaryAddress)
    await reserveOfAToken(context, 'token', token)
    const [{ controller, tokens: rewards } = { controller: null, tokens: [] }] =
      await readRewardTokens(context.reader, [token])
    if (!controller || rewards.length === 0) {
      return context.refuse('token', 'an aToken that earns rewards')
    }
    const { account, runner } = context
    const isOwn = runner === account
    if (!isOwn && (await claimerOf(context, controller)) !== runner) {
      context.refuse(
        'token',
        `claimed by its holder: rewards of ${account} are paid only to itself (routingStrategy delegate), or to ${runner} once it is its claimer`,
      )
    }
    const outputs = rewards.map((reward): ActionOutput => {
      const step = context.add({
        kind: 'call',
        target: controller,
        ...(isOwn
          ? { abi: claimAbi, args: [[token], maxUint256, runner, reward] }
          : { abi: claimOnBehalfAbi, args: [[token], maxUint256, account, runner, reward] }),
        output: { kind: 'word', index: 0 },
      })
      return { token: reward, amount: { ref: 'output', step } }
    })
    return { spends: [], outputs }
  },
})

/** Who may claim in the name of the account; only the protocol's governance appoints one. */
async function claimerOf(
  { account, reader }: ActionContext,
  controller: Address,
): Promise<Address | null> {
  const data = encodeFunctionData({ abi: claimerAbi, functionName: 'getClaimer', args: [account] })
  const [answer] = await reader.call([{ to: controller, data }])
  return answer?.ok ? addressInWord(answer.value) : null
}
