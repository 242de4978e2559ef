/** The next steps of a refused route that the form has a field for, as links to the changed question. */
import type { NextStep } from '../../client/errors.js'
import { inUnits, readable } from '../app/numbers.js'
import { hrefOf } from '../app/router.js'
import { tokenAt } from '../app/tokens.js'
import type { Offer } from '../components/next-steps.js'
import type { Question } from './question.js'

export function offerOf(question: Question, step: NextStep): Offer | null {
  if (!('parameter' in step)) return null
  const { parameter, value } = step
  const offer = (text: string, changes: Partial<Question>): Offer => ({
    text,
    href: hrefOf('route', { ...question, ...changes }),
  })
  if (value === null) {
    if (parameter === 'blockNumber') return offer('Use the newest block', { at: '', vs: '' })
    if (parameter === 'excludePools') return offer('Use all pools', { exclude: '' })
    if (parameter === 'destinationChainId') return offer('Receive on the same chain', { to: '' })
    return null
  }
  if (!/^amountIn(\[0\])?$/.test(parameter) || !value || !/^\d+$/.test(value)) return null
  const token = tokenAt(Number(question.chain), question.in)
  if (token?.decimals == null) return null
  const raw = BigInt(value)
  return offer(`Pay ${readable(raw, token.decimals)} ${token.symbol}`, {
    amount: inUnits(raw, token.decimals),
  })
}
