/** One SimulationRequest as an eth_simulateV1 call, and the answer as a SimulationResult. Pure. */
import type { Abi } from 'viem'
import { zip } from '../domain/lists.js'
import { type Address, type BlockPin, type Hex, isNative } from '../domain/primitives.js'
import type {
  AccountOverride,
  BalanceAmount,
  PrecedingCall,
  SimulationLog,
  SimulationRequest,
  SimulationResult,
  StateOverrides,
} from '../domain/state.js'
import type { RpcCall } from '../rpc/node/json-rpc.js'
import { blockEnvironment, maxTransactionGas, nextBaseFee } from './block-environment.js'
import { balanceProbe, balanceProbeCode, decodeProbe, encodeProbe, probeGas } from './measure.js'
import { decodeRevert } from './revert.js'
import { type SenderBalance, sendersOf } from './sender-balance.js'

export interface SimulatedBlock {
  readonly pin: BlockPin
  readonly blockTimeSeconds: number
  /** Of senders whose balance the request does not override. */
  readonly balances: ReadonlyMap<Address, SenderBalance>
}

/** Pays for the probes' gas at any base fee. */
const probeBalance: Hex = `0x${(2n ** 96n).toString(16)}`

const hex = (value: bigint): Hex => `0x${value.toString(16)}`

/** Gas limit of the measured transaction: what a block and EIP-7825 allow, less the probes' share. */
function gasLimitOf(pin: BlockPin, request: SimulationRequest): bigint {
  const probes = 2n * probeGas(request.measure ?? [])
  const share = (pin.gasLimit - probes) / BigInt(1 + (request.before?.length ?? 0))
  return share < maxTransactionGas ? share : maxTransactionGas
}

/**
 * The sender gets the whole gas limit's cost on top of its balance: charged before the transaction starts, so that
 * contracts see the balance as it is, and a value above it still fails.
 */
export function encodeSimulation(
  block: SimulatedBlock,
  request: SimulationRequest,
):
  | { readonly ok: true; readonly value: RpcCall; readonly chars: number }
  | { readonly ok: false; readonly message: string } {
  const { pin } = block
  const environment = blockEnvironment(pin, block.blockTimeSeconds)
  const gas = gasLimitOf(pin, request)
  const fees = { maxFeePerGas: hex(environment.baseFeePerGas), maxPriorityFeePerGas: '0x0' }
  const toCall = ({ from, to, data }: PrecedingCall) => ({ from, to, data, gas: hex(gas), ...fees })
  const main = { ...toCall(request), value: hex(request.value) }
  const preceding = (request.before ?? []).map(toCall)

  const funded: Record<Address, AccountOverride> = { ...request.overrides }
  for (const sender of sendersOf(request)) {
    const own = request.overrides[sender]
    const balance = own?.balance ?? balanceOf(block.balances, sender)
    if (typeof balance === 'string') return { ok: false, message: balance }
    const sent = BigInt([...preceding, main].filter(({ from }) => from === sender).length)
    funded[sender] = { ...own, balance: balance + sent * gas * environment.baseFeePerGas }
  }

  const measure = request.measure ?? []
  const probe = {
    from: balanceProbe,
    to: balanceProbe,
    data: encodeProbe(measure),
    gas: hex(probeGas(measure)),
    ...fees,
  }
  const stateOverrides = toWire(funded)
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

function toWire(overrides: StateOverrides): Record<Address, object> {
  const wire: Record<Address, object> = {}
  for (const [address, { balance, nonce, code, stateDiff }] of Object.entries(overrides)) {
    wire[address as Address] = {
      ...(balance !== undefined && { balance: hex(balance) }),
      ...(nonce !== undefined && { nonce: hex(BigInt(nonce)) }),
      ...(code !== undefined && { code }),
      ...(stateDiff !== undefined && { stateDiff }),
    }
  }
  return wire
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

/** @throws TypeError when the answer is not one of eth_simulateV1. */
export function toResult(
  pin: BlockPin,
  request: SimulationRequest,
  answer: unknown,
  errorsAbi: Abi | undefined,
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
    const outOfGas = main.returnData === '0x' && gasUsed >= gasLimitOf(pin, request)
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
    const gasCost = gasUsed * nextBaseFee(pin)
    deltas = zip(
      decodeProbe(before.returnData, measure),
      decodeProbe(after.returnData, measure),
    ).map(([first, { token, owner, amount }]) => {
      const gas = isNative(token) && owner === request.from ? gasCost : 0n
      return { token, owner, amount: amount - first.amount + gas }
    })
  }
  const logs = (main.logs ?? []).map(({ address, topics, data }) => ({ address, topics, data }))
  return { status: 'success', gasUsed, returnData: main.returnData, logs, deltas }
}
