/** `/mcp`, whose bodies may hold many messages, with a limit of five requests a minute. */
import { type Attack, type Family, told, unlike } from './attack.js'

const messages = 3_000
const batches = 20

const message = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })
const quote = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name: 'quote',
    arguments: {
      tokenIn: ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
      tokenOut: ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
      amountIn: ['1000000000000000000'],
    },
  },
})

function batch(what: string, of: (id: number) => object, key: 'attacker' | 'other'): Attack {
  const body = JSON.stringify(Array.from({ length: messages }, (_, id) => of(id)))
  return {
    name: `/mcp: batches of ${what}`,
    tried: `${batches} × ${messages.toLocaleString('en')} messages, limit 5 a minute`,
    async run(target) {
      const headers = { accept: 'application/json, text/event-stream' }
      const ask = () => target.ask('/mcp', { method: 'POST', body, headers, key: target.keys[key] })
      const replies = await Promise.all(Array.from({ length: batches }, ask))
      return { answer: told(replies), reached: unlike(replies, [429, 400, 413]) }
    },
  }
}

export const mcp: Family = {
  name: 'mcp',
  env: () => ({ RATE_LIMIT_PER_MINUTE: '5' }),
  attacks: () => [batch('tools/list', message, 'attacker'), batch('quotes', quote, 'other')],
}
