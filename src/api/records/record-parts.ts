/** Parts shared by several records of the API. */
import { z } from 'zod'

export const Address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .meta({ id: 'Address', description: 'Lower-case 0x address.' })
export const ChainId = z.int().min(1)
