/** A signed order as it is imported, over HTTP and from a file. */
import { z } from 'zod'
import { type Hex, isNative } from '../../domain/primitives.js'
import type { BookOrder, OwnOrder } from '../../domain/signed-order.js'
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

const ForkrouteRow = z
  .object(
    {
      format: described(
        withDefault(z.literal('forkroute'), 'forkroute', 'forkroute'),
        'Our own format. Not needed.',
      ),
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

const extensionMessage = 'must be 0x and up to 4096 bytes in hexadecimal'
const Extension = z
  .string(extensionMessage)
  .regex(/^0x([0-9a-fA-F]{2}){0,4096}$/, extensionMessage)
  .transform((text) => text.toLowerCase() as Hex)

/** As 1inch's order book gives it; its further fields are left out. */
const BookRow = z
  .object({
    format: described(z.literal('1inch-v4'), 'Of 1inch. Not needed beside `data`.'),
    signature: described(Signature, 'Of the order by EIP-712.'),
    data: described(
      z.preprocess(
        textsOf,
        z
          .object(
            {
              salt: described(AmountOrZero, 'Ends with what binds the extension.'),
              maker: described(Address, 'Who has signed it.'),
              receiver: described(Address, 'Who is paid; the zero address: the maker.'),
              makerAsset: described(Token, 'What the maker gives.'),
              takerAsset: described(Token, 'What the maker gets.'),
              makingAmount: described(Amount, 'Raw units that the maker gives for all of it.'),
              takingAmount: described(Amount, 'Raw units that the maker gets for all of it.'),
              makerTraits: described(AmountOrZero, 'Flags, expiry and nonce.'),
              extension: described(
                withDefault(Extension, '0x', '0x'),
                'Conditions, calls and contracts that tell the rate.',
              ),
            },
            'must be an object',
          )
          .refine(({ makerAsset, takerAsset }) => makerAsset !== takerAsset, {
            path: ['takerAsset'],
            message: 'must not be makerAsset',
          }),
      ),
      'What its maker has signed.',
    ),
  })
  .meta({ id: 'BookOrderRow' })

export const OrderRow = z.preprocess(
  (value) => {
    const given = textsOf(value)
    if (typeof given !== 'object' || given === null) return given
    return { format: 'data' in given ? '1inch-v4' : 'forkroute', ...given }
  },
  z.discriminatedUnion('format', [ForkrouteRow, BookRow], 'must be an order'),
)

/** Amounts as texts, as orders are kept. */
export function toGivenOrder(
  chainId: number,
  row: z.output<typeof OrderRow>,
): OwnOrder | BookOrder {
  if (row.format === '1inch-v4') {
    const { salt, makingAmount, takingAmount, makerTraits, ...data } = row.data
    return {
      chainId,
      signature: row.signature,
      data: {
        ...data,
        salt: salt.toString(),
        makingAmount: makingAmount.toString(),
        takingAmount: takingAmount.toString(),
        makerTraits: makerTraits.toString(),
      },
    }
  }
  const { format: _, amountIn, amountOut, nonce, ...given } = row
  return {
    chainId,
    ...given,
    amountIn: amountIn.toString(),
    amountOut: amountOut.toString(),
    nonce: nonce.toString(),
  }
}
