import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { calls, streams } from './calls.js'
import { shapes } from './generated/endpoints.js'
import { withAmounts } from './shape.js'

/** Asked by POST, which takes the same inputs. */
const asPost = ['getRoute', 'getQuote', 'streamQuote']

test('every endpoint of the interface has a name in the client', () => {
  const file = new URL('../../docs/openapi.json', import.meta.url)
  const document = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  const named: string[] = [...Object.values(calls), ...Object.values(streams), ...asPost]
  expect(named.sort()).toEqual(ids.sort())
})

test('amounts are bigint wherever they lie, and nothing else is', () => {
  const wire = {
    route: [{ action: 'route', amountIn: ['1', '2'], amountOut: ['3'], primary: '0x1' }],
    gas: '21000',
    amountOut: ['5', '6'],
    minAmountOut: '7',
    priceImpact: null,
    blockNumber: 8,
    gasCost: { native: '9', usd: null, l1DataFee: null },
    tx: { data: '0x10', to: '0x1', from: '0x2', value: '0', chainId: 1 },
    trace: null,
    later: '11',
  }
  expect(withAmounts(wire, { is: 'RouteTransaction' }, shapes)).toEqual({
    ...wire,
    route: [{ ...wire.route[0], amountIn: [1n, 2n], amountOut: [3n] }],
    gas: 21000n,
    amountOut: [5n, 6n],
    minAmountOut: 7n,
    gasCost: { native: 9n, usd: null, l1DataFee: null },
    tx: { ...wire.tx, value: 0n },
  })
  expect(
    withAmounts({ gas: '', tx: { value: 'n/a' } }, { is: 'RouteTransaction' }, shapes),
  ).toEqual({
    gas: '',
    tx: { value: 'n/a' },
  })
  const batch = { blockNumber: 1, chainId: 1, quotes: [{ ladder: [{ amountIn: '1', gas: '2' }] }] }
  expect(withAmounts(batch, { is: 'QuoteBatch' }, shapes)).toEqual({
    ...batch,
    quotes: [{ ladder: [{ amountIn: 1n, gas: 2n }] }],
  })
})
