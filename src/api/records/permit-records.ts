/** What is to be signed for a route by signature, on the wire: docs/how-to/permits.md. */
import { z } from 'zod'
import type { RoutePermit } from '../../domain/permit.js'

const byteOffset = z.int().min(0)
export const Permit = z
  .object({
    kind: z.enum(['eip2612', 'permit2']).meta({
      description:
        "eip2612: the token's own permit, which needs no allowance. permit2: Permit2, which the sender must have " +
        'allowed to take the token.',
    }),
    typedData: z
      .object({
        domain: z.record(z.string(), z.unknown()).meta({ description: 'Of EIP-712.' }),
        types: z
          .record(z.string(), z.array(z.object({ name: z.string(), type: z.string() })))
          .meta({ description: 'Of EIP-712, EIP712Domain included.' }),
        primaryType: z.string().meta({ description: 'Name of the type of message.' }),
        message: z.record(z.string(), z.unknown()).meta({
          description: 'Amounts in the smallest unit, times in unix seconds: decimal strings.',
        }),
      })
      .meta({ description: 'What fromAddress signs, with eth_signTypedData_v4.' }),
    signature: z
      .object({
        r: byteOffset.meta({ description: 'Byte of tx.data at which its 32 bytes begin.' }),
        s: byteOffset.meta({ description: 'Byte of tx.data at which its 32 bytes begin.' }),
        v: byteOffset.meta({ description: 'Byte of tx.data that is 27 or 28.' }),
      })
      .meta({ description: 'Where the signature goes; a stand-in of the same gas is there.' }),
  })
  .meta({ id: 'Permit' })

export function toPermit({ kind, typedData, signature }: RoutePermit) {
  const { domain, types, primaryType, message } = typedData
  return {
    kind,
    typedData: {
      domain: { ...domain },
      types: Object.fromEntries(
        Object.entries(types).map(([name, fields]) => [name, fields.map((one) => ({ ...one }))]),
      ),
      primaryType,
      message: { ...message },
    },
    signature: { ...signature },
  }
}
