/** Logs of a simulated or mined transaction in the form that viem parses, without a place in a block. */
import type { Hex, Log } from 'viem'
import type { Address } from '../../../src/domain/primitives.js'

export function unplacedLogs(
  logs: readonly {
    readonly address: Address
    readonly topics: readonly Hex[]
    readonly data: Hex
  }[],
): Log[] {
  return logs.map(({ address, topics, data }) => ({
    address,
    topics: topics as [Hex, ...Hex[]],
    data,
    blockHash: null,
    blockNumber: null,
    logIndex: null,
    removed: false,
    transactionHash: null,
    transactionIndex: null,
    blockTimestamp: undefined,
  }))
}
