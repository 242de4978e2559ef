/** What a user of the command line can do about a refusal: the next steps of the service as options and commands. */
import type { ForkrouteApiError } from '../client/errors.js'

/** A step of `details.next`; one of another form says nothing here. */
interface Step {
  readonly parameter?: unknown
  readonly value?: unknown
  readonly endpoint?: unknown
  readonly query?: Readonly<Record<string, unknown>>
}

/** Options by the parameter of the request that they set. */
const options: Readonly<Record<string, string>> = {
  blockNumber: '--block',
  bridge: '--bridge',
  chainId: '--chain',
  deadline: '--deadline',
  destinationChainId: '--to-chain',
  excludePools: '--exclude-pools',
  excludeTokens: '--exclude-tokens',
  fee: '--fee',
  feeReceiver: '--fee-receiver',
  fromAddress: '--from',
  ignoreAggregators: '--ignore-aggregators',
  ignoreBridges: '--ignore-bridges',
  ignoreStandards: '--ignore-standards',
  onlyPools: '--only-pools',
  receiver: '--receiver',
  routingStrategy: '--strategy',
  slippage: '--slippage',
  maxSlippage: '--max-slippage',
}

const backendText = 'calculate without asking for the funds by --backend'
const quoteText = 'ask for a quote, which needs no funds'
const approveText = 'allow it by the transaction of forkroute approve'

/** Steps for errors of a service that tells none. */
const usual: Partial<Record<ForkrouteApiError['code'], readonly string[]>> = {
  INSUFFICIENT_ALLOWANCE: [approveText, backendText],
  INSUFFICIENT_BALANCE: [backendText, quoteText],
}

/** @returns one line, or null where nothing is known that would help. */
export function nextStepsOf({
  code,
  details,
}: Pick<ForkrouteApiError, 'code' | 'details'>): string | null {
  const told = Array.isArray(details.next) ? (details.next as readonly Step[]) : []
  const steps = told.flatMap((step) => textOf(step) ?? [])
  const shown = steps.length ? steps : (usual[code] ?? [])
  return shown.length ? `Next: ${shown.join('; or ')}.` : null
}

function textOf({ parameter, value, endpoint, query = {} }: Step): string | null {
  if (endpoint === 'GET /api/v1/wallet/approve') return approvalText(query)
  if (endpoint === 'GET /api/v1/shortcuts/quote') return quoteText
  if (parameter === 'executionMode' && value === 'backend') return backendText
  if (/^amountIn(\[0\])?$/.test(String(parameter)) && typeof value === 'string') {
    return `give the amount ${value} with --raw`
  }
  const option = options[String(parameter)]
  if (option === undefined) return null
  if (value === null) return `leave out ${option}`
  if (value === undefined) return `give another ${option}`
  return typeof value === 'string' ? `give ${option} ${value}` : null
}

function approvalText(query: Readonly<Record<string, unknown>>): string {
  const { amount, tokenAddress, fromAddress, chainId } = query
  if (!amount || !tokenAddress || !fromAddress) return approveText
  const chain = chainId ? ` --chain ${chainId}` : ''
  return `${approveText} ${amount} ${tokenAddress} --raw --from ${fromAddress}${chain}`
}
