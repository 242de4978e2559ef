/** Where the Aave V3 of the sandbox lies: what is called as on mainnet; what lies behind it at invented addresses. */
import type { Address } from '../../domain/primitives.js'

export const aaveV3Addresses = {
  addressesProvider: '0x2f39d218133afab8f2b819b1066c7e434ad94e9e',
  pool: '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2',
  poolConfigurator: '0x64b761d848206f447fe2dd461b0c635ec39ebb27',
  aclManager: '0xc2aacf6553d20d1e9d78e365aaba8032af9c85b0',
  oracle: '0x54586be62e3c3580375ae3723c145253060ca0c2',
  dataProvider: '0x0a16f2fcc0d44fae41cc54e079281d84a363becd',
  rewardsController: '0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb',
  emissionManager: '0x223d844fc4b006d67c0cdbd39371a9f73f69d974',
  /** Collects the reserves' shares of the interest; no code of it is needed. */
  treasury: '0x464c71f6c2f760dda6093dcb91c24c39e5d6e18c',
  poolImplementation: invented(0x00),
  poolConfiguratorImplementation: invented(0x01),
  rewardsControllerImplementation: invented(0x02),
  transferStrategy: invented(0x03),
  aToken: invented(0x04),
  stableDebtToken: invented(0x05),
  variableDebtToken: invented(0x06),
} as const satisfies Record<string, Address>

export const aaveV3Libraries = {
  BorrowLogic: invented(0x10),
  BridgeLogic: invented(0x11),
  ConfiguratorLogic: invented(0x12),
  EModeLogic: invented(0x13),
  FlashLoanLogic: invented(0x14),
  LiquidationLogic: invented(0x15),
  PoolLogic: invented(0x16),
  SupplyLogic: invented(0x17),
} as const satisfies Record<string, Address>

/** Contract that sets the interest rates of one reserve. @param place - index of the reserve in the plan. */
export function rateStrategyAddress(place: number): Address {
  return invented(0x20 + place)
}

/** Contract that prices one reserve, for tokens without a feed on the chain. */
export function priceSourceAddress(place: number): Address {
  return invented(0x40 + place)
}

function invented(index: number): Address {
  return `0xf702e700000000000000000000000000000aae${index.toString(16).padStart(2, '0')}`
}
