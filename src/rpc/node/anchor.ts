/**
 * Tells a node that answers zeros for state that it no longer has, or the state of another block. With the first values
 * of a block comes the code of a contract that is there at every block, and a call that tells in which block it ran.
 * Values that are read in bulk show both themselves (`bulk/`), and are not sent here.
 */
import type { Address } from '../../domain/primitives.js'
import { accountCalls, isOtherBlock, limitsOf } from './bulk/bulk-plan.js'
import type { ChainTip } from './chain-tip.js'
import type { NodeRequest, Outcome, StateRead } from './node-request.js'
import { stateRequest } from './read-requests.js'
import { codeKey } from './state-item.js'
import type { SendOptions, UpstreamNode } from './upstream-node.js'

/** Sends requests to the node; outcomes come in their order. */
export type Send = (
  node: UpstreamNode,
  requests: readonly NodeRequest[],
  options: SendOptions,
) => Promise<Outcome[]>

const zeros: ReadonlySet<unknown> = new Set(['0x0', '0x'])

/** Whether a value in its stored form is what a node makes up of state that it does not have. */
export const isZero = (value: unknown): boolean => zeros.has(value)

interface BlockAnswers {
  /** Of the call that tells in which block it ran; undefined where the node runs no code that is given with it. */
  readonly place: Outcome | undefined
  /** Of the code that is there at every block. */
  readonly code: Outcome | undefined
  /** Of the values of the block. */
  readonly own: readonly Outcome[]
}

/**
 * @param parts.anchor - of the contract; null: nothing is checked.
 */
export function anchored(
  send: Send,
  parts: {
    readonly anchor: Address | null
    readonly tip: ChainTip
  },
): Send {
  const { anchor, tip } = parts
  if (anchor === null) return send

  function mustShow(node: UpstreamNode, { number }: StateRead): boolean {
    return !tip.isFresh(number) && !tip.isShown(node, number)
  }

  /** What the block's values are in truth; null: what they seem. */
  function problemOf(node: UpstreamNode, number: bigint, answers: BlockAnswers): Outcome | null {
    const { place, code, own } = answers
    if (place && isOtherBlock(place)) {
      tip.tookForOther(node, number)
      return place
    }
    if (tip.takesForOther(node, number) && place?.kind !== 'value') {
      const message = `the node does not tell whether it answers for block ${number}`
      return { kind: 'odd', message }
    }
    const isThere = (one: Outcome | undefined) => one?.kind === 'value' && !isZero(one.value)
    if (isThere(code) || own.some(isThere)) {
      tip.shown(node, number)
      return null
    }
    if (code?.kind !== 'value') return null
    const message = `the node answers nothing but zeros for block ${number}`
    return { kind: tip.shownEmpty(node, number) ? 'refused' : 'odd', message }
  }

  return async (node, requests, options) => {
    if (!node.abilities()?.anchor) return send(node, requests, options)
    const blocks = new Map<bigint, StateRead>()
    for (const { read } of requests) {
      if (read && mustShow(node, read)) blocks.set(read.number, read)
    }
    const reads = [...blocks.values()]
    // Without `read`: it must not be answered from what is known of other blocks.
    const anchors = reads.map(({ block, number }) => {
      const { call, judge } = stateRequest(codeKey(anchor), block, number)
      return { call, judge }
    })
    const places = node.abilities()?.overrides ? reads.flatMap((read) => placeOf(anchor, read)) : []
    const all = await send(node, [...requests, ...anchors, ...places], options)
    const outcomes = all.slice(0, requests.length)
    const problems = new Map<bigint, Outcome>()
    for (const [index, number] of [...blocks.keys()].entries()) {
      const problem = problemOf(node, number, {
        place: all[requests.length + anchors.length + index],
        code: all[requests.length + index],
        own: outcomes.filter((_, at) => requests[at]?.read?.number === number),
      })
      if (problem) problems.set(number, problem)
    }
    if (problems.size === 0) return outcomes
    return outcomes.map((outcome, index) => {
      const number = requests[index]?.read?.number
      const problem = number === undefined ? undefined : problems.get(number)
      return outcome.kind === 'value' && problem ? problem : outcome
    })
  }
}

/** A call that tells in which block it ran. */
function placeOf(account: Address, at: StateRead): NodeRequest[] {
  return accountCalls([codeKey(account)], at, limitsOf(1)).map(({ request }) => request)
}
