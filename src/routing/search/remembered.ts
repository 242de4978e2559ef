/**
 * What searches in one view of a market have found. Routes that are planned in parts ask the same again: a lane of a
 * bridge is compared by a search, and what is sent over it is built by the same one.
 */
import { LRUCache } from 'lru-cache'
import { bigintToString } from '../../domain/primitives.js'
import { type CandidateArgs, type CandidateSet, findCandidates } from './candidates.js'

/** One view of the market remembers those of its last few requests. */
const mostRemembered = 32

/** Candidates by their questions, of one view of the market. */
class FoundCandidates {
  readonly byQuestion = new LRUCache<string, CandidateSet>({ max: mostRemembered })
}

/** Answers like `findCandidates`; a search of some pools alone, or one that is told what was left out, is made each time. */
export function rememberedCandidates(args: CandidateArgs): CandidateSet {
  const { market, inputs, tokensOut, isAllowed, onLeftOut, knownSplits } = args
  if (isAllowed || onLeftOut || knownSplits) return findCandidates(args)
  const tokens = [...inputs.map(({ token }) => token), ...tokensOut]
  const key = JSON.stringify(
    [
      ...[inputs, tokensOut, args.maxHops, args.count, args.mayBeSplit ?? true],
      ...[[...(args.avoid ?? [])].sort(), tokens.map((token) => args.gasCost(token) ?? null)],
      args.swapDataGas ?? null,
    ],
    bigintToString,
  )
  const known = market.memory(FoundCandidates).byQuestion
  const before = known.get(key)
  if (before) return before
  const found = findCandidates(args)
  // A search that ran out of time may find more when it is asked again.
  if (!found.wasCut) known.set(key, found)
  return found
}
