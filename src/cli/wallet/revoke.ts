/** `forkroute wallet revoke`: the transactions that take back what former contracts of ours may spend. */
import type { Command } from 'commander'
import { formatUnits } from 'viem'
import { loadTokenLists } from '../../catalog/token-lists.js'
import { chainById } from '../../chains/registry.js'
import type { Config } from '../../config/config.js'
import { invalidRequest } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import { addressForm, addressPattern, hasValidChecksum } from '../../domain/grammar.js'
import { type Address, isNative, maxUint256, toAddress } from '../../domain/primitives.js'
import { type Spender, spendersOf } from '../../executor/former-deployments.js'
import { chainOrEthereum } from '../chains.js'
import { type OutputOptions, printJson, printTable, withProgress } from '../output.js'
import { nodeUrls } from '../process.js'
import { localConfig } from '../record.js'
import type { Revocation } from './allowances.js'

interface Options extends OutputOptions {
  readonly owner: string
  readonly token?: readonly string[]
  readonly chain: number
  readonly rpcUrl?: string
  readonly all?: boolean
}

interface ListedToken {
  readonly address: Address
  readonly symbol: string | null
  readonly decimals: number | null
}

interface Result {
  readonly chainId: number
  readonly blockNumber: string
  readonly owner: Address
  readonly allowances: readonly {
    readonly token: Address
    readonly symbol: string | null
    readonly contract: Spender['contract']
    readonly spender: Address
    readonly replaced: string | null
    /** Raw units. */
    readonly amount: string
  }[]
  /** One for each allowance, in the same order. */
  readonly transactions: readonly Revocation[]
  /** Tokens whose allowances nobody can read. */
  readonly unread: readonly Address[]
}

function addressOf(option: string, text: string): Address {
  if (!addressPattern.test(text)) throw invalidRequest([`${option} must be ${addressForm}`])
  if (hasValidChecksum(text)) return toAddress(text)
  throw invalidRequest([`${option} has a wrong EIP-55 checksum; write it in lower case`])
}

/** The named ones, or all of the chain in the lists. */
async function tokensOf(config: Config, chainId: number, options: Options): Promise<ListedToken[]> {
  const named = options.token?.map((text) => addressOf('--token', text))
  if (named?.some(isNative)) throw invalidRequest(['--token: the native token has no allowances'])
  const lists = await loadTokenLists(config.tokenLists)
  const listed = new Map(
    lists.filter((token) => token.chainId === chainId).map((token) => [token.address, token]),
  )
  if (!named) return [...listed.values()].filter(({ address }) => !isNative(address))
  return [...new Set(named)].map(
    (address) => listed.get(address) ?? { address, symbol: null, decimals: null },
  )
}

async function find(options: Options): Promise<{ result: Result; tokens: ListedToken[] }> {
  const owner = addressOf('--owner', options.owner)
  const config = localConfig()
  const chainId = options.chain
  if (!chainById(chainId)) {
    throw new ForkrouteError('UNKNOWN_CHAIN', `Chain ${options.chain} is not known here.`)
  }
  const urls = nodeUrls(config, options)
  const tokens = await tokensOf(config, chainId, options)
  // Loaded when needed: the other commands start faster without it.
  const { findAllowances, revoke } = await import('./allowances.js')
  const { blockNumber, allowances, unread, absent } = await findAllowances({
    chainId,
    urls,
    owner,
    verifyHeaderHash: config.checkHeaderHashes,
    tokens: tokens.map(({ address }) => address),
    spenders: spendersOf({ withPresent: options.all === true }),
  })
  if (options.token && absent.length > 0) {
    throw invalidRequest(absent.map((token) => `--token ${token} is no contract`))
  }
  const symbols = new Map(tokens.map(({ address, symbol }) => [address, symbol]))
  const result = {
    chainId,
    owner,
    unread,
    blockNumber: blockNumber.toString(),
    allowances: allowances.map(({ token, spender, amount }) => ({
      token,
      symbol: symbols.get(token) ?? null,
      contract: spender.contract,
      spender: spender.address,
      replaced: spender.replaced,
      amount: amount.toString(),
    })),
    transactions: allowances.map((allowance) => revoke(owner, allowance)),
  }
  return { result, tokens }
}

function print(result: Result, tokens: readonly ListedToken[], options: Options): void {
  const { owner, allowances, transactions, blockNumber } = result
  if (allowances.length === 0) {
    const which = options.all ? 'a present or former' : 'a former'
    console.log(
      `Nothing to revoke at block ${blockNumber}: ${owner} allows ${which} contract of forkroute ` +
        `none of the ${tokens.length} tokens that were looked at.`,
    )
    return
  }
  const decimals = new Map(tokens.map((token) => [token.address, token.decimals]))
  printTable(
    ['token', 'spender', 'version', 'amount'],
    allowances.map(({ token, symbol, contract, spender, replaced, amount }) => [
      symbol ? `${symbol}\n${token}` : token,
      `${contract}\n${spender}`,
      replaced === null ? 'present' : `until ${replaced}`,
      amountText(BigInt(amount), decimals.get(token) ?? null),
    ]),
  )
  console.log(`Transactions for ${owner} to sign, each with value 0:`)
  printTable(
    ['to', 'data'],
    transactions.map(({ to, data }) => [to, data]),
  )
}

function amountText(amount: bigint, decimals: number | null): string {
  if (amount === maxUint256) return 'unlimited'
  return decimals === null ? `${amount} raw` : formatUnits(amount, decimals)
}

export function addWallet(program: Command): void {
  program
    .command('wallet')
    .description('what an owner may take back')
    .command('revoke')
    .description('build the transactions that take back allowances given to former contracts')
    .requiredOption('--owner <address>', 'who gave the allowances')
    .option('--token <address...>', 'only these; default: all of the chain in TOKEN_LISTS')
    .addOption(chainOrEthereum())
    .option('--rpc-url <url>', 'node of the chain; default: those of RPC_URL_<chain id>')
    .option('--all', 'also those to the contracts that are in use')
    .action(async (_local, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { result, tokens } = await withProgress('Reading allowances', () => find(options))
      if (options.json) printJson(result)
      else print(result, tokens, options)
      if (result.unread.length > 0) {
        console.error(`warning: allowances cannot be read of ${result.unread.join(', ')}`)
      }
    })
}
