import type { Address, Hex } from '../../domain/primitives.js'
import type { ActionContext, Prerequisite } from '../positions.js'
import { readWord } from './read-word.js'

/**
 * The permission that an account must give the runner of its steps, for contracts with managers of accounts.
 *
 * @param args.question - call that returns 1 where `runner` manages `account`.
 * @param args.allow - call of the account that grants this.
 * @returns none where the account runs the steps itself, or has already granted it.
 */
export async function permissionToManage(
  { account, runner, reader }: Pick<ActionContext, 'account' | 'runner' | 'reader'>,
  args: {
    readonly to: Address
    readonly question: Hex
    readonly allow: Hex
    readonly purpose: string
  },
): Promise<Prerequisite[]> {
  if (runner === account) return []
  const { to, question, allow, purpose } = args
  const [result] = await reader.call([{ to, data: question }])
  return readWord(result) === 1n ? [] : [{ to, data: allow, purpose }]
}
