/** One SimulationRequest as an eth_simulateV1 call, and the answer as a SimulationResult. Pure. */
import type { Abi } from 'viem'
import type { ChainRules } from '../domain/chain-rules.js'
import { defined } from '../domain/defined.js'
import { zip } from '../domain/lists.js'
import {
  type Address,
  type BlockPin,
  type Hex,
  isNative,
  maxUint256,
} from '../domain/primitives.js'
import type {
  AccountOverride,
  BalanceAmount,
  PrecedingCall,
  SimulationLog,
  SimulationRequest,
  SimulationResult,
} from '../domain/state.js'
import type { RpcCall } from '../rpc/node/json-rpc.js'
import {
  blockEnvironment,
  gasPriceAfter,
  maxTransactionGas,
  ordinaryGas,
} from './block-environment.js'
import { balanceProbe, balanceProbeCode, decodeProbe, encodeProbe, probeGas } from './measure.js'
import { overridesOnWire } from './overrides-on-wire.js'
import { decodeRevert } from './revert.js'
import { type SenderBalance, sendersOf } from './sender-balance.js'

export interface NextBlock {
  readonly pin: BlockPin
  readonly chain: ChainRules
}

export interface SimulatedBlock extends NextBlock {
  /** Has the senders whose balance the request does not override. */
  readonly balances: ReadonlyMap<Address, SenderBalance>
}

/** Pays for the probes' gas at any base fee. */
const probeBalance: Hex = `0x${(2n ** 96n).toString(16)}`

const hex = (value: bigint): Hex => `0x${value.toString(16)}`

const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Of one simulated block: some chains' own limits are millions of times as high, and would bound nothing. */
const mostBlockGas = 4n * maxTransactionGas

/** What a block and EIP-7825 allow, less the probes' share. */
export function mostGas(pin: BlockPin, request: SimulationRequest): bigint {
  const probes = 2n * probeGas(request.measure ?? [])
  const block = lesser(pin.gasLimit, mostBlockGas + probes)
  const share = (block - probes) / BigInt(1 + (request.before?.length ?? 0))
  return lesser(share, maxTransactionGas)
}

/** Gas limit with which the measured transaction runs first. */
export function firstGas(pin: BlockPin, request: SimulationRequest): bigint {
  return lesser(request.gasLimit ?? ordinaryGas(pin), mostGas(pin, request))
}

/**
 * The sender gets the whole gas limit's cost on top of its balance: charged before the transaction starts, so that
 * contracts see the balance as it is, and a value above it still fails.
 *
 * @param gas - limit of the measured transaction.
 */
export function encodeSimulation(
  block: SimulatedBlock,
  request: SimulationRequest,
  gas: bigint,
):
  | { readonly ok: true; readonly value: RpcCall; readonly chars: number }
  | { readonly ok: false; readonly message: string } {
  const { pin } = block
  const environment = blockEnvironment(pin, block.chain)
  const price = gasPriceAfter(pin, block.chain)
  const most = mostGas(pin, request)
  const toCall = ({ from, to, data }: PrecedingCall, limit: bigint) => ({
    from,
    to,
    data,
    gas: hex(limit),
    maxFeePerGas: hex(price),
    maxPriorityFeePerGas: hex(block.chain.priorityFeePerGas),
  })
  const main = { ...toCall(request, gas), value: hex(request.value) }
  const preceding = (request.before ?? []).map((call) => toCall(call, most))

  const funded: Record<Address, AccountOverride> = { ...request.overrides }
  for (const sender of sendersOf(request)) {
    const own = request.overrides[sender]
    const balance = own?.balance ?? balanceOf(block.balances, sender)
    if (typeof balance === 'string') return { ok: false, message: balance }
    const sent = [...preceding, main].filter(({ from }) => from === sender)
    const limits = sent.reduce((sum, call) => sum + BigInt(call.gas), 0n)
    funded[sender] = { ...own, balance: lesser(balance + limits * price, maxUint256) }
  }

  const measure = request.measure ?? []
  const probe = {
    from: balanceProbe,
    to: balanceProbe,
    data: encodeProbe(measure),
    gas: hex(probeGas(measure)),
    maxFeePerGas: hex(environment.baseFeePerGas),
    // Nothing that the probes pay may show in what they measure.
    maxPriorityFeePerGas: '0x0',
  }
  const stateOverrides = overridesOnWire(funded)
  if (measure.length > 0) {
    stateOverrides[balanceProbe] = { balance: probeBalance, code: balanceProbeCode }
  }
  const payload = {
    blockStateCalls: [
      {
        blockOverrides: {
          number: hex(environment.number),
          time: hex(environment.time),
          baseFeePerGas: hex(environment.baseFeePerGas),
          prevRandao: environment.prevRandao,
          feeRecipient: environment.feeRecipient,
          gasLimit: hex(environment.gasLimit),
        },
        stateOverrides,
        calls: measure.length > 0 ? [...preceding, probe, main, probe] : [...preceding, main],
      },
    ],
    // Without it Anvil ignores baseFeePerGas.
    validation: true,
    ...defined({ traceTransfers: request.logsNative || undefined }),
  }
  return {
    ok: true,
    value: { method: 'eth_simulateV1', params: [payload, hex(pin.number)] },
    chars: charsOf(request),
  }
}

function balanceOf(
  balances: ReadonlyMap<Address, SenderBalance>,
  sender: Address,
): bigint | string {
  const read = balances.get(sender)
  if (!read) throw new RangeError(`The balance of sender ${sender} was not read.`)
  return read.ok ? read.wei : read.message
}

/** Rough length of the request as JSON, without writing it: code, slots and call data are what counts. */
function charsOf(request: SimulationRequest): number {
  let chars = 2_000 + request.data.length
  for (const { data } of request.before ?? []) chars += 300 + data.length
  for (const { code, stateDiff } of Object.values(request.overrides)) {
    chars += 200 + (code?.length ?? 0) + 150 * Object.keys(stateDiff ?? {}).length
  }
  return chars + 300 * (request.measure?.length ?? 0)
}

interface SimulatedCall {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly returnData: Hex
  readonly logs?: readonly SimulationLog[]
}

/** Gas of all calls of an answer, those before and around the measured one included. */
export function gasOfAll(answer: unknown): bigint {
  const calls = (answer as { calls?: SimulatedCall[] }[] | null)?.[0]?.calls ?? []
  return calls.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n)
}

/** What an answer is the answer to. */
interface SimulatedRequest {
  readonly request: SimulationRequest
  /** Limit of the measured transaction. */
  readonly gas: bigint
  /** Custom errors to decode in revert reasons. */
  readonly errorsAbi: Abi | undefined
}

/**
 * @param gas - limit of the measured transaction.
 * @throws TypeError when the answer is not one of eth_simulateV1.
 */
export function toResult(
  { pin, chain }: NextBlock,
  { request, gas, errorsAbi }: SimulatedRequest,
  answer: unknown,
): SimulationResult {
  const calls = (answer as { calls?: SimulatedCall[] }[] | null)?.[0]?.calls
  const measure = request.measure ?? []
  const preceding = request.before?.length ?? 0
  const position = preceding + (measure.length > 0 ? 1 : 0)
  const main = calls?.[position]
  if (!calls || !main) throw new TypeError('The answer of eth_simulateV1 has no calls.')
  const gasUsed = BigInt(main.gasUsed)
  const reverted = (returnData: Hex, reason: string): SimulationResult => {
    return { status: 'reverted', gasUsed, returnData, reason }
  }

  const failed = calls.slice(0, preceding).find(({ status }) => status !== '0x1')
  if (failed) {
    const reason = decodeRevert(failed.returnData, errorsAbi)
    return reverted(failed.returnData, `a preceding call failed: ${reason}`)
  }
  if (main.status !== '0x1') {
    const outOfGas = main.returnData === '0x' && gasUsed >= gas
    return reverted(
      main.returnData,
      outOfGas ? 'out of gas' : decodeRevert(main.returnData, errorsAbi),
    )
  }

  let deltas: BalanceAmount[] = []
  if (measure.length > 0) {
    const [before, after] = [calls[position - 1], calls[position + 1]]
    if (before?.status !== '0x1' || after?.status !== '0x1') {
      return reverted('0x', 'a measured token gives no balance')
    }
    const paid = gasUsed * gasPriceAfter(pin, chain)
    const tips = gasUsed * chain.priorityFeePerGas
    deltas = zip(
      decodeProbe(before.returnData, measure),
      decodeProbe(after.returnData, measure),
    ).map(([first, { token, owner, amount }]) => {
      const change = amount - first.amount
      if (!isNative(token)) return { token, owner, amount: change }
      const spent = owner === request.from ? paid : 0n
      const earned = owner === pin.miner ? tips : 0n
      return { token, owner, amount: change + spent - earned }
    })
  }
  const logs = (main.logs ?? []).map(({ address, topics, data }) => ({ address, topics, data }))
  return { status: 'success', gasUsed, returnData: main.returnData, logs, deltas }
}
