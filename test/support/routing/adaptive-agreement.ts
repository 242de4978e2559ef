/** Whether `proof=adaptive` comes to what the proof of all candidates comes to, over requests of all sizes. */
import type { Address } from '../../../src/domain/primitives.js'
import { createSeededRandom, pick } from '../../../src/sandbox/seeded-random.js'
import type { Answer, TestService } from '../service/service.js'

/** Basis points that the adaptive answer may be worth less. */
const mostBps = 0.1
const inFlight = 4
const fine = 2 ** 30

export interface AgreementToken {
  readonly address: Address
  readonly decimals: number
  readonly priceUsd: number
}

export interface Agreement {
  readonly answered: number
  /** Answers that are the same but for `proof` and the explanation. */
  readonly same: number
  /** Candidates that were simulated, of all. */
  readonly simulated: { readonly all: number; readonly adaptive: number }
  /** One sentence for each answer that differs. */
  readonly differences: readonly string[]
  /** Those of them above a tenth of a basis point. */
  readonly exceptions: readonly string[]
}

interface Candidate {
  readonly status: string
  readonly valueAfterGas: string | null
  readonly amountOut: string | null
}

/** The tokens that have a price at the block. */
export async function pricedTokens(
  service: Pick<TestService, 'get'>,
  addresses: readonly Address[],
  blockNumber: bigint,
): Promise<AgreementToken[]> {
  const { body } = await service.get('/api/v1/prices/1', {
    addresses: addresses.join(','),
    blockNumber: String(blockNumber),
  })
  return body.flatMap((found: { decimals: number; price: number } | null, index: number) => {
    const address = addresses[index]
    return found && address ? [{ address, decimals: found.decimals, priceUsd: found.price }] : []
  })
}

/** Pairs evenly over the tokens, amounts evenly over the magnitudes from a cent to ten million dollars. */
export async function agreement(
  service: Pick<TestService, 'get'>,
  tokens: readonly AgreementToken[],
  options: { readonly count: number; readonly seed: bigint; readonly blockNumber: bigint },
): Promise<Agreement> {
  const random = createSeededRandom(options.seed)
  const wanted = Array.from({ length: options.count }, () => {
    const tokenIn = pick(tokens, random)
    const others = tokens.filter(({ address }) => address !== tokenIn.address)
    const usd = 10 ** (-2 + (9 * random(fine)) / fine)
    const raw = (usd / tokenIn.priceUsd) * 10 ** tokenIn.decimals
    return {
      tokenIn: tokenIn.address,
      tokenOut: pick(others, random).address,
      amountIn: BigInt(Math.max(1, Math.round(raw))).toString(),
      blockNumber: String(options.blockNumber),
      explain: 'true',
    }
  })
  const differences: string[] = []
  const exceptions: string[] = []
  const simulated = { all: 0, adaptive: 0 }
  let [answered, same, next] = [0, 0, 0]
  const lane = async () => {
    for (let index = next++; index < wanted.length; index = next++) {
      const query = wanted[index] ?? {}
      const ask = (proof: string) => service.get('/api/v1/shortcuts/quote', { ...query, proof })
      const [all, adaptive] = [await ask('all'), await ask('adaptive')]
      if (all.status !== 200 && adaptive.status === all.status) continue
      answered += 1
      simulated.all += simulatedBy(all)
      simulated.adaptive += simulatedBy(adaptive)
      if (plain(all) === plain(adaptive)) {
        same += 1
        continue
      }
      const bps = lossBps(all, adaptive)
      const text = `${JSON.stringify(query)}: ${bps === null ? `${all.status} and ${adaptive.status}` : `${bps} bps less`}`
      differences.push(text)
      if (bps === null || bps > mostBps) exceptions.push(text)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return { answered, same, simulated, differences, exceptions }
}

const candidatesOf = ({ body }: Answer): readonly Candidate[] => body.candidates ?? []

const simulatedBy = (answer: Answer) =>
  candidatesOf(answer).filter(({ status }) => status !== 'skipped').length

function plain({ status, body }: Answer): string {
  const {
    proof: _proof,
    candidates: _candidates,
    pools: _pools,
    omittedCandidates: _omitted,
    ...rest
  } = body
  return JSON.stringify([status, rest])
}

/** By value after gas, by output where gas has no price; null where one of them has no answer. */
function lossBps(all: Answer, adaptive: Answer): number | null {
  const worth = (answer: Answer) => {
    const chosen = candidatesOf(answer).find(({ status }) => status === 'chosen')
    return Number(chosen?.valueAfterGas ?? answer.body.amountOut)
  }
  if (all.status !== 200 || adaptive.status !== 200) return null
  const [full, fast] = [worth(all), worth(adaptive)]
  return ((full - fast) / Math.abs(full)) * 1e4
}
