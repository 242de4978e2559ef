import { parseAbi } from 'viem'

const parameters =
  '(address loanToken, address collateralToken, address oracle, address irm, uint256 lltv) parameters'

const totals =
  '(uint128 supplyAssets, uint128 supplyShares, uint128 borrowAssets, uint128 borrowShares, uint128 lastUpdate, uint128 fee)'

/** The functions of the contract and of its rate models that are read. */
export const readAbi = parseAbi([
  'function idToMarketParams(bytes32 id) view returns (address loanToken, address collateralToken, address oracle, address irm, uint256 lltv)',
  'function market(bytes32 id) view returns (uint256 supplyAssets, uint256 supplyShares, uint256 borrowAssets, uint256 borrowShares, uint256 lastUpdate, uint256 fee)',
  'function isAuthorized(address owner, address manager) view returns (bool)',
  `function borrowRateView(${parameters}, ${totals} totals) view returns (uint256)`,
])

const [supply, supplyCollateral, withdraw, withdrawCollateral, borrow, repay, accrueInterest] =
  parseAbi([
    `function supply(${parameters}, uint256 assets, uint256 shares, address onBehalf, bytes data) returns (uint256 assetsSupplied, uint256 sharesSupplied)`,
    `function supplyCollateral(${parameters}, uint256 assets, address onBehalf, bytes data)`,
    `function withdraw(${parameters}, uint256 assets, uint256 shares, address onBehalf, address receiver) returns (uint256 assetsWithdrawn, uint256 sharesWithdrawn)`,
    `function withdrawCollateral(${parameters}, uint256 assets, address onBehalf, address receiver)`,
    `function borrow(${parameters}, uint256 assets, uint256 shares, address onBehalf, address receiver) returns (uint256 assetsBorrowed, uint256 sharesBorrowed)`,
    `function repay(${parameters}, uint256 assets, uint256 shares, address onBehalf, bytes data) returns (uint256 assetsRepaid, uint256 sharesRepaid)`,
    `function accrueInterest(${parameters})`,
  ])

const [market, position, setAuthorization] = parseAbi([
  'function market(bytes32 id) view returns (uint256 supplyAssets, uint256 supplyShares, uint256 borrowAssets, uint256 borrowShares, uint256 lastUpdate, uint256 fee)',
  'function position(bytes32 id, address owner) view returns (uint256 supplyShares, uint256 borrowShares, uint256 collateral)',
  'function setAuthorization(address authorized, bool newIsAuthorized)',
])

/** What transactions call. */
export const morphoAbi = {
  supply,
  supplyCollateral,
  withdraw,
  withdrawCollateral,
  borrow,
  repay,
  accrueInterest,
  market,
  position,
  setAuthorization,
}
