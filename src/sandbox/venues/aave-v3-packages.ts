/** Compiled contracts of Aave V3, with the places of the libraries that they call. */
import type { ArtifactFile, ArtifactPackage } from '../contracts/artifact-package.js'
import { aaveV3Libraries } from './aave-v3-addresses.js'

type Library = keyof typeof aaveV3Libraries

function artifact(folder: string, name: string, libraries: readonly Library[] = []): ArtifactFile {
  const path = `package/artifacts/contracts/${folder}/${name}.sol/${name}.json`
  const links = libraries.map((library) => [
    `contracts/protocol/libraries/logic/${library}.sol:${library}`,
    aaveV3Libraries[library],
  ])
  return {
    path,
    field: 'bytecode',
    ...(links.length > 0 && { libraries: Object.fromEntries(links) }),
  }
}

const logic = 'protocol/libraries/logic'
const tokenization = 'protocol/tokenization'

export const aaveV3Packages: readonly ArtifactPackage[] = [
  {
    name: '@aave/core-v3',
    version: '1.19.3',
    integrity:
      'sha512-Xr7+VcoU5b4mPwM4IUCnskw3lciwrnL4Xloyad8GOddYeixnri2lZYobNmErm1LwE50vqjI0O+9QGNKY2TDkeQ==',
    files: {
      aaveAddressesProvider: artifact('protocol/configuration', 'PoolAddressesProvider'),
      aaveAclManager: artifact('protocol/configuration', 'ACLManager'),
      aaveProxy: artifact(
        'protocol/libraries/aave-upgradeability',
        'InitializableImmutableAdminUpgradeabilityProxy',
      ),
      aavePool: artifact('protocol/pool', 'Pool', [
        'BorrowLogic',
        'BridgeLogic',
        'EModeLogic',
        'FlashLoanLogic',
        'LiquidationLogic',
        'PoolLogic',
        'SupplyLogic',
      ]),
      aavePoolConfigurator: artifact('protocol/pool', 'PoolConfigurator', ['ConfiguratorLogic']),
      aaveRateStrategy: artifact('protocol/pool', 'DefaultReserveInterestRateStrategy'),
      aaveAToken: artifact(tokenization, 'AToken'),
      aaveStableDebtToken: artifact(tokenization, 'StableDebtToken'),
      aaveVariableDebtToken: artifact(tokenization, 'VariableDebtToken'),
      aaveOracle: artifact('misc', 'AaveOracle'),
      aaveDataProvider: artifact('misc', 'AaveProtocolDataProvider'),
      aaveBorrowLogic: artifact(logic, 'BorrowLogic'),
      aaveBridgeLogic: artifact(logic, 'BridgeLogic'),
      aaveConfiguratorLogic: artifact(logic, 'ConfiguratorLogic'),
      aaveEModeLogic: artifact(logic, 'EModeLogic'),
      aaveFlashLoanLogic: artifact(logic, 'FlashLoanLogic', ['BorrowLogic']),
      aaveLiquidationLogic: artifact(logic, 'LiquidationLogic'),
      aavePoolLogic: artifact(logic, 'PoolLogic'),
      aaveSupplyLogic: artifact(logic, 'SupplyLogic'),
    },
  },
  {
    name: '@aave/periphery-v3',
    version: '2.5.2',
    integrity:
      'sha512-Csqqi5gIxdzUMoOqtYpAzm9KTJ1aIK19RS49U9F/pLAE60bRth3Az/yANWiVS+WtlUTT/aAu5hjL7h5smmiXfg==',
    files: {
      aaveRewardsController: artifact('rewards', 'RewardsController'),
      aaveEmissionManager: artifact('rewards', 'EmissionManager'),
      aaveTransferStrategy: artifact('rewards/transfer-strategies', 'PullRewardsTransferStrategy'),
    },
  },
]
