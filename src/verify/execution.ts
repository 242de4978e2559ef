/** The calls that show what the transaction of an evidence file does, and whether that is what its answer says. */
import { type Address, encodeFunctionData, erc20Abi, type Hex, keccak256, numberToHex } from 'viem'
import { type Evidence, type Fields, need } from './form.js'
import type { ProvenState } from './trie.js'

/** What the receiver gained and the sender spent, raw units by token, and the gas. */
export interface Outcome {
  readonly gained: Readonly<Record<string, bigint>>
  readonly spent: Readonly<Record<string, bigint>>
  readonly gasUsed: bigint
}

export interface Execution {
  readonly evidence: Evidence
  /** Parameters of eth_simulateV1, one call each: the transaction, and what is read where nothing is assumed. */
  readonly payloads: readonly object[]
  /** @throws Error where their results are not what the answer says. */
  judge(results: readonly unknown[]): Outcome
}

const native = `0x${'e'.repeat(40)}`
/** Sends the calls that read balances. */
const reader = '0x00000000000000000000000000000000f0e4de4c'
/** Has code that returns the ether of the address in its call data. */
const purse = '0x00000000000000000000000000000000f0e4de4d'
const purseCode: Hex = '0x5f353160005260206000f3'
/** Of a call that reads a balance. */
const readGas = 2_000_000n
/** A share of the assumed amount, which tokens that count in shares may have to round up. */
const roundedShare = 1_000n
const mostSeconds = 86_400n

/**
 * @throws Error where the answer is not about this transaction, or where more is assumed than that the sender has what it
 *   swaps and has allowed it.
 */
export function executionOf(evidence: Evidence, state: ProvenState): Execution {
  const { request, answer, block, execution } = evidence
  const { transaction, assumed, time, baseFeePerGas, priorityFeePerGas } = execution
  const { header } = block
  const { input } = request
  const quantity = (name: string) => BigInt(header[name] ?? 0)
  const { from } = transaction
  const sender = state.accounts.get(from)
  need(sender !== undefined, 'the sender is not proven')
  checkAnswer(evidence)
  const seconds = BigInt(time) - quantity('timestamp')
  need(seconds > 0n && seconds <= mostSeconds, 'the time of the simulated block does not follow')
  const [fee, next] = [quantity('baseFeePerGas'), BigInt(baseFeePerGas)]
  need(8n * next <= 9n * fee + 8n && 8n * next + 8n >= 7n * fee, 'the base fee does not follow')

  const tokensIn = listOf(input.tokenIn)
  const amountsIn = listOf(input.amountIn ?? answer.amountIn).map(BigInt)
  const tokensOut = listOf(input.tokenOut)
  const receiver = String(input.receiver ?? from)
  const readers = { [reader]: { balance: numberToHex(2n ** 96n) }, [purse]: { code: purseCode } }
  const overrides: Record<string, { balance?: Hex; code?: Hex; stateDiff?: Record<Hex, Hex> }> = {
    ...readers,
  }
  let ether = sender.balance
  for (const { token, slot, value, preimages } of assumed) {
    const at = tokensIn.indexOf(token ?? native)
    need(at >= 0, 'something is assumed of a token that is not swapped')
    if (token === null) {
      need(
        BigInt(value) <= (amountsIn[at] ?? 0n) || BigInt(value) <= ether,
        'more ether is assumed than is swapped',
      )
      ether = BigInt(value)
    } else {
      checkSlot(slot, preimages, from)
      overrides[token] = { stateDiff: { ...overrides[token]?.stateDiff, [slot]: value } }
    }
  }
  const price = next + BigInt(priorityFeePerGas)
  overrides[from] = {
    ...overrides[from],
    balance: numberToHex(ether + BigInt(transaction.gas) * price),
  }

  const owned = [
    ...tokensIn.map((token) => ({ token, owner: from as string })),
    ...tokensOut.map((token) => ({ token, owner: receiver })),
  ]
  const call = (to: string, data: Hex) => ({
    from: reader,
    to,
    data,
    gas: numberToHex(readGas),
    maxFeePerGas: baseFeePerGas,
    maxPriorityFeePerGas: '0x0',
  })
  const reads = owned.map(({ token, owner }) =>
    token === native
      ? call(purse, `0x${owner.slice(2).padStart(64, '0')}`)
      : call(token, erc20Call('balanceOf', [owner as Address])),
  )
  const allowances = tokensIn.map((token) =>
    token === native
      ? call(purse, '0x')
      : call(token, erc20Call('allowance', [from, transaction.to])),
  )
  const main = {
    ...transaction,
    maxFeePerGas: numberToHex(price),
    maxPriorityFeePerGas: priorityFeePerGas,
  }
  const difficulty = quantity('difficulty')
  const blockOverrides = {
    number: numberToHex(quantity('number') + 1n),
    time,
    baseFeePerGas,
    // As the service has it: nothing that a contract could foresee.
    prevRandao: difficulty ? numberToHex(difficulty, { size: 32 }) : keccak256(block.hash),
    feeRecipient: header.miner,
    gasLimit: header.gasLimit,
  }
  const before = [...reads, ...allowances]
  const calls = [...before, main, ...reads]
  const simulated = (stateOverrides: object, list: object[]) => {
    return { blockStateCalls: [{ blockOverrides, stateOverrides, calls: list }], validation: true }
  }
  return {
    evidence,
    payloads: [simulated(overrides, calls), simulated(readers, before)],
    judge(results) {
      const [done, plain] = results.map((result) => (result as [{ calls: Simulated[] }])[0].calls)
      need(done !== undefined && plain !== undefined, 'the transaction was not run')
      need(
        done.length === calls.length && done.every(({ status }) => status === '0x1'),
        'the transaction fails',
      )
      const gasUsed = BigInt(done[before.length]?.gasUsed ?? 0)
      const change = owned.map(({ token, owner }, at) => {
        const [first, last] = [done[at], done[before.length + 1 + at]].map((call) =>
          BigInt(call?.returnData ?? 0),
        )
        const isAssumed = assumed.some((one) => one.token === token)
        const amount = amountsIn[at] ?? 0n
        const most = amount + amount / roundedShare + roundedShare
        const held = BigInt(plain[at]?.returnData ?? 0)
        const isMore = at < tokensIn.length && isAssumed && first !== held
        need(!isMore || (first ?? 0n) <= most, 'more is assumed than is swapped')
        const paid = token === native && owner === from ? gasUsed * price : 0n
        return (last ?? 0n) - (first ?? 0n) + paid
      })
      const seen = new Set<string>()
      for (const one of assumed.filter(({ token }) => token !== null)) {
        const isAllowance = one.preimages.some((text) => text.includes(transaction.to.slice(2)))
        const place = tokensIn.indexOf(one.token ?? native) + (isAllowance ? reads.length : 0)
        const now = done[place]?.returnData
        const isMoved = now !== plain[place]?.returnData || isAsProven(one, state)
        const isOnce = !seen.has(`${one.token}${isAllowance}`)
        seen.add(`${one.token}${isAllowance}`)
        need(isMoved && isOnce, 'an assumed word is neither balance nor allowance of the sender')
      }
      const spent = change.slice(0, tokensIn.length).map((amount) => -amount)
      const gained = change.slice(tokensIn.length)
      const told = listOf(answer.amountOutList ?? answer.amountOut).map(BigInt)
      need(
        told.join() === gained.join(),
        `the receiver gains ${gained}, and the answer says ${told}`,
      )
      need(
        spent.join() === amountsIn.join(),
        `the sender spends ${spent}, and the request says ${amountsIn}`,
      )
      need(
        gasUsed === BigInt(String(answer.gas)),
        `it uses ${gasUsed} gas, and the answer says ${answer.gas}`,
      )
      const byToken = (tokens: readonly string[], amounts: readonly bigint[]) =>
        Object.fromEntries(tokens.map((token, at) => [token, amounts[at] ?? 0n]))
      return { gained: byToken(tokensOut, gained), spent: byToken(tokensIn, spent), gasUsed }
    },
  }
}

/** The answer, the request and the transaction are of one chain, one block and one sender. */
function checkAnswer({ request, answer, block, execution }: Evidence): void {
  const { from, to, data, value } = execution.transaction
  const { input } = request
  const isHere = Number(input.chainId) === block.chainId
  need(
    isHere && BigInt(String(answer.blockNumber)) === BigInt(block.header.number ?? 0),
    'the answer is about another block',
  )
  const tx = answer.tx as Fields | undefined
  need(request.endpoint === 'quote' || tx !== undefined, 'the answer has no transaction')
  const isSame = (tx: Fields) =>
    tx.from === from &&
    tx.to === to &&
    tx.data === data &&
    BigInt(String(tx.value)) === BigInt(value)
  need(!tx || (isSame(tx) && tx.chainId === block.chainId), 'the answer has another transaction')
  need((input.fromAddress ?? from) === from, 'the request is of another sender')
}

/** @throws Error unless the slot is in a mapping by the sender. */
function checkSlot(slot: Hex, preimages: readonly Hex[], sender: string): void {
  let expected = BigInt(slot)
  for (const [at, preimage] of preimages.entries()) {
    const hash = BigInt(keccak256(preimage))
    const outer = preimages[at - 1]
    const isInside = outer
      ? outer.includes(keccak256(preimage).slice(2))
      : expected - hash >= 0n && expected - hash < 64n
    need(isInside, 'an assumed slot does not follow from what is hashed')
    expected = hash
  }
  need(
    preimages.some((preimage) => preimage.includes(sender.slice(2))),
    'an assumed slot is not of the sender',
  )
}

function isAsProven(
  { token, slot, value }: Evidence['execution']['assumed'][number],
  { slots }: ProvenState,
) {
  return token === null || slots.get(`${token}${slot}`) === BigInt(value)
}

interface Simulated {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly returnData: Hex
}

function erc20Call(functionName: 'balanceOf', args: readonly [Address]): Hex
function erc20Call(functionName: 'allowance', args: readonly [Address, Address]): Hex
function erc20Call(functionName: 'balanceOf' | 'allowance', args: readonly Address[]): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName, args } as never)
}

function listOf(value: unknown): string[] {
  return [value].flat().map(String)
}
