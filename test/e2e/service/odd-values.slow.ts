/** Objects that have no text, where a value is expected: for each field of each body, and each argument of each action. */
import { expect, test } from 'vitest'
import { askBundle, own } from '../../support/bundle.js'
import { sharedService } from '../../support/service/shared-service.js'

const odd = { toString: [], valueOf: null }
const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const from = '0x00000000000000000000000000000000000f00d7'

/** Every path is asked, and no request is carried out. */
type ShortcutPath = `/api/v1/shortcuts/${string}`

interface Listed {
  readonly action: string
  readonly inputs: Readonly<Record<string, string>>
}

interface Standard {
  readonly protocol: { readonly slug: string }
  readonly actions: readonly { readonly action: string; readonly inputs: readonly string[] }[]
}

interface BodySchema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, unknown>>
}

interface Description {
  readonly paths: Readonly<
    Record<string, { post?: { requestBody?: { content: Record<string, { schema: BodySchema }> } } }>
  >
  readonly components: { readonly schemas: Readonly<Record<string, BodySchema>> }
}

test('no field of any body is a fault of the service', async () => {
  const service = await sharedService()
  const { paths, components } = (await service.get('/openapi.json')).body as Description
  // So that none is carried out, which takes time.
  const wrong = { unknown: 'x', tokenIn: [weth], tokenOut: [usdc], amountIn: ['1000000'] }
  const faults: string[] = []
  let asked = 0
  for (const [path, { post }] of Object.entries(paths)) {
    // A stream tells of a wrong quote in an event, and goes on; its bodies are those of quotes.
    if (path.includes('/stream/')) continue
    const schema = post?.requestBody?.content['application/json']?.schema
    const { properties = {} } =
      components.schemas[schema?.$ref?.split('/').at(-1) ?? ''] ?? schema ?? {}
    for (const name of Object.keys(properties)) {
      for (const value of [odd, [odd], { ...odd, token: odd, chainId: odd }]) {
        const { status, text } = await service.post(path as ShortcutPath, {
          ...wrong,
          [name]: value,
        })
        asked += 1
        if (status >= 500) faults.push(`${path} ${name}: ${text}`)
      }
    }
  }
  expect(faults).toEqual([])
  expect(asked).toBeGreaterThan(300)
})

test('every argument of every action is refused', async () => {
  const service = await sharedService()
  const standards = (await service.get('/api/v1/standards')).body as readonly Standard[]
  const listed = (await service.get('/api/v1/actions')).body as readonly Listed[]
  const ofProtocols = standards.flatMap(({ protocol, actions }) =>
    actions.map(({ action, inputs }) => ({ action, inputs, protocol: protocol.slug })),
  )
  const ofService = listed.map(({ action, inputs }) => ({
    ...own(action, {}),
    inputs: Object.keys(inputs),
  }))
  for (const { protocol, action, inputs } of [...ofProtocols, ...ofService]) {
    for (const name of inputs) {
      const given = {
        tokenIn: weth,
        tokenOut: usdc,
        amountIn: '1000000',
        slippage: '100',
        [name]: odd,
      }
      const { status, body } = await askBundle(service, { fromAddress: from }, [
        { protocol, action, args: given },
      ])
      expect([status, body.code], `${protocol} ${action} ${name}`).toEqual([400, 'INVALID_REQUEST'])
    }
  }
})
