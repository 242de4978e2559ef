/** Every action of the service itself. A new one is a file in this folder, or a line in one of several, and a line here. */
import type { ServiceAction } from '../service-action.js'
import { apiswap } from './apiswap.js'
import { approve } from './approve.js'
import { balance } from './balance.js'
import { bridge } from './bridge.js'
import { call } from './call.js'
import { comparisons } from './comparisons.js'
import { conditions } from './conditions.js'
import { fee, paymasterfee } from './fee.js'
import { flashloans } from './flashloan.js'
import { mathActions } from './math.js'
import { merge } from './merge.js'
import { minamountout } from './minamountout.js'
import { permittransferfrom } from './permittransferfrom.js'
import { route } from './route.js'
import { slippage } from './slippage.js'
import { split } from './split.js'
import { swap } from './swap.js'
import { transfer, transferfrom } from './transfer.js'

/** In the order in which they are listed. */
export const serviceActions: readonly ServiceAction[] = [
  route,
  apiswap,
  swap,
  approve,
  transfer,
  transferfrom,
  permittransferfrom,
  call,
  balance,
  split,
  merge,
  slippage,
  minamountout,
  fee,
  paymasterfee,
  bridge,
  ...flashloans,
  ...mathActions,
  ...comparisons,
  ...conditions,
]

const byName = new Map(serviceActions.map((action) => [action.name, action]))

/** Null for a name that no action of the service has. */
export function serviceActionByName(name: string): ServiceAction | null {
  return byName.get(name) ?? null
}
