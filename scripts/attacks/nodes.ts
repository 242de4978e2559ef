/** A node whose answers have no end. */
import { type BadNode, startBadNode } from '../../test/support/nodes/bad-node.js'
import { type Attack, type Family, told, unlike } from './attack.js'

const all = [
  ...['eth_getStorageAt', 'eth_getProof', 'eth_getCode', 'eth_getBalance', 'eth_call'],
  ...['eth_getLogs', 'eth_getTransactionCount', 'eth_createAccessList', 'debug_traceCall'],
]
const heads = ['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_blockNumber']
const uni = '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984'
const link = '0x514910771af9ca656af840dff83e8264ecf986ca'

let node: BadNode | null = null

function endless(of: string, methods: readonly string[], what: string): Attack {
  return {
    name: `a node with answers ${of} that have no end`,
    tried: `12 ${what}`,
    async run(target) {
      if (!node) throw new Error('There is no node.')
      node.counts.endlessBytes = 0
      node.badness = { endless: methods }
      try {
        const replies = await Promise.all(
          Array.from({ length: 12 }, (_, index) => {
            const query = new URLSearchParams({
              tokenIn: uni,
              tokenOut: link,
              amountIn: `${index + 1}000000000000000000`,
              deadlineMs: '15000',
            })
            return target.ask(`/api/v1/shortcuts/quote?${query}`)
          }),
        )
        const mb = Math.round(node.counts.endlessBytes / 2 ** 20)
        return {
          answer: `${told(replies)}; ${mb} MB were read`,
          reached: unlike(replies, [200, 422, 503, 504]),
        }
      } finally {
        node.badness = {}
      }
    },
  }
}

export const nodes: Family = {
  name: 'nodes',
  node: async (nodeUrl) => {
    node = await startBadNode(nodeUrl)
    return node
  },
  attacks: () => [
    endless('of state', all, 'quotes that need them'),
    endless('of blocks', heads, 'quotes at the newest block'),
  ],
}
