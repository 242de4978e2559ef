/** Which allowances a route still needs. */
import type { Address } from 'viem'
import { encodeFunctionData, erc20Abi } from 'viem'
import { readContract } from 'viem/actions'
import type { AnswerOf, InputOf } from './calls.js'
import type { ExecutableRoute, Wallet } from './execution.js'
import type { CallOptions } from './transport.js'
import type { WalletCall } from './wallet-calls.js'

export interface ApprovalCalls {
  approval(input: InputOf<'getApproval'>, options?: CallOptions): Promise<AnswerOf<'getApproval'>>
}

const nativeToken = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/**
 * Approvals of what is missing, token by token, in the order in which they must be carried out.
 * @param asked.amounts - of each tokenIn, what the route takes: the allowance is used up by it.
 */
export async function missingApprovals(
  calls: ApprovalCalls,
  wallet: Wallet,
  asked: {
    readonly route: ExecutableRoute
    readonly request: InputOf<'postRoute'>
    readonly amounts: readonly bigint[]
    readonly options: CallOptions
  },
): Promise<WalletCall[]> {
  const { route, request, amounts, options } = asked
  if (route.permit?.kind === 'eip2612') return []
  const { tx } = route
  const missing: WalletCall[] = []
  for (const [index, token] of request.tokenIn.entries()) {
    if (token.toLowerCase() === nativeToken) continue
    const amount = amounts[index] ?? 0n
    const { spender: known } = await calls.approval(
      {
        chainId: tx.chainId,
        fromAddress: tx.from,
        tokenAddress: token,
        amount,
        ...(request.routingStrategy && { routingStrategy: request.routingStrategy }),
      } as InputOf<'getApproval'>,
      options,
    )
    const permit2 = route.permit?.typedData.domain.verifyingContract as Address | undefined
    const spender = permit2 ?? (known as Address)
    const allowed = await readContract(wallet, {
      address: token as Address,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [wallet.account.address, spender],
    })
    if (allowed >= amount) continue
    // Some tokens, such as USDT, change an allowance to and from zero only.
    for (const value of allowed > 0n ? [0n, amount] : [amount]) {
      const args = [spender, value] as const
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
      missing.push({ to: token as Address, data })
    }
  }
  return missing
}
