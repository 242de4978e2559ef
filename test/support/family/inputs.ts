/** Parameters of each endpoint, as the contract of the API family lists them. */
import type { Inputs } from './requests.js'

const calculation = { blockNumber: 'integer', deadlineMs: 'integer' } satisfies Inputs

const ignored = {
  ignoreAggregators: 'text[]',
  ignoreStandards: 'text[]',
  excludePools: 'text[]',
  onlyPools: 'text[]',
  excludeTokens: 'address[]',
} satisfies Inputs

const people = {
  receiver: 'address',
  spender: 'address',
  refundReceiver: 'address',
} satisfies Inputs

const trade = { tokenIn: 'address[]!', amountIn: 'wei[]' } satisfies Inputs

const fees = {
  fee: 'fee[]',
  feeReceiver: 'address',
  destinationFeeReceiver: 'address',
  gasDrop: 'wei',
  bridge: 'text',
} satisfies Inputs

export const route: Inputs = {
  chainId: 'integer',
  fromAddress: 'address!',
  routingStrategy: 'text',
  executionMode: 'text',
  toEoa: 'boolean',
  includeTransactionCost: 'boolean',
  ...trade,
  tokenOut: 'address[]!',
  amountOut: 'wei[]',
  minAmountOut: 'wei[]',
  slippage: 'slippage',
  referralCode: 'text',
  destinationChainId: 'integer',
  ignoreBridges: 'text[]',
  crosschainRouteMode: 'text',
  priceImpact: 'boolean',
  explain: 'text',
  trace: 'boolean',
  permit: 'boolean',
  deadline: 'text',
  ...people,
  ...fees,
  ...ignored,
  ...calculation,
}

export const quote: Inputs = {
  chainId: 'integer',
  fromAddress: 'address',
  ...trade,
  tokenOut: 'address[]!',
  amountOut: 'wei[]',
  priceImpact: 'boolean',
  fee: 'fee[]',
  feeReceiver: 'address',
  routingStrategy: 'text',
  explain: 'text',
  ...ignored,
  ...calculation,
}

/** Of a stream and of a call with several quotes. */
export const quotes: Inputs = { chainId: 'integer', ...calculation }

export const nontokenized: Inputs = {
  chainId: 'integer',
  fromAddress: 'address!',
  routingStrategy: 'text',
  tokenIn: 'address[]!',
  amountIn: 'wei[]!',
  positionOut: 'text!',
  slippage: 'bps',
  referralCode: 'text',
  destinationChainId: 'integer',
  ignoreBridges: 'text[]',
  ...people,
  receiver: 'address!',
  ...fees,
  ...ignored,
  ...calculation,
}

export const bundle: Inputs = {
  chainId: 'integer',
  fromAddress: 'address!',
  routingStrategy: 'text',
  executionMode: 'text',
  referralCode: 'text',
  skipQuote: 'boolean',
  explain: 'text',
  trace: 'boolean',
  deadline: 'text',
  ...people,
  ...ignored,
  ...calculation,
}

export const prices: Inputs = { addresses: 'address[]!', ...calculation }

export const tokens: Inputs = {
  project: 'text',
  protocolSlug: 'text',
  chainId: 'integer',
  type: 'text',
  underlyingTokens: 'address[]',
  underlyingTokensExact: 'address[]',
  primaryAddress: 'address[]',
  address: 'address[]',
  name: 'text[]',
  symbol: 'text[]',
  liquidityType: 'text',
  page: 'integer',
  pageSize: 'integer',
  cursor: 'integer',
  includeMetadata: 'boolean',
  includeUnderlying: 'boolean',
  apyFrom: 'number',
  apyTo: 'number',
  tvlFrom: 'number',
  tvlTo: 'number',
  present: 'boolean',
}

export const positions: Inputs = {
  chainId: 'integer',
  tokenAddress: 'address[]',
  poolAddress: 'address[]',
  symbol: 'text[]',
  protocol: 'text[]',
  project: 'text[]',
  underlyingAddress: 'address[]',
  name: 'text[]',
}

export const nontokenizedList: Inputs = {
  chainId: 'integer',
  project: 'text[]',
  protocolSlug: 'text[]',
  address: 'address[]',
  primaryAddress: 'address[]',
  page: 'integer',
  pageSize: 'integer',
  cursor: 'integer',
}

export const approval: Inputs = {
  chainId: 'integer',
  fromAddress: 'address!',
  routingStrategy: 'text',
  tokenAddress: 'address!',
  amount: 'wei!',
}

export const balances: Inputs = {
  eoaAddress: 'address!',
  useEoa: 'boolean!',
  chainId: 'chainOrAll',
}

export const wallet: Inputs = { chainId: 'integer', fromAddress: 'address!' }

export const messagingPool: Inputs = {
  chainId: 'integer',
  token: 'address!',
  destinationChainId: 'integer',
  destinationToken: 'address',
}

export const bridgeTransfers: Inputs = { address: 'address!' }
export const bridgeCheck: Inputs = { chainId: 'integer', txHash: 'text!' }

export const hindsight: Inputs = {
  chainId: 'integer',
  hash: 'text',
  fromBlock: 'integer',
  toBlock: 'integer',
  job: 'boolean',
  since: 'integer',
}

/** `before` is the id of a job. */
export const backtestList: Inputs = { limit: 'integer', before: 'text' }

/** `in` and `out` are objects. */
export const plan: Inputs = {
  destinationChainId: 'integer!',
  tokenOut: 'address!',
  fromAddress: 'address!',
  receiver: 'address',
  slippage: 'bps',
}
export const multichain: Inputs = { amountIn: 'wei!', slippage: 'bps', fromAddress: 'address!' }
