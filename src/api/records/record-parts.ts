/** Parts shared by several records of the API. */
import { z } from 'zod'

export const Address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .meta({ id: 'Address', description: 'Lower-case 0x address.' })
export const ChainId = z.int().min(1)
export const Wei = z
  .string()
  .regex(/^\d+$/)
  .meta({ id: 'Wei', description: 'Unsigned integer in the smallest unit, decimal string.' })
export const SignedWei = z
  .string()
  .regex(/^-?\d+$/)
  .meta({ id: 'SignedWei', description: 'Integer in the smallest unit, decimal string.' })
/** One value for one tokenOut, a list in the order of tokenOut for several. */
export const WeiOrList = z.union([Wei, z.array(Wei)])

export const BlockNumber = z.int().min(0)
