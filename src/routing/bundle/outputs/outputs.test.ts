/** Random bundles, planned and then carried out step by step on a ledger with exactly what is pulled. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainTask } from '../../../../test/support/routing/plain-task.js'
import { ethereum } from '../../../chains/ethereum.js'
import type { BundleAction, BundleRequest } from '../../../domain/bundle.js'
import type { ForkrouteError } from '../../../domain/errors.js'
import { type Amount, type ExecutorStep, isAmountRef } from '../../../domain/order.js'
import type { Address } from '../../../domain/primitives.js'
import type { Task } from '../../block/task.js'
import { BundleBuilder } from '../builder.js'
import { parseBundle } from '../parse-actions.js'

const tokens: readonly Address[] = ['0x'.padEnd(42, '1'), '0x'.padEnd(42, '2')] as Address[]
const [other, exchange] = ['0x'.padEnd(42, '3'), '0x'.padEnd(42, '4')] as [Address, Address]
const sender: Address = '0x00000000000000000000000000000000000f0c01'
const cases = Number(process.env.OUTPUT_CASES ?? 500)
const seed = Number(process.env.OUTPUT_SEED ?? 20_261_124)

/** What one action of the test does; `pick` chooses an output, where it refers to one. */
const plan = fc.record({
  kind: fc.constantFrom('fee', 'check', 'transfer', 'split', 'call'),
  token: fc.nat(1),
  amount: fc.integer({ min: 1, max: 5_000 }),
  refers: fc.boolean(),
  pick: fc.nat(40),
})

type Plan = typeof plan extends fc.Arbitrary<infer P> ? P : never

interface Made {
  readonly action: number
  readonly index: number
  readonly token: Address
  /** Null: only known when it is carried out. */
  readonly known: bigint | null
  /** The output that a check looks at. */
  readonly of?: Made
}

const rootOf = (made: Made): Made => (made.of ? rootOf(made.of) : made)

interface Expected {
  readonly actions: BundleAction[]
  readonly takes: { action: number; token: Address; number?: bigint; root?: Made }[]
  readonly made: Made[]
}

function bundleOf(plans: readonly Plan[]): Expected {
  const all: Expected = { actions: [], takes: [], made: [] }
  for (const [action, { kind, token: place, amount, refers, pick }] of plans.entries()) {
    const wanted = kind === 'check' ? undefined : tokens[place]
    const choices = all.made.filter((one) => !wanted || one.token === wanted)
    const chosen =
      refers || kind === 'check' ? choices[pick % Math.max(choices.length, 1)] : undefined
    const own = (name: string, args: object) =>
      all.actions.push({ protocol: 'svc', action: name, args: args as BundleAction['args'] })
    const reference = chosen && { useOutputOfCallAt: chosen.action, index: chosen.index }
    const token = tokens[place] as Address
    const given = reference ?? String(amount)
    const size = chosen ? rootOf(chosen).known : BigInt(amount)
    const give = (index: number, of: Address, known: bigint | null, from?: Made) =>
      all.made.push({ action, index, token: of, known, ...(from && { of: from }) })
    const take = () =>
      all.takes.push({
        action,
        token,
        ...(chosen ? { root: rootOf(chosen) } : { number: BigInt(amount) }),
      })
    if (kind === 'check' && chosen) {
      own('minamountout', { amountOut: reference, minAmountOut: '0' })
      give(0, chosen.token, chosen.known, chosen)
    } else if (kind === 'fee') {
      take()
      own('fee', { token, amount: given, bps: 1_000, receiver: other })
      give(0, token, size === null ? null : size - size / 10n)
    } else if (kind === 'split') {
      all.takes.push({ action, token, number: BigInt(amount) })
      own('split', { tokenIn: token, tokenOut: [token, token], amountIn: String(amount) })
      const half = BigInt(amount) / 2n
      give(0, token, half)
      give(1, token, BigInt(amount) - half)
    } else if (kind === 'call') {
      take()
      const tokenOut = tokens[1 - place] as Address
      own('call', {
        address: exchange,
        method: 'swap',
        abi: 'swap(address,uint256,address)',
        args: [token, given, tokenOut],
        tokenIn: token,
        amountIn: given,
        tokenOut,
      })
      give(0, tokenOut, null)
    } else {
      take()
      own('transfer', { token, amount: given, recipient: other })
    }
  }
  return all
}

/** Raw units that the sender gives; or the two actions that take one output. */
function pulledOf({ takes, made }: Expected) {
  const taken = new Map<Made, number>()
  for (const { action, root } of takes) {
    if (!root) continue
    const first = taken.get(root)
    if (first !== undefined) return { twice: [first, action] }
    taken.set(root, action)
  }
  const free = new Map<Made, bigint>()
  for (const one of made) {
    if (!one.of && one.known !== null && !taken.has(one)) free.set(one, one.known)
  }
  const pulled = new Map(tokens.map((token) => [token, 0n]))
  for (const { action, token, number } of takes) {
    let missing = number ?? 0n
    for (const [one, left] of free) {
      if (one.token !== token || one.action >= action) continue
      const rest = left > missing ? left - missing : 0n
      free.set(one, rest)
      missing -= left - rest
    }
    pulled.set(token, (pulled.get(token) ?? 0n) + missing)
  }
  const left = (token: Address) =>
    [...free].reduce((sum, [one, rest]) => (one.token === token ? sum + rest : sum), 0n)
  // Fee and rest of an amount that only the chain knows are both rounded down.
  const mostDust = (token: Address) =>
    BigInt(takes.filter((one) => one.token === token && one.root && one.root.known === null).length)
  return { pulled, left, mostDust, isTaken: (one: Made) => taken.has(one) }
}

/** Carries out the steps. @returns what lies there at the end. */
function carryOut(steps: readonly ExecutorStep[], pulled: ReadonlyMap<Address, bigint>) {
  const held = new Map(pulled)
  const outputs: bigint[] = []
  const add = (token: Address, amount: bigint) => {
    const after = (held.get(token) ?? 0n) + amount
    if (after < 0n) throw new Error(`${-after} of ${token} are missing`)
    held.set(token, after)
  }
  const worth = (amount: unknown): bigint => {
    if (!isAmountRef(amount)) return amount as bigint
    const whole = amount.ref === 'output' ? outputs[amount.step] : held.get(amount.token)
    return ((whole ?? 0n) * BigInt(amount.bps ?? 10_000)) / 10_000n
  }
  for (const step of steps) {
    outputs.push(0n)
    if (step.kind === 'transfer') add(step.token, -worth(step.amount))
    if (step.kind !== 'call') continue
    const [a, b, c] = step.args as readonly [Amount, Amount, Address]
    let result = 0n
    if (step.target === exchange) {
      const amount = worth(b)
      result = (amount * 3n) / 2n + 7n
      add(a as unknown as Address, -amount)
      add(c, result)
    } else if (step.abi.name === 'sum') {
      result = (a as unknown as readonly Amount[]).reduce<bigint>(
        (sum, one) => sum + worth(one),
        0n,
      )
    } else result = worth(a)
    outputs[outputs.length - 1] = result
  }
  return held
}

async function planned(task: Task, actions: readonly BundleAction[]): Promise<BundleBuilder> {
  const request: BundleRequest = {
    chainId: 1,
    fromAddress: sender,
    strategy: 'router',
    executionMode: 'backend',
    actions,
    serviceName: 'svc',
    ignoreAggregators: [],
    ignoreStandards: [],
    skipQuote: true,
  }
  const typed = parseBundle(request, ethereum)
  const builder = new BundleBuilder(task, { request: typed, accountId: '0x' }, typed.actions)
  await builder.build()
  return builder
}

test(`property: random bundles take from the sender what amountsIn says, and nothing that an action gave (seed ${seed})`, async () => {
  const task = plainTask({ pairs: [] })
  const seen = { taken: 0, twice: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 12 }), async (plans) => {
      const bundle = bundleOf(plans)
      const expected = pulledOf(bundle)
      if (expected.twice) {
        seen.twice++
        const error = await planned(task, bundle.actions).catch((thrown: ForkrouteError) => thrown)
        const [takenBy, action] = expected.twice
        expect(error).toMatchObject({ code: 'SIMULATION_REVERTED', details: { action, takenBy } })
        return
      }
      seen.taken++
      const { draft } = await planned(task, bundle.actions)
      const pulled = new Map(draft.pulled().map(({ token, amount }) => [token, amount]))
      for (const token of tokens) {
        expect(pulled.get(token) ?? 0n).toBe(expected.pulled.get(token))
      }
      const held = carryOut(draft.steps, pulled)
      const open = (token: Address) =>
        bundle.made.some(
          (one) => !one.of && one.token === token && !expected.isTaken(one) && one.known === null,
        )
      // What is left over is what nobody has taken of the outputs.
      for (const token of tokens) {
        if (open(token)) continue
        const dust = (held.get(token) ?? 0n) - expected.left(token)
        expect(dust).toBeGreaterThanOrEqual(0n)
        expect(dust).toBeLessThanOrEqual(expected.mostDust(token))
      }
    }),
    { numRuns: cases, seed },
  )
  expect(seen.taken).toBeGreaterThan(cases / 10)
  expect(seen.twice).toBeGreaterThan(cases / 20)
  if (process.env.OUTPUT_CASES) process.stdout.write(`${JSON.stringify({ seed, ...seen })}\n`)
}, 300_000)
