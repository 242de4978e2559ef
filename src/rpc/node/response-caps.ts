/** How long an answer of a node may be: its calls tell. More is a fault of the node, and would fill the memory. */
import type { RpcCall } from './json-rpc.js'

const kB = 1_024
const MB = 1_024 * kB

/** Around the results; and errors, which may hold what a call returned. */
const around = 64 * kB
/** Bounds one HTTP answer. */
const mostOfAll = 64 * MB
/** A result of a method that is not listed. */
const usual = MB

/** Bytes of JSON. */
const byMethod: Readonly<Record<string, number>> = {
  eth_chainId: kB,
  eth_blockNumber: kB,
  web3_clientVersion: kB,
  eth_getBalance: kB,
  eth_getTransactionCount: kB,
  eth_getStorageAt: kB,
  /** 24 kB by EIP-170, more on some chains. */
  eth_getCode: MB,
  /** Without slots: the path to one account. */
  eth_getProof: 128 * kB,
  /** Words of 48 pools with ticks are 3 MB. */
  eth_call: 8 * MB,
  eth_createAccessList: MB,
  /** With the code of all accounts that 24 calls touch. */
  debug_traceCall: 32 * MB,
  eth_getLogs: 32 * MB,
  eth_getTransactionByHash: 2 * MB,
  eth_getTransactionReceipt: 8 * MB,
}
/** Hashes of its transactions, thousands on some chains. */
const header = 2 * MB
/** EIP-7934 bounds a block by 10 MB, which are twice as many digits and the names of the fields. */
const block = 32 * MB

/** Bytes of the answer to the calls of one HTTP request at most. */
export function mostBytesOf(calls: readonly RpcCall[]): number {
  return Math.min(
    mostOfAll,
    calls.reduce((sum, call) => sum + bytesOf(call), around),
  )
}

function bytesOf({ method, params }: RpcCall): number {
  if (method.startsWith('eth_getBlockBy')) return params[1] === true ? block : header
  return byMethod[method] ?? usual
}
