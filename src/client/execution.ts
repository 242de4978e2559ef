/** What is executed, and by whom. */
import type { Account, Chain, Transport, WalletClient } from 'viem'
import type { AnswerOf } from './calls.js'

export type Wallet = WalletClient<Transport, Chain | undefined, Account>
export type ExecutableRoute = Pick<AnswerOf<'postRoute'>, 'tx' | 'minAmountOut' | 'gas'> &
  Pick<Partial<AnswerOf<'postRoute'>>, 'permit' | 'amountOut' | 'amountIn'>
