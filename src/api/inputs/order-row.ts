/** A signed order as it is imported, over HTTP and from a file. */
import { z } from 'zod'
import { type Hex, isNative } from '../../domain/primitives.js'
import type { OwnOrder } from '../../domain/signed-order.js'
import { textsOf } from '../input.js'
import {
  Address,
  Amount,
  AmountOrZero,
  described,
  Flag,
  integer,
  TokenAddress,
  withDefault,
} from '../schemas.js'

const Token = TokenAddress.refine(
  (token) => !isNative(token),
  'must be the wrapped token: the native one cannot be in an order',
)
const signatureMessage = 'must be a signature: 0x and up to 2048 bytes in hexadecimal'
const Signature = z
  .string(signatureMessage)
  .regex(/^0x([0-9a-fA-F]{2}){1,2048}$/, signatureMessage)
  .transform((text) => text.toLowerCase() as Hex)

const row = z
  .object(
    {
      maker: described(Address, 'Who has signed it.'),
      tokenIn: described(Token, 'What the maker gets.'),
      tokenOut: described(Token, 'What the maker gives.'),
      amountIn: described(Amount, 'Raw units that the maker gets for all of it.'),
      amountOut: described(Amount, 'Raw units that the maker gives for all of it.'),
      expiry: described(
        integer(1, 253_402_300_799),
        'Unix seconds: the last at which it can be filled.',
      ),
      nonce: described(AmountOrZero, 'Orders of a maker that share one are cancelled together.'),
      partialFill: described(
        withDefault(Flag, true, true),
        'Whether a part of it can be filled; else only all of it at once.',
      ),
      signature: described(
        Signature,
        'Of the order by EIP-712: 65 bytes of a key, or what code of the maker accepts (EIP-1271).',
      ),
    },
    'must be an object',
  )
  .refine(({ tokenIn, tokenOut }) => tokenIn !== tokenOut, {
    path: ['tokenOut'],
    message: 'must not be tokenIn',
  })
  .meta({ id: 'OrderRow' })

export const OrderRow = z.preprocess(textsOf, row)

/** Amounts as texts, as orders are kept. */
export function toOwnOrder(
  chainId: number,
  { amountIn, amountOut, nonce, ...given }: z.output<typeof OrderRow>,
): OwnOrder {
  return {
    chainId,
    ...given,
    amountIn: amountIn.toString(),
    amountOut: amountOut.toString(),
    nonce: nonce.toString(),
  }
}
